"""Build the wheel, install it with each extra alone, and run the examples of the pages that belong to this extra.

    python .ci/wheel.py                  # every extra
    python .ci/wheel.py table trace      # some; core is the package without extras

Run it with the development environment, which makes the pages' sample files. Each command either works or says in one
line which other extra it needs. Printed at the end: the size of each environment, the seconds to make it, and how many
examples ran.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import chdir
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".matrix" / "wheel"
sys.path.insert(0, str(ROOT / "tests"))

from helpers.sample_files import FILES  # noqa: E402
from house.test_shell_blocks import PARSED, commands  # noqa: E402

PAGES = {
    "core": ("promise", "mechanism", "noise", "ledger", "statistic", "cli"),
    "report": ("study", "statistic"),
    "table": ("table",),
    "activity": ("activity",),
    "direction": ("direction",),
    "trace": ("trace",),
    "text": ("text", "scrub"),
    "encode": ("documents",),
    "search": ("documents",),
    "neural": ("rewriting",),
    "model": ("model",),
    "sign": ("release",),
    "party": ("party",),
    "office": ("files",),
    "gpx": ("files",),
    "documents": ("scrub", "files"),
}
NAMED = re.compile(r"pip install 'sfumato\[\w+\]'")


def main(extras: list[str]) -> int:
    """Try every extra and print one line each."""
    HOME.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(HOME), str(ROOT)], check=True
    )
    wheel = max(HOME.glob("sfumato-*.whl"), key=lambda file: file.stat().st_mtime)
    rows, failed = [], 0
    for extra in extras or PAGES:
        start = time.monotonic()
        python = _environment(extra, wheel)
        seconds, size = time.monotonic() - start, _size(HOME / extra)
        ran, named, wrong = _examples(extra, python)
        failed += len(wrong)
        rows.append(f"{extra:<12} {size / 1e6:7.0f} {seconds:8.0f} {ran:5d} {named:14d} {len(wrong):7d}")
        print(*wrong, sep="\n")
    print("\nextra             MB  seconds   ran  named another  failed", *rows, sep="\n")
    return int(failed > 0)


def _environment(extra: str, wheel: Path) -> Path:
    home = HOME / extra
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
    python = home / "bin" / "python"
    wanted = str(wheel) if extra == "core" else f"{wheel}[{extra}]"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", wanted], check=True)
    return python


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


def _examples(extra: str, python: Path) -> tuple[int, int, list[str]]:
    """How many commands ran, how many named another extra, and what went wrong."""
    ran, named, wrong = 0, 0, []
    for page in PAGES[extra]:
        folder = Path(tempfile.mkdtemp(prefix=f"sfumato-{extra}-"))
        with chdir(folder):
            for make in FILES.get(page, ()):
                make()
        for line in commands(ROOT / "docs" / f"{page}.md"):
            if PARSED.match(line):
                continue
            typed = line.replace("sfumato ", f"{shlex.quote(str(python))} -m sfumato ", 1)
            done = subprocess.run(["bash", "-c", typed], cwd=folder, capture_output=True, text=True)
            if done.returncode == 0:
                ran += 1
            elif NAMED.search(done.stderr) and "Traceback" not in done.stderr:
                named += 1
            else:
                wrong.append(f"{extra}: {page}.md: {line}\n    {done.stderr.strip()[-300:]}")
        shutil.rmtree(folder)
    return ran, named, wrong


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
