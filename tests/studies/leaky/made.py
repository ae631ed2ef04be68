"""Made rows of solved runs."""

from typing import Any


def solved(uniform: float, leaking: float = 1.0, **columns: Any) -> dict[str, Any]:
    """A solved run with these accuracies on D1 and on D2."""
    return {**columns, "engine": "solve", "curve_uniform": [uniform], "curve_leaking": [leaking]}
