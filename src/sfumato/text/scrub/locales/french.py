"""French: France, Belgium, Switzerland, Canada."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["FRENCH"]

FRENCH = LocalePack(
    language="fr",
    regions=("FR", "BE", "CH"),
    function_words="le les des est et une dans pour que qui avec sur vous nous pas votre sont cette aux je merci au "
    "du un la par été elle ce",
    months=(
        "janvier janv", "février fév fevrier", "mars", "avril avr", "mai", "juin", "juillet juil", "août aout",
        "septembre sept", "octobre oct", "novembre nov", "décembre déc decembre",
    ),
    greetings="bonjour bonsoir salut cher chère chers chères coucou",
    closings="cordialement bien_cordialement bien_à_vous amicalement sincèrement salutations respectueusement bises "
    "à_bientôt meilleures_salutations merci_d'avance",
    titles="m mme mlle monsieur madame mademoiselle dr docteur pr professeur me maître",
    listed="participants présents absents invités membres noms destinataires excusés",
    introduced="je_m'appelle je_suis mon_nom_est nommé nommée à_l'attention_de",
    id_words="numéro_client client dossier passeport permis carte_d'identité cni sécurité_sociale nir adhérent "
    "matricule facture commande contrat compte immatriculation siren siret numéro_fiscal",
    phone_words="téléphone tél tel portable mobile fax appeler appelez joindre numéro",
)  # fmt: skip
