"""Studies asked for in TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.toy_study import toy_study
from sfumato.errors import InputError
from sfumato.registry import rooms
from sfumato.study import Recipe, Room
from sfumato.study import request as study_file
from sfumato.study.request import Request, build_study, read_request


@pytest.fixture
def toy_room(monkeypatch: pytest.MonkeyPatch) -> Room:
    recipes = [
        Recipe(name="bits", summary="Bits.", build=lambda *, n=100, epsilon=1.0: toy_study(n=n, fail_at=-epsilon)),
        Recipe(name="more", summary="More bits.", build=lambda: toy_study()),
    ]
    room = Room(name="toy", summary="Toys.", recipes=recipes, commands={}, examples="toy")
    monkeypatch.setattr(study_file, "find_room", lambda name: room)
    return room


def test_an_order_is_read(tmp_path: Path, toy_room: Room) -> None:
    path = tmp_path / "study.toml"
    path.write_text('room = "toy"\nseeds = 7\nworkers = 2\nout = "here"\n[options]\nn = 50\n')
    request = read_request(path)
    assert request == Request(room="toy", seeds=7, workers=2, out=str(tmp_path / "here"), options={"n": 50})
    recipe, study = build_study(request)
    assert (recipe.name, study.seeds, len(study.data())) == ("bits", 7, 50)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        (b"room = ", "is not TOML"),
        (b'room = "\xff"', "is not UTF-8"),
        (b"seeds = 1", "names no room"),
        (b'room = "toy"\nsedes = 1', "no option 'sedes': did you mean 'seeds'"),
        (b'room = "toy"\nseeds = 0', "seeds = 0"),
        (b'room = "toy"\nseeds = "many"', "seeds = 'many'"),
        (b'room = "toy"\noptions = 3', "options = 3"),
        (b"room = 3", "room = 3"),
    ],
)
def test_bad_orders_are_one_line(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(text)
    with pytest.raises(InputError, match=message) as caught:
        read_request(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_unknown_recipes_and_options(toy_room: Room) -> None:
    with pytest.raises(InputError, match="recipe = 'bitz': expected one of bits, more"):
        build_study(Request(room="toy", recipe="bitz"))
    with pytest.raises(InputError, match="recipe bits has no option 'epsilom': did you mean 'epsilon'"):
        build_study(Request(room="toy", options={"epsilom": 1}))
    with pytest.raises(InputError, match="recipe more has no option 'n': expected none"):
        build_study(Request(room="toy", recipe="more", options={"n": 1}))


def test_unknown_rooms_are_named() -> None:
    with pytest.raises(InputError, match="room = 'nowhere'"):
        build_study(Request(room="nowhere"))
    assert "nowhere" not in rooms()
