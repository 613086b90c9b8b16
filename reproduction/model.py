"""Meehan ch. 1 and 2, Fischer §2.4: the copying test, déjà vu on one core, and learned anonymisers.

Rows are kept as they finish: an interrupted run goes on where it stopped. Once
``SFUMATO_REPRODUCTION_MINUTES`` CPU minutes are spent (15 by default), the rows that are left are said to be missing.
"""

from __future__ import annotations

from reproduction import _model_copying, _model_dejavu, _model_learned
from reproduction._model_rows import spent, table

UNFINISHED = "not run, because the CPU minutes of this section were spent, or the data are missing"


def section() -> str:
    # What matters most comes first: the minutes may run out.
    memory = _model_dejavu.rows()
    learned, copying = _model_learned.rows(), _model_copying.rows()
    changed = _model_dejavu.variants()
    decided = [
        *_model_copying.claims(copying, UNFINISHED),
        *_model_dejavu.claims(memory, changed, UNFINISHED),
        *_model_learned.claims(learned, UNFINISHED),
    ]
    return f"""## Models (Meehan 2023, ch. 1 and 2; Fischer 2020, §2.4)

{_model_copying.chapter(copying)}

Déjà vu on panel cards, SimCLR, 200 cards in each training set, means of both roles and two seeds.

{_model_dejavu.chapter(memory, changed)}

{_model_learned.chapter(learned)}

Claims. The verdicts are written by the numbers above, which took {spent() / 60:.0f} CPU minutes so far.

{table(["claim", "here"], decided)}
"""
