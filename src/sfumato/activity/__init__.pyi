from sfumato.activity.attacks.linkage import LinkageAttack as LinkageAttack
from sfumato.activity.data import make_activity as make_activity
from sfumato.activity.mechanisms.activity_noise import ActivityNoise as ActivityNoise
from sfumato.activity.protection import protect as protect
from sfumato.activity.utilities.mean_error import MeanError as MeanError
