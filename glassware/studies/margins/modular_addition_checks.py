"""What is measured on networks that learned modular addition, and what it must meet."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.foundation.statistics import difference_of_means
from glassware.studies.lanes import Measure, each_lane, span
from glassware.studies.margins.shared.curves import Row, alive, array, lanes, last
from glassware.studies.margins.shared.cyclic import HALF, LAMBDA, SHORT, TEXT
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_least, at_most, below, between
from glassware.theory.margins.finite import finite_lambda_tied
from glassware.theory.margins.optimum import max_margin_cyclic

HIGHEST = 1 + 1e-4  # no normalised margin exceeds gamma* by more than rounding


def margin_ratio(low: float) -> Measure:
    """The normalised margin over gamma*."""
    return Measure("ratio", lambda row: last(row, "margin_ratio"), between(low, HIGHEST))


def loss_ratio(p: int, off: float) -> Measure:
    """Cross-entropy over that of the exact minimum at this lambda."""
    best = finite_lambda_tied(max_margin_cyclic(p), p, LAMBDA).cross_entropy
    return Measure(
        "cross-entropy over predicted", lambda row: row["test_cross_entropy"] / best, between(1 - off, 1 + off)
    )


def least_power(least: float, parts: str = "uvw") -> Measure:
    """The smallest largest power among the alive neurons' u, v and w."""
    return Measure(
        f"least power of {', '.join(parts)} (alive)",
        lambda row: min(array(row, f"power_{part}")[alive(row)].min() for part in parts),
        at_least(least),
    )


def same_frequency() -> Measure:
    """How many alive neurons have another frequency in v or w than in u."""
    return Measure("neurons of several frequencies", _strays, at_most(0))


def mean_power(part: str, low: float, high: float) -> Measure:
    """The mean over all neurons of the largest power of one part."""
    return Measure(f"mean power of {part}", lambda row: array(row, f"power_{part}").mean(), between(low, high))


def high_power(bound: float) -> Measure:
    """The 99th percentile over all neurons of the largest power of u."""
    return Measure("99th percentile", lambda row: np.quantile(array(row, "power_u"), 0.99), below(bound))


def phase(most: float) -> Measure:
    """The largest phase defect of an alive neuron."""
    return Measure(
        "largest phase defect", lambda row: np.abs(array(row, "phase_defect")[alive(row)]).max(), at_most(most)
    )


def _strays(row: Row) -> int:
    u, v, w = (array(row, f"irrep_{part}")[alive(row)] for part in "uvw")
    return int(np.sum((u != v) | (u != w)))


# -- claims -----------------------------------------------------------------------------------------------------------


def _square(frame: pl.DataFrame, p: int, steps: int) -> list[Row]:
    return lanes(frame, group=f"Z_{p}", activation="square", steps=steps)


def _relu(frame: pl.DataFrame, p: int, steps: int) -> list[Row]:
    return lanes(frame, group=f"Z_{p}", activation="relu", steps=steps)


def margin_13(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_13 whose normalised margin is gamma* up to 0.1%."""
    return each_lane(_square(frame, 13, HALF.steps), 8, margin_ratio(0.999))


def loss_13(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_13 whose cross-entropy is that of the exact minimum up to 1%."""
    return each_lane(_square(frame, 13, HALF.steps), 8, loss_ratio(13, 0.01))


def one_frequency_13(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_13 whose weight lies on neurons of one frequency, the same in u, v and w."""
    pure = Measure("least weighted power", lambda row: last(row, "weighted_power").min(), at_least(0.999))
    return each_lane(_square(frame, 13, HALF.steps), 8, pure, same_frequency())


def margin_23(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_23 whose normalised margin is at least 0.998 gamma*."""
    return each_lane(_square(frame, 23, HALF.steps), 5, margin_ratio(0.998))


def loss_23(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_23 whose cross-entropy is that of the exact minimum up to 2%."""
    return each_lane(_square(frame, 23, HALF.steps), 5, loss_ratio(23, 0.02))


def one_frequency_23(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_23 in which every alive neuron has one frequency, the same in u, v and w."""
    return each_lane(_square(frame, 23, HALF.steps), 5, least_power(0.99), same_frequency())


def form_23(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_23 whose alive neurons have phases that add up and u, v, w of one length."""
    even = Measure("largest ratio of norms", lambda row: array(row, "balance")[alive(row)].max(), at_most(1.01))
    return each_lane(_square(frame, 23, HALF.steps), 5, phase(0.01), even)


def start_23(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_23, both networks, whose mean power of u before the first step is below 0.4."""
    return _start(_square(frame, 23, HALF.steps) + _relu(frame, 23, HALF.steps), 8)


def start_71(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_71, both networks, whose mean power of u before the first step is below 0.4."""
    return _start([row for steps in (SHORT.steps, TEXT.steps) for row in _both(frame, 71, steps)], 6)


def relu_powers_23(frame: pl.DataFrame) -> Finding:
    """ReLU lanes on Z_23 that are nearly, not exactly, of one frequency, and make no error."""
    right = Measure("error", lambda row: row["test_error"], at_most(0))
    return each_lane(_relu(frame, 23, HALF.steps), 3, mean_power("u", 0.90, 0.95), high_power(0.98), right)


def relu_form_23(frame: pl.DataFrame) -> Finding:
    """ReLU lanes on Z_23 whose w is purer than u and longer by sqrt(2), with phases that nearly add up."""
    longer = Measure("median ||w||/||u||", lambda row: np.median(array(row, "w_over_u")), between(1.40, 1.43))
    return each_lane(_relu(frame, 23, HALF.steps), 3, mean_power("w", 0.97, 0.995), longer, phase(0.15))


def contrast_23(frame: pl.DataFrame) -> Finding:
    """Mean power of u of the square network minus that of ReLU, Z_23."""
    return _contrast(_square(frame, 23, HALF.steps), _relu(frame, 23, HALF.steps))


def contrast_71(frame: pl.DataFrame) -> Finding:
    """Mean power of u of the square network minus that of ReLU, Z_71."""
    pairs = [(_square(frame, 71, steps), _relu(frame, 71, steps)) for steps in (SHORT.steps, TEXT.steps)]
    found = [_contrast(*pair) for pair in pairs if all(pair)]
    return found[0] if len(found) == 1 else NOT_ENOUGH


def short_71(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_71 that get to 0.8 gamma* on the short schedule with alive neurons of one frequency."""
    return each_lane(_square(frame, 71, SHORT.steps), 3, margin_ratio(0.8), least_power(0.98, "u"))


def short_relu_71(frame: pl.DataFrame) -> Finding:
    """ReLU lanes on Z_71, short schedule, that are nearly, not exactly, of one frequency."""
    return each_lane(_relu(frame, 71, SHORT.steps), 3, mean_power("u", 0.85, 0.96), high_power(0.99))


def margin_71(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_71 whose normalised margin is at least 0.93 gamma* after 40,000 steps."""
    return each_lane(_square(frame, 71, TEXT.steps), 5, margin_ratio(0.93), loss_ratio(71, 0.02))


def one_frequency_71(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_71 in which at least 95% of all neurons and every alive one have one frequency."""
    pure = Measure("share of pure neurons", lambda row: np.mean(array(row, "power_u") >= 0.99), at_least(0.95))
    return each_lane(_square(frame, 71, TEXT.steps), 5, pure, least_power(0.99, "u"))


def relu_powers_71(frame: pl.DataFrame) -> Finding:
    """ReLU lanes on Z_71 that are nearly, not exactly, of one frequency."""
    return each_lane(_relu(frame, 71, TEXT.steps), 5, mean_power("u", 0.85, 0.96), high_power(0.99))


def _both(frame: pl.DataFrame, p: int, steps: int) -> list[Row]:
    return _square(frame, p, steps) + _relu(frame, p, steps)


def _start(rows: list[Row], fewest: int) -> Finding:
    spread = Measure("mean power of u at first", lambda row: array(row, "first_power").mean(), below(0.4))
    return each_lane(rows, fewest, spread)


def _contrast(square: list[Row], relu: list[Row]) -> Finding:
    means = [[float(array(row, "power_u").mean()) for row in rows] for rows in (square, relu)]
    said = f"square {span(means[0])}; ReLU {span(means[1])}"
    if any(row["diverged_step"] is not None for row in square + relu):
        return Finding(difference_of_means(*means), "fails", "", f"a lane diverged; {said}")
    return Finding(difference_of_means(*means), at_least(0.03), "", said)
