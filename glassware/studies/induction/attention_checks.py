"""What the attention of trained transformers must show (see ``attention``)."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from glassware.studies.induction.shared.layers import first_formed, lead_of_second, second_formed
from glassware.studies.induction.shared.phases import curve
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.verdict import Finding, above, all_of, at_least, at_most, between

LENGTH = 100  # t of the runs that are judged
FEWEST = {"plain": 4, "normed": 10}  # lanes, by form


def looks_back(frame: pl.DataFrame) -> Finding:
    """Attention of the first layer at the beginning and at the end."""
    return _each(frame, _start(), Measure("weight on the previous token", _end("prev_score"), at_least(0.8)))


def looks_back_normed(frame: pl.DataFrame) -> Finding:
    """The same with layer norm, by the largest weight, k = 3."""
    largest = Measure("previous token has the largest weight", _end("prev_argmax"), at_least(0.95))
    follows = Measure("weight on tokens after copies", _end("induction_score"), at_least(0.8))
    return _of(frame, 3, "normed", _start(), largest, follows)


def follows_copies(frame: pl.DataFrame) -> Finding:
    """Attention of the second layer at the end, 0 for even attention to all."""
    start = Measure("at the start", lambda row: curve(row, "induction_norm")[0], at_most(0.1))
    return _each(frame, Measure("normed induction score", _end("induction_norm"), at_least(0.75)), start)


def weighs_all_matches(frame: pl.DataFrame) -> Finding:
    """How evenly the second layer weighs what followed copies; a head that is even to all does not count."""
    return _each(
        frame,
        Measure("evenness", _end("match_evenness"), at_least(0.9)),
        Measure("latest match over an even share", _end("recency"), between(0.3, 1.5)),
        Measure("normed induction score", _end("induction_norm"), at_least(0.5)),
    )


def second_layer_first(frame: pl.DataFrame) -> Finding:
    """Steps between the transplanted second layer and the first layer at work."""
    return _each(
        frame,
        Measure("first layer formed so many steps after the second", lead_of_second, above(0)),
        Measure("second at step", second_formed, at_least(0)),
        Measure("first at step", first_formed, at_least(0)),
    )


# -- shared -----------------------------------------------------------------------------------------------------------


def _start() -> Measure:
    return Measure("largest weight times keys at step 0", lambda row: curve(row, "first_peak")[0], at_most(1.1))


def _end(name: str) -> Callable[[Row], float]:
    """A curve at the last checkpoint."""
    return lambda row: float(curve(row, name)[-1])


def _of(frame: pl.DataFrame, states: int, form: str, *measures: Measure) -> Finding:
    return each_lane(lanes(frame, length=LENGTH, states=states, form=form), FEWEST[form], *measures)


def _each(frame: pl.DataFrame, *measures: Measure) -> Finding:
    """Every lane of two and of three states; a table has runs of one form."""
    form = "normed" if len(lanes(frame, length=LENGTH, form="normed")) else "plain"
    found = {k: _of(frame, k, form, *measures) for k in (2, 3)}
    return all_of([*found.values()], "; ".join(f"k = {k}: {finding.detail}" for k, finding in found.items()))
