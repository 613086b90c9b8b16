"""What is drawn once for a person: zones and noises that stay, releases that are handed out again, and payment."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger, Vault
from sfumato.promise import compose
from sfumato.release import Terms
from sfumato.trace import InferentialPrivacy, Projection
from sfumato.trace.returned.evaluation import pictures_of

HOUR, DAY = 3600.0, 86400.0
HOME = (52.5, 13.4)


def trace(day: int = 0) -> pa.Table:
    """From home to a place 5 km to the east and back, a point a minute."""
    times = day * DAY + np.arange(6 * HOUR, 12 * HOUR, 60.0)
    east = np.interp(times - day * DAY, [7 * HOUR, 8 * HOUR, 10 * HOUR, 11 * HOUR], [0.0, 5000.0, 5000.0, 0.0])
    latitude, longitude = Projection(*HOME).to_degrees(np.stack([east, np.zeros_like(east)], axis=1))
    return pa.table({"time": times, "latitude": latitude, "longitude": longitude})


@pytest.fixture
def terms(tmp_path):
    Ledger(tmp_path / "book").close()
    return Terms(ledger=tmp_path / "book", subject="ann")


def files(terms: Terms) -> list[Any]:
    folder = Vault(terms.ledger).folder
    return sorted(folder.iterdir()) if folder.exists() else []


def test_a_zone_is_drawn_once_and_applied_to_every_file(terms):
    first = sf.trace.protect(trace(), home=HOME, terms=terms)
    again = sf.trace.protect(trace(), home=HOME, terms=terms)
    assert first.arrow.equals(again.arrow)
    assert first.key.secrets == again.key.secrets
    assert first.guarantee.delta < 5e-5
    assert first.card.ledger.notice == again.card.ledger.notice == ""
    assert again.card.mechanism.randomness == "none"  # nothing was drawn
    later = sf.trace.protect(trace(3), home=(52.5001, 13.4001), terms=terms)  # as good as anybody knows their own home
    centre = Projection(*later.key.secrets["centre"])
    far = np.hypot(*centre.to_metres(later.arrow["latitude"].to_numpy(), later.arrow["longitude"].to_numpy()).T)
    assert far.min() > 1200.0 - 2.0  # five decimals
    assert later.key.secrets["centre"] == first.key.secrets["centre"]
    cut = sf.trace.protect(trace(5), secrets=["09:00-09:30"], terms=terms)  # another way; the zone stays
    seen = cut.arrow
    far = np.hypot(*centre.to_metres(seen["latitude"].to_numpy(), seen["longitude"].to_numpy()).T)
    assert far.min() > 1200.0 - 2.0
    assert cut.card.mechanism.parameters["zones"] == 1
    assert cut.guarantee.delta == first.guarantee.delta
    assert any("the edge of the zone" in words for words in cut.card.not_covered)


def test_a_zone_is_private_and_never_replaced(terms):
    release = sf.trace.protect(trace(), home=HOME, terms=terms)
    vault = Vault(terms.ledger)
    assert vault.folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files(terms))
    public = release.card.to_json()
    for part in (*release.key.secrets["centre"], *HOME):
        assert f"{part:.5f}" not in public
    with pytest.raises(InputError, match="drawn only once"):
        sf.trace.protect(trace(), home=HOME, epsilon=0.5, terms=terms)
    with pytest.raises(InputError, match="--place"):
        sf.trace.protect(trace(), home=(52.51, 13.4), terms=terms)
    other = sf.trace.protect(trace(), home=(52.5, 13.47), place="work", terms=terms)
    assert other.key.secrets["centre"] != release.key.secrets["centre"]
    assert other.card.mechanism.parameters["zones"] == 1  # beside its own
    kept = {path: path.read_bytes() for path in files(terms)}
    path = next(path for path, content in kept.items() if b"zone of home" in content)
    path.write_bytes(kept[path].replace(b"zone", b"zonE"))
    with pytest.raises(InputError, match="was edited"):
        sf.trace.protect(trace(), home=HOME, terms=terms)
    path.unlink()
    with pytest.raises(InputError, match="restore it from a copy"):
        sf.trace.protect(trace(), home=HOME, terms=terms)
    with pytest.raises(InputError, match="restore it from a copy"):
        sf.trace.protect(trace(9), secrets=["09:00-09:30"], terms=terms)


def test_an_experiment_keeps_nothing(terms):
    release = sf.trace.protect(trace(), home=HOME, terms=terms, rng=np.random.default_rng(1))
    assert release.guarantee.vacuous
    assert files(terms) == []


def test_a_zone_needs_a_ledger_and_something_outside(terms):
    with pytest.raises(InputError, match="a ledger and a subject"):
        sf.trace.protect(trace(), home=HOME)
    still = pa.table({"time": [0.0, 60.0], "latitude": [52.5, 52.5], "longitude": [13.4, 13.4]})
    with pytest.raises(InputError, match="the whole path is hidden"):
        sf.trace.protect(still, home=HOME, terms=terms)


@pytest.mark.parametrize("way", [{"keep_times": True}, {}])
def test_a_release_is_handed_out_again_and_never_made_anew(terms, way):
    options = {"secrets": ["09:00-09:30"], **way}
    first = sf.trace.protect(trace(), terms=terms, **options)
    again = sf.trace.protect(trace(), terms=terms, **options)
    assert again.arrow.equals(first.arrow)
    assert again.card.id == first.card.id
    assert again.key.secrets == first.key.secrets
    with pytest.raises(InputError, match="released before"):
        sf.trace.protect(trace(), terms=terms, secrets=["09:00-09:31"], keep_times=True)
    near = trace().set_column(0, "time", pa.array(trace()["time"].to_numpy() + 10 * HOUR))
    with pytest.raises(InputError, match="within 12 hours"):
        sf.trace.protect(near, terms=terms, secrets=["19:00-19:30"], keep_times=True)
    assert sf.trace.protect(trace(1), terms=terms, **options).card.id != first.card.id
    with Ledger(terms.ledger) as book:
        assert len(book.releases("ann")) == 2


def test_what_is_handed_out_again_is_the_same_to_the_byte(terms, tmp_path):
    day = trace()
    moments = pa.array(day["time"].to_numpy().astype("datetime64[s]")).cast(pa.timestamp("s", tz="UTC"))
    for number in (1, 2):
        release = sf.trace.protect(day.set_column(0, "time", moments), secrets=["09:00-09:30"], terms=terms)
        release.write(tmp_path / f"{number}.csv")
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


def test_a_zone_of_another_size(terms):
    settings = {"reach": 900.0}
    release = sf.trace.protect(trace(), home=HOME, radius=100.0, settings=settings, terms=terms)
    assert release.guarantee.delta < 1e-10
    assert release.card.mechanism.parameters["settings"]["reach"] == 900.0
    drawn = pictures_of(trace(), release)[0].figure.data[0]  # where the attacker of a zone looks, as its card tells
    assert float(np.ptp(drawn.x)) == pytest.approx(2 * 100 * 5.991**0.5, rel=1e-3)
    findings = {one.name: one for one in release.attack(trace())}
    assert findings["home at the centre of its zone"].score.value >= 0
    assert "needs all of them" in findings["posterior localisation"].reason


def test_days_apart_are_paid_for_and_add_up(terms):
    """κ adds up over days that are independent given the place: three days of ε = 1 fit a budget of 3, a fourth not."""
    with Ledger(terms.ledger) as book:
        book.set("ann", InferentialPrivacy(3.0, apart=True))
    for day in (0, 1, 2):
        release = sf.trace.protect(trace(day), secrets=["09:00-09:30"], keep_times=True, terms=terms)
        assert release.card.ledger.paid
    with Ledger(terms.ledger) as book:
        assert book.spent("ann").epsilon == pytest.approx(3.0)
    with pytest.raises(BudgetError, match="only Rényi ε = 0 "):
        sf.trace.protect(trace(3), secrets=["09:00-09:30"], keep_times=True, terms=terms)
    again = sf.trace.protect(trace(1), secrets=["09:00-09:30"], keep_times=True, terms=terms)
    assert again.path is not None  # what was paid for is handed out again


def test_only_promises_of_stretches_apart_add_up():
    apart, near = InferentialPrivacy(0.5, apart=True), InferentialPrivacy(0.5)
    assert compose(apart, apart).epsilon == 1.0
    assert compose(apart, near).vacuous
    assert "repeated_noise" in near.budget_obstacle
    assert InferentialPrivacy(1.0, for_ever=True).settled


def test_one_noise_for_ever(terms):
    options = {"secrets": ["09:00-09:30"], "keep_times": True, "for_ever": True}
    first, second = (sf.trace.protect(trace(day), terms=terms, **options) for day in (0, 1))
    assert first.guarantee.for_ever
    assert second.card.ledger.notice == ""
    (kept,) = [json.loads(path.read_bytes()) for path in files(terms) if path.suffix == ".json"]
    assert kept["name"] == "noise of home"
    assert str(kept["content"]["coefficients"][0][0]) not in first.card.to_json()
    # The same noise but for 25 m of fresh one: the mean difference of 360 points is far below either error.
    apart = first.arrow["latitude"].to_numpy() - second.arrow["latitude"].to_numpy()
    assert abs(apart.mean()) * 111_000 < 6 * 25 * np.sqrt(2 / 360)
    with pytest.raises(InputError, match="it is drawn only once"):
        sf.trace.protect(trace(2), terms=terms, epsilon=2.0, **options)


def test_points_are_left_out_only_on_request(terms):
    table = trace()
    twice = pa.concat_tables([table.slice(0, 5), table.slice(4)])
    with pytest.raises(InputError, match="--dedupe"):
        sf.trace.protect(twice, secrets=["09:00-09:30"])
    release = sf.trace.protect(twice, secrets=["09:00-09:30"], keep_times=True, dedupe=True, thin=120.0)
    assert release.card.release.rows == 180
    assert release.card.mechanism.parameters["dedupe"] is True
    assert release.card.mechanism.parameters["thin"] == 120.0
    found = {one.name: one.score.value for one in release.measure(twice)}
    assert found["path error, m"] > 10
    assert release.key.rows.tolist()[:3] == [0, 2, 4]
