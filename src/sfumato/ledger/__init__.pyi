from sfumato.ledger.ledger import Balance as Balance
from sfumato.ledger.ledger import Entry as Entry
from sfumato.ledger.ledger import Ledger as Ledger
from sfumato.ledger.ledger import ledger_path as ledger_path
