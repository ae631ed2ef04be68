"""Theorem 4 end to end: over-sparse neurons, one step that erases them, a convex readout.

A neuron has s > k ones; it is good if S lies among them. One step replaces its weights by +-1/2k on S and by a share
(k-1)/(s-k) of that on its other ones. The parity of the relevant sum is then a combination of good neurons with
different biases. Few ones make good neurons rare, so the network must be wide, but their signal is strong, so few
examples will do; many ones the other way round: width (n/s)^k is traded for data n^2 (s/k)^(k-1).

Stages: the first step on a full batch, after which a probe solves for the readout by least squares; then the theorem's
own descent of the readout, from the weights of the step and on its sample. The exact step is a closed form, and the
search for the number of examples (paper scale) goes up to 10^7 of them, in networks of up to 35 million neurons
of which a few are good: both stay computed, their readouts solved.

Grids
    paper   n = 61, 121, 241, k = 2 and 4, s from 9 up, 20 trials: the examples a test error of 10% needs, by doubling.
    laptop  n = 61, k = 2: s = 9 with r = 400, s = 41 with r = 60, on 3,000 and 30,000 examples, readout by least
            squares, 10 seeds; readout by the theorem's descent on 3,000 examples, 3 seeds. (n, k, s) = (401, 2, 301)
            and (301, 4, 201), exact first step, bias offsets 1/16 and 1. Readouts for k = 2 to 10. Gradients of all
            kinds of neurons at n = 11, 12 by enumeration.
    smoke   n = 21, k = 2, 2,000 examples, both readouts.

Decisions where the paper is silent
    Bias levels start at j = 0: without it (as printed) not even the signs of the parity can be represented. Offset 1 in
    place of 1/16, which makes the readout's weights explode. The theorem's constants are far out of reach (see
    ``theory.over_sparse_bounds``), so widths and samples are chosen here; error is the mean over seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from glassware import charts
from glassware.charts.labels import number
from glassware.foundation.statistics import (
    Estimate,
    difference_of_means,
    mean_share,
    power_law_exponent,
    ratio_of_means,
)
from glassware.models import Init, Paired
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.resampled import resampled
from glassware.studies.study import Study
from glassware.studies.theory.over_sparse_rows import exact_row, gradient_rows, readout_rows, samples_for
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, all_within, at_least, at_most, below, between
from glassware.tasks import Parity
from glassware.theory.pareto.over_sparse import step_size
from glassware.theory.pareto.over_sparse_readout import PRINTED_OFFSET, biases, over_sparse_readout
from glassware.training import L2, SGD, Evaluation, Inverse, Run, Start

K = 2
WIDE, NARROW = (9, 400), (41, 60)  # s, width
INPUTS: dict[Scale, int] = {"smoke": 21, "laptop": 61, "paper": 61}
NETWORKS: dict[Scale, tuple[tuple[int, int], ...]] = {
    "smoke": ((5, 100), (15, 40)),
    "laptop": (WIDE, NARROW),
    "paper": (WIDE, NARROW),
}
SAMPLES: dict[Scale, tuple[int, ...]] = {"smoke": (2000,), "laptop": (3000, 30_000), "paper": (3000, 30_000)}
REPEATS: dict[Scale, int] = {"smoke": 1, "laptop": 10, "paper": 20}
FIRST_SEED, DESCENTS = 100, 3
STEPS, LOSS = 500, 0.5  # of the descent; the loss that its penalty aims for
EXACT = ((401, 2, 301), (301, 4, 201))
READOUTS = {"least-squares": ("constant", "solved_error"), "descent": ("inverse", "test_error")}  # schedule, column


def first_steps(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """One step on a sample; its penalty erases the ones, biases and readout stay."""
    return [
        _run(
            INPUTS[scale], s, width, m, seed,
            penalty=(L2(weight=1 / (2 * step_size(K, s)), leaves="0.w"),),
            optimiser=SGD(lr=step_size(K, s), layer_rates=(1, 0)),
            steps=1,
            probes=("solved_readout",),
            keep=("final",),
        )
        for s, width in NETWORKS[scale]
        for m in SAMPLES[scale]
        for seed in _seeds(scale, seeds)
    ]  # fmt: skip


def descents(scale: Scale, seeds: int | None, stepped: pl.DataFrame) -> list[Run]:
    """The theorem's readout on the smaller sample: strongly convex descent from zero."""
    decay = LOSS / over_sparse_readout(K).norm ** 2
    chosen = list(_seeds(scale, seeds)[:DESCENTS])
    return [
        _run(
            row["n"], row["s"], row["width"], row["m"], row["seed"],
            outgoing=0.0,
            start=Start(run=row["id"], leaves=("0.*",)),
            optimiser=SGD(lr=1 / decay, weight_decay=decay, layer_rates=(0, 1), schedule=Inverse()),
            steps=STEPS,
        )
        for row in where(stepped, m=SAMPLES[scale][0]).iter_rows(named=True)
        if row["seed"] in chosen
    ]  # fmt: skip


def _run(n: int, s: int, width: int, m: int, seed: int, *, steps: int, outgoing: float = 1.0, **how: Any) -> Run:
    """A run on the sample that all runs of this network and seed share."""
    return Run(
        task=Parity(n=n, k=K),
        m=m,
        model=Paired(width=width, levels=tuple(biases(K).tolist()), outgoing=outgoing, frozen_biases=True),
        init=Init(scheme="sparse", s=s),
        batch="full",
        steps=steps,
        evaluation=Evaluation(every=steps, stop=False),
        seed=seed,
        pairing=f"over-sparse {n} {K} {s} {width} {m}",
        **how,
    )


def _seeds(scale: Scale, seeds: int | None) -> range:
    return range(FIRST_SEED, FIRST_SEED + (seeds or REPEATS[scale]))


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """Readouts, gradients, the two offsets, and the examples needed."""
    repeats, rows = _seeds(scale, seeds), [*readout_rows(), *gradient_rows()]
    if scale != "smoke":
        offsets = (PRINTED_OFFSET, 1.0)
        rows += [exact_row(*size, offset, seed) for size in EXACT for offset in offsets for seed in repeats[:3]]
    if scale == "paper":
        rows += [
            {"part": "samples", "n": n, "k": k, "s": s, "seed": seed, "m": samples_for(n, k, s, seed)}
            for n in (61, 121, 241) for k in (2, 4) for s in (9, 15, 25, 41, 61) for seed in repeats
        ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


# -- claims -----------------------------------------------------------------------------------------------------------


def _part(frame: pl.DataFrame, part: str, **columns: object) -> pl.DataFrame:
    found = where(frame, part=part)
    return where(found, **columns) if len(found) else found


def _trained(frame: pl.DataFrame, readout: str, **columns: object) -> pl.DataFrame:
    """Networks with their ``error`` under one of ``READOUTS``."""
    schedule, error = READOUTS[readout]
    if error not in frame.columns:
        return frame.clear()
    return where(frame, schedule=schedule, **columns).with_columns(error=error).drop_nulls("error")


def gradients(frame: pl.DataFrame) -> Finding:
    """Largest distance of a closed form from enumeration."""
    found = _part(frame, "gradient")
    return all_within(found["gap"].to_list() if len(found) else [], 1e-12)


def _readout(frame: pl.DataFrame, form: str, ks: tuple[int, ...]) -> Finding:
    """Largest residual of the best readout over k, and whether some readout has the parity's signs."""
    found = _part(frame, "readout", form=form).filter(pl.col("k").is_in(ks))
    if not len(found):
        return NOT_ENOUGH
    possible = bool(found["representable"].all())
    norms = ", ".join(f"{v:.4g}" for v in found["norm"])
    text = f"signs {'representable' if possible else 'not representable'}; norms {norms}"
    return all_of([
        Finding(Estimate.exact(max(found["residual"].to_list())), below(1e-6), "", text),
        Finding(Estimate.exact(float(possible)), at_least(1), "", text),
    ])  # fmt: skip


def corrected_readout(frame: pl.DataFrame) -> Finding:
    """Largest residual of the parity on the corrected features, k = 2 to 10."""
    return _readout(frame, "corrected", (2, 4, 6, 8, 10))


def printed_readout(frame: pl.DataFrame) -> Finding:
    """Largest residual of the parity on the printed features, k = 4, 6, 8."""
    return _readout(frame, "printed", (4, 6, 8))


def printed_offset(frame: pl.DataFrame) -> Finding:
    """Mean error at (301, 4, 201) with the printed offset, exact first step."""
    found = _part(frame, "offset", k=4)
    if not len(found):
        return NOT_ENOUGH
    small, one = (found.filter(pl.col("offset") == value)["error"].to_list() for value in (PRINTED_OFFSET, 1.0))
    return Finding(mean_share(small), at_most(0.1), "points", f"offset 1: {np.mean(one):.1%}")


def trade_off(frame: pl.DataFrame) -> Finding:
    """Mean error of sparse and wide over that of dense and narrow, 3,000 examples."""
    few, many = (
        _trained(frame, "least-squares", s=s, m=3000)["error"].to_list() if "s" in frame.columns else []
        for s in (WIDE[0], NARROW[0])
    )
    if not few or not many:
        return NOT_ENOUGH
    ratio = ratio_of_means(few, many)
    text = "; ".join(
        f"s = {s}: mean {np.mean(v):.2%}, median {np.median(v):.2%}" for s, v in ((WIDE[0], few), (NARROW[0], many))
    )
    return Finding(ratio, at_most(1 / 3), "times", text)


def more_data(frame: pl.DataFrame) -> Finding:
    """Larger mean error of the two networks on 30,000 examples; and by how much that of the narrow one has fallen."""
    few, many = (_trained(frame, "least-squares", m=m) for m in (3000, 30_000))
    before, after = (where(found, s=NARROW[0])["error"].to_list() if len(found) else [] for found in (few, many))
    if not before or not after:
        return NOT_ENOUGH
    fall = Finding(difference_of_means(before, after), above(0), "points", f"fall of the error at s = {NARROW[0]}")
    return all_of([_both_at_most(many, 0.1), fall])


def descent_works(frame: pl.DataFrame) -> Finding:
    """Larger mean error of the theorem's own readout, 3,000 examples."""
    return _both_at_most(_trained(frame, "descent"), 0.25)


def _both_at_most(found: pl.DataFrame, limit: float) -> Finding:
    """Whether the mean errors of both networks are at most this, the larger first."""
    cells = found.partition_by("s", maintain_order=True) if len(found) else []
    if len(cells) < 2:
        return NOT_ENOUGH
    errors = {cell["s"][0]: mean_share(cell["error"].to_list()) for cell in cells}
    text = ", ".join(f"s = {s}: {e.value:.1%}" for s, e in errors.items())
    worst_first = sorted(errors.values(), key=lambda error: -error.value)
    return all_of([Finding(error, at_most(limit), "points", text) for error in worst_first])


def samples_exponent(frame: pl.DataFrame) -> Finding:
    """Exponent of the examples in s minus k - 1, for the (n, k) where it is furthest off."""
    found, texts = [], []
    for cell in _part(frame, "samples").partition_by("n", "k", maintain_order=True):
        n, k = cell["n"][0], cell["k"][0]
        exponent = resampled(cell, ["s"], _exponent)
        found.append(Estimate(*(end - k + 1 for end in exponent)))
        texts.append(f"({n}, {k}): {exponent.value:.2f}")
    if not found:
        return NOT_ENOUGH
    worst_first = sorted(found, key=lambda off: -abs(off.value))
    return all_of([Finding(off, between(-0.5, 0.5), "", "; ".join(texts)) for off in worst_first])


def _exponent(rows: pl.DataFrame) -> float:
    return power_law_exponent(rows["s"].to_numpy(), rows["m"].to_numpy())


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
CLAIMS = (
    Claim("gradients", "First gradients are as computed", "Lemmas 8 and 9", "to 1e-12", gradients, EVERYWHERE),
    Claim("readout", "The features of good neurons express the parity", "Lemma 11, corrected biases",
          "residual < 1e-6, k = 2 to 10", corrected_readout, EVERYWHERE),
    Claim("readout-printed", "The features of good neurons express the parity", "Lemma 11, as printed",
          "residual < 1e-6 and signs representable, k = 4, 6, 8", printed_readout, EVERYWHERE),
    Claim("offset-printed", "An offset of 1/16 is enough", "Section B.2, as printed",
          "mean error ≤ 10% at (301, 4, 201), exact first step", printed_offset),
    Claim("trade-off", "Width buys data: sparse and wide needs fewer examples than dense and narrow", "Theorem 4",
          "ratio of mean errors at most 1/3 on 3,000 examples", trade_off),
    Claim("more-data", "With enough examples both learn, and the narrow network needs them", "Theorem 4",
          "mean errors ≤ 10% on 30,000 examples; that of the narrow network above it on 3,000", more_data,
          note="sharpened: two networks that differ in nothing passed"),
    Claim("descent", "The theorem's own readout, strongly convex descent, learns as well", "Theorem 4",
          "mean errors ≤ 25% on 3,000 examples", descent_works),
    Claim("samples-exponent", "Examples grow like s^(k-1)", "Theorem 4", "exponent within 0.5 of k - 1",
          samples_exponent, ("paper",)),
)  # fmt: skip


def _errors(frame: pl.DataFrame) -> pl.DataFrame:
    short = {"least-squares": "solved", "descent": "descent"}
    found = pl.concat([_trained(frame, readout).with_columns(readout=pl.lit(short[readout])) for readout in READOUTS])
    found = found.sort("m", maintain_order=True).with_columns(
        network=pl.format("s = {}, r = {}", "s", "width"),
        case=pl.format("{}, {}", pl.col("m").map_elements(number, return_dtype=pl.String), "readout"),
    )
    cells = found.group_by("case", "network", maintain_order=True)
    return cells.agg(pl.col("error").mean(), low=pl.col("error").min(), high=pl.col("error").max())


STUDY = Study(
    name="theory/over-sparse",
    title="Over-sparse neurons, one step and a convex readout (Theorem 4)",
    about=__doc__ or "",
    stages=(first_steps, descents),
    claims=CLAIMS,
    figures={
        "trade-off": lambda frame: charts.dots(
            _errors(frame), x="case", y="error", low="low", high="high", colour="network",
            title="Test error by sparsity, width and examples",
            subtitle="test error, mean and range over seeds; readout by least squares or descent",
            x_title="examples and readout", y_title="test error", percent=True,
        ),
    },
    compute=compute, version=2,
)  # fmt: skip
