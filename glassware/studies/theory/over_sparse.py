"""Theorem 4 end to end: over-sparse neurons, one step that erases them, a convex readout.

A neuron has s > k ones; it is good if S lies among them. One step replaces its weights by +-1/2k on S and by a share
(k-1)/(s-k) of that on its other ones. The parity of the relevant sum is then a combination of good neurons with
different biases. Few ones make good neurons rare, so the network must be wide, but their signal is strong, so few
examples will do; many ones the other way round: width (n/s)^k is traded for data n^2 (s/k)^(k-1).

Stages: the first step on a full batch, after which a probe solves for the readout by least squares; then the theorem's
own descent of the readout, from the weights of the step and on its sample. The exact step is a closed form, and the
search for the number of examples goes up to 10^7 of them: both stay computed, their readouts solved.

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

import math
from typing import Any

import numpy as np
import polars as pl

from glassware import charts
from glassware.charts.labels import number
from glassware.foundation.statistics import Estimate, bootstrap, mean_share, power_law_exponent
from glassware.models import Init, Paired
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.tasks import Parity
from glassware.theory.pareto.good_neurons import good_probability
from glassware.theory.pareto.over_sparse import step_size, train
from glassware.theory.pareto.over_sparse_readout import PRINTED_OFFSET, biases, over_sparse_readout, sign_representable
from glassware.theory.pareto.sparse_gradients import enumerated_gradient, sparse_gradient
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
ENUMERATED = ((11, 2, 9), (12, 2, 9), (12, 4, 7), (12, 4, 9), (12, 4, 11))
EXACT = ((401, 2, 301), (301, 4, 201))
READOUTS = {"least-squares": ("constant", "solved_error"), "descent": ("inverse", "test_error")}  # schedule, column
Row = dict[str, object]


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
        rows += [_exact(*size, offset, seed) for size in EXACT for offset in offsets for seed in repeats[:3]]
    if scale == "paper":
        rows += [
            {"part": "samples", "n": n, "k": k, "s": s, "seed": seed, "m": samples_for(n, k, s, seed)}
            for n in (61, 121, 241) for k in (2, 4) for s in (9, 15, 25, 41, 61) for seed in repeats
        ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def _exact(n: int, k: int, s: int, offset: float, seed: int) -> Row:
    rng = np.random.default_rng([seed, n, k, s])
    found = train(n, k, s, 120, None, rng, offset=offset, m_readout=5000, m_test=4000)
    return {"part": "offset", "n": n, "k": k, "s": s, "offset": offset, "seed": seed, "error": found.test_error}


def samples_for(n: int, k: int, s: int, seed: int, error: float = 0.1) -> int:
    """Examples, doubled from 500 to 10^7, at which the test error is at most ``error``; eight good neurons expected."""
    width, m = 2 * math.ceil(4 * k / good_probability(n, k, s)), 500
    while m < 10**7:
        rng = np.random.default_rng([seed, n, k, s])
        if train(n, k, s, width, m, rng, m_readout=20_000).test_error <= error:
            break
        m *= 2
    return m


def readout_rows() -> list[Row]:
    """How well each set of biases expresses the parity."""
    rows: list[Row] = []
    for k in (2, 4, 6, 8, 10):
        for form, offset, printed in (
            ("corrected", 1.0, False),
            ("offset 1/16", PRINTED_OFFSET, False),
            ("printed", PRINTED_OFFSET, True),
        ):
            found = over_sparse_readout(k, offset, printed)
            rows.append({"part": "readout", "form": form, "k": k, "residual": found.residual, "norm": found.norm,
                         "representable": sign_representable(k, offset, printed)})  # fmt: skip
    return rows


def gradient_rows() -> list[Row]:
    """Closed form of a neuron's gradient against enumeration, for every way in which its ones can meet S."""
    rows: list[Row] = []
    for n, k, s in ENUMERATED:
        gaps = []
        for inside in range(max(0, s - (n - k)), k + 1):
            ones = [*range(inside), *range(k, k + s - inside)]
            weights = np.isin(np.arange(n), ones).astype(np.float64)
            gaps.append(np.abs(enumerated_gradient(weights, 0.0, range(k)) - sparse_gradient(n, range(k), ones)).max())
        rows.append({"part": "gradient", "n": n, "k": k, "s": s, "gap": float(max(gaps))})
    return rows


# -- claims -----------------------------------------------------------------------------------------------------------


def _part(frame: pl.DataFrame, part: str, **columns: object) -> pl.DataFrame:
    found = where(frame, part=part)
    return where(found, **columns) if len(found) else found


def _trained(frame: pl.DataFrame, readout: str, **columns: object) -> pl.DataFrame:
    """Networks with their ``error`` under one of ``READOUTS``."""
    schedule, error = READOUTS[readout]
    if error not in frame.columns:
        return frame.clear()
    return where(frame, schedule=schedule, **columns).with_columns(error=error)


def gradients(frame: pl.DataFrame) -> Finding:
    """Largest distance of a closed form from enumeration."""
    found = _part(frame, "gradient")
    if not len(found):
        return NOT_ENOUGH
    worst = max(found["gap"].to_list())
    return Finding(Estimate.exact(worst), worst <= 1e-12, "", f"{len(found)} cases")


def _readout(frame: pl.DataFrame, form: str, ks: tuple[int, ...], limit: float) -> Finding:
    """Largest residual of the best readout over k, and whether some readout has the parity's signs."""
    found = _part(frame, "readout", form=form).filter(pl.col("k").is_in(ks))
    if not len(found):
        return NOT_ENOUGH
    values, possible = found["residual"].to_list(), bool(found["representable"].all())
    text = f"signs {'representable' if possible else 'not representable'}; norms " + ", ".join(
        f"{v:.4g}" for v in found["norm"]
    )
    return Finding(Estimate(max(values), min(values), max(values)), max(values) < limit and possible, "", text)


def corrected_readout(frame: pl.DataFrame) -> Finding:
    """Largest residual of the parity on the corrected features, k = 2 to 10."""
    return _readout(frame, "corrected", (2, 4, 6, 8, 10), 1e-6)


def printed_readout(frame: pl.DataFrame) -> Finding:
    """Largest residual of the parity on the printed features, k = 4, 6, 8."""
    return _readout(frame, "printed", (4, 6, 8), 1e-6)


def printed_offset(frame: pl.DataFrame) -> Finding:
    """Mean error at (301, 4, 201) with the printed offset, exact first step."""
    found = _part(frame, "offset", k=4)
    if not len(found):
        return NOT_ENOUGH
    small, one = (found.filter(pl.col("offset") == value)["error"].to_list() for value in (PRINTED_OFFSET, 1.0))
    error = mean_share(small)
    return Finding(error, error.value <= 0.1, "points", f"offset 1: {np.mean(one):.1%}")


def trade_off(frame: pl.DataFrame) -> Finding:
    """Mean error of sparse and wide over that of dense and narrow, 3,000 examples."""
    few = _trained(frame, "least-squares", s=WIDE[0], m=3000)
    many = _trained(frame, "least-squares", s=NARROW[0], m=3000)
    if not len(few) or not len(many):
        return NOT_ENOUGH
    ratio = bootstrap(lambda a, b: float(np.mean(a) / np.mean(b)), few["error"].to_list(), many["error"].to_list())
    levels = [(np.mean(v), np.median(v)) for v in (few["error"].to_list(), many["error"].to_list())]
    text = "; ".join(
        f"s = {s}: mean {a:.2%}, median {b:.2%}" for s, (a, b) in zip((WIDE[0], NARROW[0]), levels, strict=True)
    )
    return Finding(ratio, ratio.value <= 1 / 3, "times", text)


def more_data(frame: pl.DataFrame) -> Finding:
    """Largest mean error of both networks on 30,000 examples."""
    cells = _trained(frame, "least-squares", m=30_000).partition_by("s") if len(frame) else []
    if len(cells) < 2:
        return NOT_ENOUGH
    worst = max((mean_share(cell["error"].to_list()) for cell in cells), key=lambda e: e.value)
    return Finding(worst, worst.value <= 0.1, "points")


def descent_works(frame: pl.DataFrame) -> Finding:
    """Largest mean error of the theorem's own readout, 3,000 examples."""
    cells = _trained(frame, "descent").partition_by("s") if len(frame) else []
    if len(cells) < 2:
        return NOT_ENOUGH
    errors = {cell["s"][0]: mean_share(cell["error"].to_list()) for cell in cells}
    worst = max(errors.values(), key=lambda e: e.value)
    return Finding(
        worst, worst.value <= 0.25, "points", ", ".join(f"s = {s}: {e.value:.1%}" for s, e in errors.items())
    )


def samples_exponent(frame: pl.DataFrame) -> Finding:
    """Distance of the exponent of the examples in s from k - 1, for the (n, k) where it is largest."""
    found = []
    for cell in _part(frame, "samples").partition_by("n", "k"):
        exponent = power_law_exponent(cell["s"].to_numpy(), cell["m"].to_numpy())
        found.append((abs(exponent - cell["k"][0] + 1), f"({cell['n'][0]}, {cell['k'][0]}): {exponent:.2f}"))
    if not found:
        return NOT_ENOUGH
    worst = max(off for off, _ in found)
    return Finding(Estimate(worst), worst <= 0.5, "", "; ".join(text for _, text in found))


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
CLAIMS = (
    Claim("gradients", "First gradients are as computed", "Lemmas 8 and 9", "to 1e-12", gradients, EVERYWHERE),
    Claim("readout", "The features of good neurons express the parity", "Lemma 11, corrected biases",
          "residual < 1e-6, k = 2 to 10", corrected_readout, EVERYWHERE),
    Claim("readout-printed", "The features of good neurons express the parity", "Lemma 11, as printed",
          "residual < 1e-6 and signs representable, k = 4, 6, 8", printed_readout, EVERYWHERE),
    Claim("offset-printed", "An offset of 1/16 is enough", "Section B.2, as printed",
          "error ≤ 10% at (301, 4, 201), exact first step", printed_offset),
    Claim("trade-off", "Width buys data: sparse and wide needs fewer examples than dense and narrow", "Theorem 4",
          "error at most 1/3 on 3,000 examples", trade_off),
    Claim("more-data", "With enough examples both learn", "Theorem 4", "error ≤ 10% on 30,000 examples", more_data),
    Claim("descent", "The theorem's own readout, strongly convex descent, learns as well", "Theorem 4",
          "error ≤ 25% on 3,000 examples", descent_works),
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
            x_title="examples and readout", y_title="test error",
        ),
    },
    compute=compute,
    version=2,
)  # fmt: skip
