"""A study of a few tiny runs in two stages, with a claim of every verdict."""

import altair as alt

from glassware.foundation.statistics import Estimate
from glassware.studies import Claim, Finding, Study
from glassware.studies.verdict import NOT_ENOUGH, at_least
from glassware.sweeps import grid
from tests.helpers import TINY, tiny

ALL = ("smoke", "laptop", "paper")


def first(scale, seeds, _):
    return grid(TINY, {"model.width": [8, 4]}, seeds=seeds or 2)


def second(scale, seeds, rows):
    """As many runs as the first stage had rows, on other data."""
    return [tiny(m=50, seed=i) for i in range(len(rows))]


def claim(name, holds, scales=ALL):
    needed = at_least(0.2) if holds else at_least(0.8)
    check = lambda frame: (
        NOT_ENOUGH if holds is None else Finding(Estimate(0.5, 0.25, 0.75), needed, "points", "1 of 2")
    )
    return Claim(name, f"It is said that {name}", "Section 1", needed.words("points"), check, scales)


CLAIMS = (claim("true", True), claim("false", False), claim("rare", None), claim("large", True, ("paper",)))
WIDTHS = {"widths": lambda frame: alt.Chart(frame.select("width", "test_error")).mark_point().encode(x="width:O")}
STUDY = Study("test/tiny", "Two widths of a small network", "About.", (first, second), CLAIMS, WIDTHS)
