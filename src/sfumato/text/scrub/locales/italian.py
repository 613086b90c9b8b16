"""Italian: Italy, Switzerland."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["ITALIAN"]

ITALIAN = LocalePack(
    language="it",
    regions=("IT", "CH"),
    function_words="il gli della che di è non per una con sono del alla nel anche questo più grazie ho dei delle "
    "nella si la un al da le",
    months=(
        "gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu", "luglio lug",
        "agosto ago", "settembre set", "ottobre ott", "novembre nov", "dicembre dic",
    ),
    greetings="ciao buongiorno buonasera caro cara gentile egregio egregia salve spettabile",
    closings="cordiali_saluti distinti_saluti saluti un_saluto a_presto cordialmente un_abbraccio grazie_mille",
    titles="sig sig.ra signor signora signorina dott dott.ssa dottor dottoressa prof prof.ssa avv ing",
    listed="partecipanti presenti assenti invitati membri nomi destinatari",
    introduced="mi_chiamo il_mio_nome_è sono_il_signor sono_la_signora alla_cortese_attenzione_di",
    id_words="codice_fiscale passaporto cliente pratica patente carta_d'identità tessera partita_iva matricola fattura "
    "ordine conto contratto targa polizza",
    phone_words="telefono tel cellulare cell fax chiamare chiamami chiami numero",
)  # fmt: skip
