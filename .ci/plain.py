"""Run a command as if the processor had no vector extensions beyond its family's first ones.

    python .ci/plain.py python -m pytest tests/survey

What a program computes must not depend on them. numpy, OpenBLAS, numba and torch each have a switch of their own.
"""

from __future__ import annotations

import os
import platform
import sys

try:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
except ImportError:  # numpy 1
    from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__

os.environ["NPY_DISABLE_CPU_FEATURES"] = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = "generic", ""
os.environ["ATEN_CPU_CAPABILITY"] = "default"
os.environ["OPENBLAS_CORETYPE"] = "Prescott" if platform.machine() in {"x86_64", "AMD64"} else "ARMV8"
os.execvp(sys.argv[1], sys.argv[1:])
