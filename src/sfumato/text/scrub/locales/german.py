"""German: Germany, Austria, Switzerland."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["GERMAN"]

GERMAN = LocalePack(
    language="de",
    regions=("DE", "AT", "CH"),
    function_words="und der die das nicht ist ein eine mit für auf den dem sie ich wir zu von bei haben wird bitte "
    "über wurde wurden sehr oder auch nach sind einen kein keine zur vom im am wegen des sich hat habe ihm ihn",
    months=(
        "januar jan jänner", "februar feb", "märz mär maerz", "april apr", "mai", "juni jun", "juli jul", "august aug",
        "september sept sep", "oktober okt", "november nov", "dezember dez",
    ),
    greetings="hallo liebe lieber liebes guten_tag guten_morgen guten_abend sehr_geehrte sehr_geehrter servus moin "
    "grüß_gott grüezi",
    closings="viele_grüße mit_freundlichen_grüßen freundliche_grüße beste_grüße liebe_grüße herzliche_grüße mfg vg lg "
    "gruß grüße dein deine euer eure ihr ihre hochachtungsvoll schöne_grüße viele_gruesse mit_freundlichen_gruessen",
    titles="herr herrn frau dr prof professor fräulein hr fr magister tante onkel oma opa sohn tochter bruder "
    "schwester mutter vater ehemann ehefrau pfarrer pfarrerin pastorin richter richterin rechtsanwalt rechtsanwältin "
    "notar notarin zeuge zeugin kollege kollegin nachbar nachbarin lehrer lehrerin trainerin schüler schülerin "
    "patientin mandant mandantin hausarzt hausärztin",
    listed="teilnehmer teilnehmerinnen teilnehmende anwesend anwesende abwesend eingeladen gäste mitglieder namen "
    "verteiler ansprechpartner beteiligte",
    introduced="mein_name_ist ich_heiße ich_bin namens z.hd. z._hd. i._a. i.a. i._v. i.v.",
    id_words="kundennummer kundennr personalnummer personalausweis personalausweisnummer ausweisnummer reisepass "
    "reisepassnummer passnummer steuernummer steuer-id steueridentifikationsnummer idnr sozialversicherungsnummer "
    "versicherungsnummer versichertennummer rentenversicherungsnummer ahv-nummer matrikelnummer mitgliedsnummer "
    "aktenzeichen vertragsnummer rechnungsnummer auftragsnummer kontonummer führerschein führerscheinnummer "
    "kennzeichen fallnummer patientennummer bestellnummer vorgangsnummer svnr polizze polizzennummer "
    "policennummer police krankenkassennummer krankenkasse-nr schadennummer",
    phone_words="telefon tel mobil handy fax rufnummer telefonnummer erreichbar anrufen ruf",
    capital_nouns=True,
)  # fmt: skip
