"""The study of a log of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sfumato.study.study import Study
from sfumato.study.wording import count

__all__ = ["own_study"]


def own_study(
    data: Path,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    every: str = "week",
    timezone: str = "UTC",
    most_items: int = 1_000,
    ks: Iterable[int] = (2, 5, 12),
    epsilons: Iterable[float] = (1.0, 4.0, 16.0),
) -> Study:
    """Who can be linked across the last two windows of a log.

    Parameters
    ----------
    data : path
        One row an event.
    user, item, time : str
        The columns.
    every, timezone : str
        The windows, as in :class:`~sfumato.activity.Calendar`.
    most_items : int
        Only the most used items are studied.
    ks : iterable of int
        How many each user hides among.
    epsilons : iterable of float
        What private factorisation promises each user.
    """
    import numpy as np

    from sfumato.activity.attacks.scoring import last_two
    from sfumato.activity.core.calendar_windows import Calendar
    from sfumato.activity.core.event_log import read_activity
    from sfumato.activity.room import log_study
    from sfumato.io.files import read_table
    from sfumato.validate import integer

    calendar = Calendar(every=every, timezone=timezone)
    log = read_activity(read_table(data), user=user, item=item, time=time, calendar=calendar)
    log = log.with_windows(last_two(log), labels=log.labels[-2:])
    used = np.asarray(log.windows[0].sum(axis=0) + log.windows[1].sum(axis=0)).reshape(-1)
    busiest = np.argsort(-used, kind="stable")[: integer("most_items", most_items, least=2)]
    log = log.select(np.sort(busiest))
    title = f"{count(log.shape[0], 'user')} and {count(log.shape[1], 'item')}, {log.labels[0]} and {log.labels[1]}"
    return log_study("own-activity", title, log, ks=ks, epsilons=epsilons)
