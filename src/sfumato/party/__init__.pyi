from sfumato.party.attacks.linkage import LinkageAttack as LinkageAttack
from sfumato.party.data import make_party as make_party
from sfumato.party.mechanisms.party_noise import PartyNoise as PartyNoise
from sfumato.party.protection import protect as protect
from sfumato.party.utilities.mean_error import MeanError as MeanError
