"""What the name of a column says, in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

__all__ = ["Meaning", "meaning_of", "words_of"]

Meaning = Literal["identifier", "person", "sensitive", "amount", "quasi"]

# Without accents, in lower case. A star stands for any ending.
_WORDS: dict[Meaning, dict[str, str]] = {
    "person": {
        "en": "patient subject person member client customer participant household respondent mrn enrollee employee "
        "pid uid hhid",
        "de": "patienten* versicherte* person kunde* haushalt teilnehmer proband* mitarbeiter*",
        "fr": "patient* personne client menage participant assure*",
        "es": "paciente persona cliente hogar participante asegurado",
        "it": "paziente persona cliente famiglia partecipante assistito",
        "nl": "patient persoon klant huishouden deelnemer verzekerde",
        "pt": "paciente utente pessoa cliente agregado participante",
        "pl": "pacjent* osoba klient* gospodarstwo uczestnik*",
    },
    "identifier": {
        "en": "name surname firstname lastname fullname forename email mail e-mail phone telephone mobile fax ssn "
        "passport account iban uuid guid address street licence license plate url ip login username nhs medicare",
        "de": "name vorname nachname familienname telefon* handy* adresse anschrift strasse hausnummer kennzeichen "
        "versicherungsnummer kvnr steuernummer kontonummer ausweis* fallnummer aktenzeichen",
        "fr": "nom prenom telephone portable courriel adresse rue nir nss compte passeport",
        "es": "nombre apellido* telefono movil correo direccion calle dni nie cuenta pasaporte",
        "it": "nome cognome telefono cellulare posta indirizzo codicefiscale fiscale conto passaporto",
        "nl": "naam voornaam achternaam telefoon mobiel adres straat huisnummer bsn rekening* paspoort",
        "pt": "nome apelido sobrenome telefone telemovel correio endereco morada rua nif cpf conta passaporte",
        "pl": "imie nazwisko telefon* komorka adres ulica pesel konto paszport dowod",
    },
    "sensitive": {
        "en": "diagnos* disease* illness* condition* icd* drug* medication* therapy income salar* wage* religio* "
        "politic* hiv sexual* genetic*",
        "de": "krankheit* erkrankung* diagnose* befund* medikament* therapie einkommen gehalt lohn konfession partei",
        "fr": "maladie* affection* medicament* traitement* revenu* salaire* diagnostic*",
        "es": "enfermedad* medicamento* tratamiento* renta* salario* sueldo* diagnostico*",
        "it": "malattia* patologia* farmaco* terapia reddito* stipendio* diagnosi",
        "nl": "ziekte* aandoening* medicijn* inkomen* salaris* loon geloof diagnose*",
        "pt": "doenca* medicamento* tratamento* rendimento* salario* diagnostico*",
        "pl": "choroba* rozpoznani* diagnoza* lek leki dochod* pensja* wynagrodzeni* wyznani*",
    },
    "amount": {
        "en": "cost* charge* price* amount* payment* fee fees bill* los stay duration expens*",
        "de": "kosten* preis* betrag* erlos* verweildauer* liegedauer* dauer",
        "fr": "cout* prix montant* duree* sejour",
        "es": "coste* costo* precio* importe* estancia* duracion*",
        "it": "costo* prezzo* importo* degenza* durata*",
        "nl": "kosten* prijs* bedrag* ligduur* duur",
        "pt": "custo* preco* montante* duracao* internamento*",
        "pl": "koszt* cena* kwota* pobyt* czas",
    },
    "quasi": {
        "en": "age birth* dob born sex gender zip zipcode postcode postal city town county state region marital race "
        "ethnic* occupation education nationality country admission* admitted discharge* visit*",
        "de": "alter geburt* geschlecht plz postleitzahl ort stadt land kreis familienstand beruf bildung "
        "staatsangehorigkeit nationalitat aufnahme* entlassung*",
        "fr": "age naissance sexe codepostal postal ville commune departement region profession nationalite admission* "
        "sortie*",
        "es": "edad nacimiento sexo genero postal ciudad municipio provincia region profesion nacionalidad ingreso* "
        "alta",
        "it": "eta nascita sesso genere cap citta comune provincia regione professione nazionalita ricovero* "
        "dimission*",
        "nl": "leeftijd geboorte* geslacht postcode stad gemeente provincie beroep nationaliteit opname* ontslag*",
        "pt": "idade nascimento sexo genero postal cidade municipio distrito regiao profissao nacionalidade admissao* "
        "alta*",
        "pl": "wiek urodzeni* plec kod miasto gmina powiat wojewodztwo zawod narodowosc przyjeci* wypis*",
    },
}

_STEMS: dict[Meaning, list[str]] = {
    meaning: sorted({word for words in listed.values() for word in words.split()}) for meaning, listed in _WORDS.items()
}
ORDER: tuple[Meaning, ...] = ("sensitive", "amount", "identifier", "quasi")
"""Which meaning goes before which."""

_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "æ": "ae"})


def words_of(name: str) -> list[str]:
    """The words in the name of a column, without accents and in lower case.

    >>> words_of("PatientenNr_Straße"), words_of("fecha_de_nacimiento")
    (['patienten', 'nr', 'strasse'], ['fecha', 'de', 'nacimiento'])
    """
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)
    return re.findall(r"[a-z]+|[0-9]+", plain.lower())


def _matches(words: Iterable[str], stem: str, *, ends: bool = False) -> bool:
    if stem.endswith("*"):
        return any(word.startswith(stem[:-1]) for word in words)
    return any(word == stem or (ends and len(stem) > 3 and word.endswith(stem)) for word in words)


def meaning_of(name: str) -> tuple[Meaning, str] | None:
    """What the name of a column says, and by which word; None if nothing.

    >>> meaning_of("Verweildauer"), meaning_of("codice_fiscale"), meaning_of("plec"), meaning_of("x17")
    (('amount', 'verweildauer*'), ('identifier', 'fiscale'), ('quasi', 'plec'), None)
    """
    words = words_of(name)
    if (
        "id" in words
        or "uuid" in words
        or words[-1:] in (["nr"], ["number"], ["nummer"], ["numero"], ["numer"], ["no"])
    ):
        person = next((stem for stem in _STEMS["person"] if _matches(words, stem)), None)
        return ("person", person) if person is not None else ("identifier", words[-1] if "id" not in words else "id")
    for meaning in ORDER:
        stem = next((one for one in _STEMS[meaning] if _matches(words, one, ends=meaning == "identifier")), None)
        if stem is not None:
            return meaning, stem
    person = next((stem for stem in _STEMS["person"] if _matches(words, stem)), None)
    return None if person is None else ("person", person)
