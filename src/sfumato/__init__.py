"""sfumato: protect a data set, attack the result, measure what is left, report all three.

Each kind of data has a sub-package with its mechanisms, attacks and utilities: :mod:`sfumato.statistic`,
:mod:`sfumato.direction`, :mod:`sfumato.table`, :mod:`sfumato.survey`, :mod:`sfumato.trace`, :mod:`sfumato.text`.
They stand on :mod:`sfumato.promise` (what is promised), :mod:`sfumato.noise` (samplers), :mod:`sfumato.mechanism` (the
textbook mechanisms), :mod:`sfumato.auditor`, :mod:`sfumato.ledger` and :mod:`sfumato.study` (the loop). Everything here
loads on first use.

>>> import sfumato as sf
>>> print(sf.Laplace(epsilon=0.5, sensitivity=1.0).guarantee)
ε = 0.5 per record (replace-one neighbours, central model)
"""

from sfumato.attach import attach

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = attach(__name__)
