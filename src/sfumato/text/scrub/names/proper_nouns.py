"""Capitalised words that name no person: countries, languages, peoples, well-known products and firms."""

from __future__ import annotations

from sfumato.text.scrub.names.name_lists import words_of

__all__ = ["GEOGRAPHY", "PLAIN_NOUNS", "PROPER_NOUNS"]

GEOGRAPHY = words_of(
    """
    africa african america american americas antarctica arab arabic asia asian atlantic australia australian austria
    austrian baltic belgian belgium brazil brazilian britain british bulgaria canada canadian caribbean catholic china
    chinese christian christmas christmases croatia czech danish denmark dutch easter egypt egyptian england english
    europe european finland finnish france french german germany greece greek halloween hebrew hindi hindu hungarian
    hungary iceland india indian indonesia iran iraq ireland irish islam israel israeli italian italy japan japanese
    jewish korea korean kosovo latin luxembourg malaysia mediterranean mexican mexico mongolia morocco muslim
    netherlands nigeria nigerian nordic norway norwegian pacific pakistan persian peru poland polish portugal portuguese
    protestant ramadan romania romanian russia russian scandinavia scotland scottish serbia singapore slovakia slovenia
    somalia spain spanish sudan sweden swedish swiss switzerland syria taiwan thai thailand thanksgiving tunisia turkey
    turkish ukraine ukrainian uruguay usa vietnam vietnamese wales welsh yiddish adriatic aegean alps amazonian andes
    arctic balkans bavarian benelux bohemian himalayas sahara siberian
    """
)
"""Countries, peoples, languages, seas."""

PROPER_NOUNS = GEOGRAPHY | words_of(
    """
    login logout email e-mail online website app username smartphone laptop podcast blog webinar startup wiki cheddar
    node drive aadhaar pesel personnummer iban swift bic sepa everything something nothing anything anybody somebody
    suo sua suoi sue lei ella usted ustedes vuestra vous votre
    adobe airbus amazon android ansible apache apple arduino asana atlassian audi autocad azure bitcoin bluetooth bmw
    boeing bosch chrome cisco cloudflare confluence debian dell django docker dropbox ebay ericsson ethereum ethernet
    excel facebook fedora figma firefox flask ford git github gitlab gmail google grafana hadoop helm honda huawei ibm
    ikea instagram intel iphone java javascript jenkins jira julia jupyter kafka kanban keras kotlin kubernetes lambda
    lenovo lego libreoffice linkedin linux lufthansa macbook mastercard matlab mercedes microsoft mongodb mozilla mysql
    netflix nginx nike nintendo nissan nokia notion numpy nvidia openai openoffice oracle outlook pandas paypal
    philips photoshop pinterest playstation porsche postgres postgresql powerpoint prometheus python pytorch redis
    renault safari salesforce samsung sap scrum selenium sharepoint siemens skype slack snowflake sony sourdough spark
    spotify sql starbucks teams telegram tensorflow terraform tesla tiktok toyota trello tumblr twitter typescript
    uber ubuntu unix visa volkswagen volvo walmart whatsapp wifi wikipedia windows wordpress xbox yahoo yammer youtube
    zoom bordeaux burgundy cantonese
    celsius champagne dijon fahrenheit gouda kelvin madeira mandarin marxist mesozoic mozzarella neolithic
    newtonian parmesan pilates planck saturn victorian yoga agile bayesian boolean caesar cartesian
    cobol csv fortran gaussian html json markdown markov olympic olympics pdf unicode xml yaml covid brexit internet
    wi-fi q1 q2 q3 q4 faq ceo cto cfo hr api url http https tcp gdpr iso
    """
)
"""In lower case. They are never taken for unknown names; the model may still find a place."""

PLAIN_NOUNS = words_of(
    """
    account accounting accounts act action address administration advisor affairs agenda agent agreement air amendment
    america analysis analyst annual application approval area article assistant associate attachment attorney auction
    audit authority back balance basin bid billing board book bridge briefing broker budget building business buyer
    calendar call capacity capital case cash catalogue center central chairman change channel chapter chart chief city
    claim class clerk client code coffee commission committee communications community companies company compliance
    computer conference confirmation construction consultant contact contract control coordinator copy corporate cost
    council counsel counterparty county course court credit customer daily data database date day deal dealer
    department deposit deputy description design desk development director directory discussion distribution district
    division document draft economics economy editor education electric electricity electronic email employee employment
    energy engineer engineering enterprise environment environmental equity event exchange executive exhibit express
    facility fax federal field file final finance financial floor folder force forecast form forum free fuel fund
    futures game gas general global government guide head health help high highway history holiday home hour human
    image index industrial industry info information infrastructure initiative institute insurance interest
    international internet interview investment investor invoice issue item job journal junior keyboard key kitchen
    land law lawyer learning legal letter level library license line list loan local location logistics lunch magazine
    mail main maintenance management manager manual market marketing markets master material matter media medical
    meeting member memo memorandum message minister minutes model money month monthly morning national natural network
    news newsletter north northeast northern northwest note notice number office officer oil online operations operator
    option order organization owner page panel paper part partner party pass password people performance permit person
    personnel phase phone physical pipeline plan planning plant platform point policy portfolio position post power
    presentation president press price pricing principal printer privacy private procedure process product production
    products professional profile program project proposal protocol public purchase quality quarter question quote
    rate real receipt record records recruiting reference region regional register regulation regulatory report
    reports request research resource resources response result retail revenue review risk road room rule sales
    schedule school science season secretary section sector securities security senior series server service services
    session settlement shareholder sheet short site software solutions source south southeast southern southwest
    special specialist staff standard state statement station status stock storage store strategy street structure
    student study subject summary supervisor supply support survey system systems table tariff task tax team technical
    technology telecom term terms test text time title today topic trade trader trading traffic training transaction
    transfer transmission transport transportation travel treasurer treasury trust unit update user utility valley
    value vendor venture version vice vision volume wage warehouse water weather web week weekend weekly west western
    wholesale window work worker workshop world year east eastern
    """
)
"""Ordinary nouns that offices write with a capital; they open no question."""
