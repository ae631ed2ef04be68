"""Numbers past which a typing mistake is likelier than a plan, refused before anything is built.

A run of a plan takes about a kilobyte, so two million of them fit a laptop; the largest grid of a paper here has
1,454,625.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from glassware.foundation.errors import GlasswareError
from glassware.foundation.explain import short

MOST_RUNS = 2_000_000  # of one plan
MOST_LANES = 2**20  # a GPU gains nothing past a sixteenth of it
MOST_SEEDS = 1_000_000
DEEPEST = 32  # tables within tables; no specification needs more than four
MOST_TRIALS = 1_000_000  # of one search, and tries of a trial

MOST = {"seeds": MOST_SEEDS, "lanes": MOST_LANES, "budget": MOST_TRIALS, "trials": MOST_TRIALS, "tries": MOST_TRIALS}


def check_counts(**counts: int | None) -> None:
    """Refuse numbers below 1, and those that are too large to be meant, by name."""
    for name, value in counts.items():
        if value is not None and value < 1:
            raise GlasswareError(f"{name} must be at least 1, not {short(value)}")
        most = MOST.get(name)
        if value is not None and most is not None and value > most:
            raise GlasswareError(f"{name} must be at most {most:,}, not {short(value)}")


def check_runs(factors: Iterable[int], what: str, hint: str = "split it") -> None:
    """Refuse a plan of too many runs.

    Args:
        factors: sizes whose product is the number of runs.
        what: has them, as ``the grid``.
        hint: what to do about it.
    """
    count = 1
    for factor in factors:
        count *= factor
    if count > MOST_RUNS:
        text = f"{count:,}" if count < 10**15 else "far too many"  # thousands of digits cannot be written
        raise GlasswareError(f"{what} has {text} runs, more than {MOST_RUNS:,}; {hint}")


def check_depth(plain: Mapping[str, object]) -> None:
    """Refuse tables nested deeper than any specification; recursion over them would not end well."""
    level: list[object] = [plain]
    for _ in range(DEEPEST):
        level = list({id(inner): inner for one in level for inner in _inside(one)}.values())
        if not level:
            return
    raise GlasswareError(f"a specification must not be nested more than {DEEPEST} deep")


def _inside(value: object) -> Iterable[object]:
    """The tables and lists that a value holds."""
    held = value.values() if isinstance(value, Mapping) else value
    return [one for one in held if isinstance(one, Mapping | list | tuple)] if isinstance(held, Iterable) else ()
