"""What several tests share: oracles, strategies, toy studies, and where things are."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
DOCS = ROOT / "docs"
SPECIMENS = TESTS / "specimens"
