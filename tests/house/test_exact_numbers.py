"""What is charged is what arrived: no mechanism makes doubles of its data before the sensitivity is charged.

A cast of 2⁶⁰ + 1 to double moves it by up to 128, and a promise for a sensitivity of 1 is void. Data comes in through
``exact_array`` or ``finite_array``, which keep every number or refuse it. All other casts are listed here with the
reason why no datum passes through them.
"""

from __future__ import annotations

import ast
from pathlib import Path

from helpers import ROOT

SOURCE = ROOT / "src" / "sfumato"
FOLDERS = [SOURCE / "mechanism", SOURCE / "noise", *sorted(SOURCE.glob("*/mechanisms"))]

ALLOWED = {
    "direction/mechanisms/bayesian_remap.py BayesianRemap.fit": "public data",
    "noise/choice.py _propose": "random bits",
    "noise/choice.py _propose_from": "random bits",
    "noise/discrete_sampler.py _strips": "counts of a table that knows no data",
    "noise/discrete_sampler.py _try_strips": "random bits",
    "noise/grid.py add_on_grid": "two whole numbers that the exact noisy sum fixes",
    "noise/grid.py add_units": "noise; from 2^53 on Python integers are taken",
    "statistic/mechanisms/mean.py Mean.finish": "noisy totals",
    "statistic/mechanisms/moment_correlation.py MomentCorrelation.read": "noisy moments",
    "statistic/mechanisms/quantile.py Quantile._scores": "counts of up to 2^31 records times 2^20",
    "statistic/mechanisms/sum.py Sum.finish": "noisy totals",
    "statistic/mechanisms/variance.py Variance.finish": "noisy totals",
    "statistic/mechanisms/variance.py Variance.totals": "grid steps up to 2^30, rounded record by record",
    "survey/mechanisms/hadamard_response.py HadamardResponse.estimate": "reports, which are protected already",
    "text/mechanisms/retrieve/depth_law.py DepthLaw.draw": "depths, which are small whole numbers",
    "text/mechanisms/retrieve/minilm_encoder.py MiniLMEncoder.encode": "vectors of single precision become longer",
    "text/mechanisms/retrieve/recoder_network.py Recoder.__call__": "doubles already",
    "text/mechanisms/retrieve/word_table_encoder.py _files": "the public table of token vectors",
    "text/mechanisms/syntf/cosine_rating.py CosineRating.units": "the public vocabulary",
    "text/mechanisms/syntf/rating.py Rating.matrix": "public ratings",
    "text/mechanisms/words/word_laplace.py WordLaplace._decode": "the public vocabulary",
    "text/mechanisms/words/word_mahalanobis.py WordMahalanobis._roots": "the public vocabulary",
    "text/mechanisms/words/word_mahalanobis.py WordMahalanobis._space": "the public vocabulary",
    "trace/mechanisms/remapped_planar.py RemappedPlanar._smoother": "times, which are public",
    "trace/mechanisms/remapped_planar.py RemappedPlanar.release": "times, which are public",
    "trace/mechanisms/remapped_planar.py RemappedPlanar.undo": "a release, which is protected already",
    "trace/mechanisms/trace_noise.py TraceNoise._covariances": "times, which are public",
}
"""Where, and why no datum is changed there."""


def is_double(node: ast.expr) -> bool:
    """Whether an expression names the type of doubles."""
    return ast.unparse(node) in ("float", "np.float64", "'float'", "'float64'", "np.double", "np.float_")


def is_cast(node: ast.AST) -> bool:
    """Whether a node makes doubles of an array."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "float64" and ast.unparse(node.func) == "np.float64":
        return True
    if node.func.attr not in ("astype", "asarray", "array", "ascontiguousarray", "asfarray"):
        return False
    types = [*node.args[:1], *node.args[1:2]] if node.func.attr == "astype" else node.args[1:2]
    return any(is_double(one) for one in [*types, *(word.value for word in node.keywords if word.arg == "dtype")])


def casts_in(file: Path) -> set[str]:
    """The places where a file makes doubles, as ``folder/file.py Class.function``. A ``log_…`` is a law."""
    found = set()

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inside = f"{name}.{child.name}" if isinstance(child, ast.FunctionDef | ast.ClassDef) else name
            if is_cast(child) and "log_" not in inside:
                found.add(f"{file.relative_to(SOURCE).as_posix()} {inside.lstrip('.')}")
            visit(child, inside)

    visit(ast.parse(file.read_text(encoding="utf-8")), "")
    return found


def test_no_cast_before_the_sensitivity_is_charged() -> None:
    found = {place for folder in FOLDERS for file in folder.rglob("*.py") for place in casts_in(file)}
    assert found - ALLOWED.keys() == set(), "take exact_array or finite_array, or list it here with its reason"
    assert ALLOWED.keys() - found == set(), "listed, but no longer there"


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    for text in (
        "np.asarray(data).astype(float)",
        "data.astype(np.float64, copy=False)",
        "data.astype(dtype='float64')",
        "np.array(data, dtype=float)",
        "np.asarray(data, np.float64)",
        "np.float64(data)",
    ):
        assert is_cast(ast.parse(text).body[0].value), text  # type: ignore[attr-defined]
    for text in ("data.astype(np.int64)", "np.asarray(data)", "finite_array('data', data)", "float(x)"):
        assert not is_cast(ast.parse(text).body[0].value), text  # type: ignore[attr-defined]
