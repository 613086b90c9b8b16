"""Capitalised words that name no person: countries, languages, peoples, well-known products and firms."""

from __future__ import annotations

__all__ = ["PROPER_NOUNS"]

PROPER_NOUNS = frozenset(
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
    turkish ukraine ukrainian uruguay usa vietnam vietnamese wales welsh yiddish
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
    zoom adriatic aegean alps amazonian andes arctic balkans bavarian benelux bohemian bordeaux burgundy cantonese
    celsius champagne dijon fahrenheit gouda himalayas kelvin madeira mandarin marxist mesozoic mozzarella neolithic
    newtonian parmesan pilates planck sahara saturn siberian victorian yoga agile bayesian boolean caesar cartesian
    cobol csv fortran gaussian html json markdown markov olympic olympics pdf unicode xml yaml covid brexit internet
    wi-fi q1 q2 q3 q4 faq ceo cto cfo hr api url http https tcp gdpr iso
    """.split()
)
"""In lower case. They are never taken for unknown names; the model may still find a place."""
