"""Languages of which only the small words, dates and greetings are known."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["DUTCH", "GREEK", "POLISH", "PORTUGUESE", "RUSSIAN"]

DUTCH = LocalePack(
    language="nl",
    regions=("NL", "BE"),
    function_words="het een van niet dat voor met zijn aan ook naar wij uw graag bij deze jij hebben wordt",
    months=(
        "januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul", "augustus aug",
        "september sep", "oktober okt", "november nov", "december dec",
    ),
    greetings="hallo beste geachte dag hoi lieve",
    closings="met_vriendelijke_groet groeten groet vriendelijke_groeten mvg",
    titles="dhr mevr mevrouw meneer de_heer drs ir",
    id_words="klantnummer bsn burgerservicenummer paspoort rijbewijs polisnummer rekeningnummer",
    phone_words="telefoon tel mobiel bellen",
)  # fmt: skip
PORTUGUESE = LocalePack(
    language="pt",
    regions=("PT", "BR"),
    function_words="o os um uma não em para com que da do na no são você obrigado muito também mais está pelo",
    months=(
        "janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio mai", "junho jun", "julho jul", "agosto ago",
        "setembro set", "outubro out", "novembro nov", "dezembro dez",
    ),
    between="de",
    greetings="olá oi caro cara prezado prezada bom_dia boa_tarde",
    closings="atenciosamente cumprimentos abraços com_os_melhores_cumprimentos obrigado obrigada",
    titles="senhor senhora dona dom sr sra dr dra",
    id_words="cpf cnpj nif passaporte cliente processo contribuinte cartão_de_cidadão matrícula fatura",
    phone_words="telefone tel celular telemóvel ligar ligue",
)  # fmt: skip
POLISH = LocalePack(
    language="pl",
    regions=("PL",),
    function_words="nie jest że się do na jak dla oraz proszę przez być tak pod czy są już może po od który",
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
