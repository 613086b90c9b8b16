"""Languages of which only the small words, dates and greetings are known."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["CZECH", "DANISH", "DUTCH", "FINNISH", "GREEK", "POLISH", "PORTUGUESE", "RUSSIAN", "SWEDISH"]

DUTCH = LocalePack(
    language="nl",
    regions=("NL", "BE"),
    function_words="het een van niet dat voor met zijn aan ook naar wij uw graag bij deze jij hebben wordt "
    "wegens haar worden heeft werd gebruiken zoals geen onze jullie patiënt geboren",
    months=(
        "januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul", "augustus aug",
        "september sep", "oktober okt", "november nov", "december dec",
    ),
    greetings="hallo beste geachte dag hoi lieve",
    closings="met_vriendelijke_groet groeten groet vriendelijke_groeten mvg",
    titles="dhr mevr mevrouw meneer de_heer drs ir",
    id_words="klantnummer bsn burgerservicenummer paspoort rijbewijs polisnummer rekeningnummer patiëntnummer "
    "dossiernummer lidnummer personeelsnummer rijksregister rijksregisternummer",
    phone_words="telefoon tel mobiel bellen",
)  # fmt: skip
PORTUGUESE = LocalePack(
    language="pt",
    regions=("PT", "BR"),
    function_words="o os um uma não em para com que da do na no são você obrigado muito também mais está pelo ao dia "
    "paciente deve seu sua pela",
    months=(
        "janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio mai", "junho jun", "julho jul", "agosto ago",
        "setembro set", "outubro out", "novembro nov", "dezembro dez",
    ),
    between="de",
    greetings="olá oi caro cara prezado prezada bom_dia boa_tarde",
    closings="atenciosamente cumprimentos abraços com_os_melhores_cumprimentos obrigado obrigada",
    titles="senhor senhora dona dom sr sra dr dra",
    id_words="cpf cnpj crm rg nif passaporte cliente processo contribuinte cartão_de_cidadão matrícula fatura",
    phone_words="telefone tel celular telemóvel ligar ligue",
)  # fmt: skip
POLISH = LocalePack(
    language="pl",
    regions=("PL",),
    function_words="nie jest że się do na jak dla oraz proszę przez być tak pod czy są już może po od który za "
    "dwa córki lekarz pacjentka pacjent przyjęta w z",
    months=(
        "stycznia styczeń", "lutego luty", "marca marzec", "kwietnia kwiecień", "maja maj", "czerwca czerwiec",
        "lipca lipiec", "sierpnia sierpień", "września wrzesień", "października październik", "listopada listopad",
        "grudnia grudzień",
    ),
    greetings="cześć witaj droga drogi szanowna_pani szanowny_panie dzień_dobry",
    closings="pozdrawiam z_poważaniem pozdrowienia serdecznie_pozdrawiam",
    titles="pan pani pana panu",
    id_words="pesel paszport klient nip dowód_osobisty",
    phone_words="telefon tel kom zadzwoń",
)  # fmt: skip
RUSSIAN = LocalePack(
    language="ru",
    regions=("RU",),
    function_words="и не на что это как для мы вы он она но по из от до был была если уже",
    months=(
        "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября",
        "декабря",
    ),
    greetings="уважаемый уважаемая здравствуйте привет дорогой дорогая добрый_день",
    closings="с_уважением всего_доброго с_наилучшими_пожеланиями спасибо",
    titles="господин госпожа г-н г-жа гражданин гражданка доктор профессор",
    listed="участники присутствовали приглашены",
    introduced="меня_зовут",
    id_words="паспорт инн снилс",
    phone_words="телефон тел моб звоните",
)  # fmt: skip
GREEK = LocalePack(
    language="el",
    regions=("GR",),
    function_words="και το να του η της με για που από στο δεν είναι στην τα σας θα",
    months=(
        "ιανουαρίου", "φεβρουαρίου", "μαρτίου", "απριλίου", "μαΐου", "ιουνίου", "ιουλίου", "αυγούστου", "σεπτεμβρίου",
        "οκτωβρίου", "νοεμβρίου", "δεκεμβρίου",
    ),
    greetings="αγαπητέ αγαπητή γεια_σου γεια καλημέρα αξιότιμε αξιότιμη",
    closings="με_εκτίμηση φιλικά με_εκτίμηση, ευχαριστώ",
    titles="κύριος κυρία κύριε κ κα",
    id_words="αφμ αμκα διαβατήριο",
    phone_words="τηλέφωνο τηλ κινητό",
)  # fmt: skip
SWEDISH = LocalePack(
    language="sv",
    regions=(),
    function_words="och att det som är för av den till har inte på ett jag vid från tidigare söker till om kan ska",
    months=(
        "januari jan", "februari feb", "mars", "april apr", "maj", "juni jun", "juli jul", "augusti aug",
        "september sep", "oktober okt", "november nov", "december dec",
    ),
    greetings="hej hejsan kära käre bästa bäste god_morgon",
    closings="med_vänliga_hälsningar vänliga_hälsningar hälsningar mvh",
    titles="herr fru fröken doktor",
    id_words="personnummer samordningsnummer kundnummer passnummer journalnummer ärendenummer",
    phone_words="telefon tel mobil ring",
)  # fmt: skip
DANISH = LocalePack(
    language="da",
    regions=(),
    function_words="og at det er af til ikke på jeg vi har med som ikke fra være blev kan skal der hun",
    months=(
        "januar jan", "februar feb", "marts mars", "april apr", "maj mai", "juni jun", "juli jul", "august aug",
        "september sep", "oktober okt", "november nov", "december desember dec des",
    ),
    greetings="hej hei kære kjære godmorgen",
    closings="med_venlig_hilsen venlig_hilsen hilsen med_vennlig_hilsen vennlig_hilsen mvh",
    titles="hr fru frøken",
    id_words="cpr-nummer cpr personnummer kundenummer fødselsnummer pasnummer",
    phone_words="telefon tlf mobil ring",
)  # fmt: skip
FINNISH = LocalePack(
    language="fi",
    regions=(),
    function_words="ja on että ei se oli kun niin mutta hän ovat tai joka myös nimi osoite puhelin hakemus",
    months=(
        "tammikuuta", "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta", "heinäkuuta", "elokuuta",
        "syyskuuta", "lokakuuta", "marraskuuta", "joulukuuta",
    ),
    greetings="hei moi hyvä arvoisa",
    closings="ystävällisin_terveisin terveisin parhain_terveisin",
    titles="herra rouva neiti tohtori",
    id_words="henkilötunnus hetu asiakasnumero passi",
    phone_words="puhelin puh soita",
)  # fmt: skip
CZECH = LocalePack(
    language="cs",
    regions=(),
    function_words="je se že do jako pro aby ale není jsem jsme nebo také který byl byla při podle",
    months=(
        "ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu",
        "prosince",
    ),
    greetings="ahoj dobrý_den vážený vážená milý milá",
    closings="s_pozdravem s_úctou srdečně",
    titles="pan paní pana slečna",
    id_words="rodné_číslo občanský_průkaz číslo_pasu zákazník",
    phone_words="telefon tel mobil volejte",
)  # fmt: skip
