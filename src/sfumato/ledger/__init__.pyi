from sfumato.ledger.crowd import Crowd as Crowd
from sfumato.ledger.entry import Anchor as Anchor
from sfumato.ledger.entry import Balance as Balance
from sfumato.ledger.entry import Entry as Entry
from sfumato.ledger.ledger import Ledger as Ledger
from sfumato.ledger.location import ledger_place as ledger_place
from sfumato.ledger.vault import Vault as Vault
