"""Run a peer library in a virtual environment of its own, made on demand, so that peers cannot break each other.

    from peers import run_peer
    seconds = run_peer("opendp", ["opendp>=0.12"], CODE)["seconds"]

``CODE`` is a Python program that prints one JSON object on its last line. Environments live in
``.bench/`` and are kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / ".bench"


def peer_python(name: str, requirements: list[str]) -> Path:
    """The interpreter of the peer's environment, which is created and filled on first use."""
    home = ROOT / name
    python = home / "bin" / "python"
    stamp = home / "requirements.txt"
    wanted = "\n".join(requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *requirements], check=True)
        stamp.write_text(wanted)
    return python


def run_peer(name: str, requirements: list[str], code: str, *, timeout: float = 600) -> dict[str, float]:
    """Run ``code`` with the peer's interpreter on one thread and return the JSON object it prints last."""
    python = peer_python(name, requirements)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [str(python), "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **threads},
    )
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
