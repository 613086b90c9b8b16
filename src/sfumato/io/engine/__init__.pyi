from sfumato.io.engine.base import COUNT as COUNT
from sfumato.io.engine.base import Arrange as Arrange
from sfumato.io.engine.base import Engine as Engine
from sfumato.io.engine.base import Recode as Recode
from sfumato.io.engine.engines import find_engine as find_engine
from sfumato.io.engine.shuffling import Shuffler as Shuffler
from sfumato.io.engine.source import Source as Source
from sfumato.io.engine.staging import staged as staged
