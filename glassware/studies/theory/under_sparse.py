"""One truncated step from under-sparse weights finds the parity's support (Theorem 5, in full Theorem 21).

A neuron has s < k ones, all inside S, and small weights eps elsewhere. Its population gradient is xi_S on the rest of S
and xi_N off S, smaller by (n - k) / (k - s - 1). One step whose gradient is cut off between the two lifts the missing
coordinates of S to the height of the ones. Examples needed: of order log(n) / xi_S^2, that is (n - s)^(k-s-1) up to the
logarithm.

Steps on samples are runs of twenty good neurons each: those of a wide network that are good, with its first weights
and nothing else of it. As the network starts as the zero function, no neuron's first gradient depends on the others, so
that drawing them all would change nothing. What a run leaves of their weights is in its row; S is read off it, and the
exact readout of the theorem, a closed form, is put behind k of them. Gradients by enumeration and closed forms are
computed.

Grids
    paper   (k, s) = (4, 2), n = 15, 31, 61, 121, 241; (6, 4) and (6, 2) at n = 15, 21, 31, 12 sample sizes; 10 seeds.
    laptop  (k, s) = (4, 2), n = 15, 31, 61, seven sample sizes from 2 / xi_S^2 up by factors of sqrt 2, 6 seeds.
            The subnetwork's accuracy at n = 31 from 10,000 to 300,000 examples, with the cut-off halfway and as
            printed, 3 seeds. Gradients of all neurons at n = 10 to 12 by enumeration.
    smoke   n = 15, every third sample size; 3,000 examples.

Decisions where the paper is silent
    eps = 0.01 / (n - s). m50: examples at which half of a run's neurons have their large weights exactly on S, between
    two sample sizes by interpolation in log m. All runs of a size and a seed share neurons and examples. Accuracy on
    2,000 fresh examples. The step is positive, the cut-off halfway between |xi_S| and |xi_N|: as printed, the step goes
    the wrong way and the cut-off at |xi_N| lets sampling noise through.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts.lines import lines
from glassware.foundation.statistics import Estimate, mean_share, power_law_exponent
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.resampled import resampled
from glassware.studies.study import Study
from glassware.studies.theory.under_sparse_runs import SAMPLE_SIZES, Size, parts, samples, stepped
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_least, at_most, between
from glassware.theory.pareto.sparse_gradients import (
    enumerated_gradient,
    perturbed_gradient,
    under_sparse_ratio,
    under_sparse_signal,
)
from glassware.theory.pareto.under_sparse import population_step, readout, stepped_weight
from glassware.training import Run

MAIN: list[Size] = [(15, 4, 2), (31, 4, 2), (61, 4, 2)]
SIZES: dict[Scale, list[Size]] = {
    "smoke": MAIN[:1],
    "laptop": MAIN,
    "paper": [*MAIN, (121, 4, 2), (241, 4, 2), *((n, 6, s) for s in (4, 2) for n in (15, 21, 31))],
}
SAMPLES: dict[Scale, list[int]] = {
    "smoke": [3000],
    "laptop": [10_000, 30_000, 100_000, 300_000],
    "paper": [10_000, 30_000, 100_000, 300_000, 1_000_000],
}
ENUMERATED: list[Size] = [(11, 4, 2), (12, 4, 2), (11, 6, 2), (11, 6, 4), (10, 6, 2)]
REPEATS: dict[Scale, int] = {"smoke": 1, "laptop": 3, "paper": 5}  # of the larger samples; twice as many around m50
FIRST_SEED = 100
PAPER_RUNS = 2 * REPEATS["paper"] * sum(SAMPLE_SIZES[k] for _, k, _ in SIZES["paper"]) + 2 * REPEATS["paper"] * len(
    SAMPLES["paper"]
)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Steps on samples around m50, and on larger ones with both cut-offs."""
    chosen = range(FIRST_SEED, FIRST_SEED + (seeds or REPEATS[scale]))
    more = range(FIRST_SEED, FIRST_SEED + (seeds or 2 * REPEATS[scale]))
    judged, every = (MAIN[0], 3) if scale == "smoke" else (MAIN[1], 1)
    return [
        *(stepped(size, m, seed) for size in SIZES[scale] for m in samples(size)[::every] for seed in more),
        *(stepped(judged, m, seed, form) for m in SAMPLES[scale] for seed in chosen for form in (False, True)),
    ]


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """Distances from the closed forms."""
    return pl.DataFrame(exact_rows())


def exact_rows() -> list[dict[str, object]]:
    """Closed forms against enumeration, corrected and printed."""
    rows: list[dict[str, object]] = []
    for n, k, s in ENUMERATED:
        eps, support = 0.5 / (n - s), tuple(range(k))
        # One neuron for each way in which its ones can meet S: the others are permutations of it.
        kinds = [(*range(i), *range(k, k + s - i)) for i in range(max(0, s - (n - k)), s + 1)]
        gaps = []
        for ones in kinds:
            weights = np.where(np.isin(np.arange(n), ones), 1.0, eps)
            for bias in (-eps / (2 * k), eps / (2 * k)):
                gaps.append(
                    np.abs(enumerated_gradient(weights, bias, support) - perturbed_gradient(n, support, ones)).max()
                )
        signal = under_sparse_signal(n, k, s)
        rows.append(_gap("gradients", "corrected", n, k, s, max(gaps)))
        after = population_step(n, support, tuple(range(s)), eps)
        for form in ("corrected", "printed"):
            printed = form == "printed"
            ratio = under_sparse_ratio(n, k, s, printed)
            rows.append(_gap("ratio", form, n, k, s, abs(signal.ratio - ratio)))
            expected = [stepped_weight(k, eps, i >= s, i < k, printed) for i in range(n)]
            rows.append(_gap("weights", form, n, k, s, float(np.abs(after - expected).max()) / eps**2))
    for k in (2, 4, 6, 8):
        t = np.arange(-k, k + 1, 2)
        values = 1 + sum(a * np.maximum(t + k - 1 - 2 * j, 0) for j, a in enumerate(readout(k)))
        rows.append(_gap("readout", "corrected", k, k, 0, float(np.abs(values - (-1.0) ** ((k - t) // 2)).max())))
    return rows


def _gap(what: str, form: str, n: int, k: int, s: int, gap: float) -> dict[str, object]:
    return {"part": "exact", "what": what, "form": form, "n": n, "k": k, "s": s, "gap": float(gap)}


# -- claims -----------------------------------------------------------------------------------------------------------


def closed_forms(frame: pl.DataFrame) -> Finding:
    """Largest distance of a corrected closed form from enumeration."""
    found = where(frame, part="exact", form="corrected")
    if not len(found):
        return NOT_ENOUGH
    return Finding(Estimate.exact(max(found["gap"].to_list())), at_most(1e-12), "", f"{len(found)} cases")


def _printed(frame: pl.DataFrame, what: str) -> Finding:
    found = where(frame, part="exact", form="printed", what=what)["gap"].to_list()
    if not found:
        return NOT_ENOUGH
    text = f"{len(found)} cases; the smallest {min(found):.3g}"
    return Finding(Estimate.exact(max(found)), at_most(1e-12), "", text)


def printed_ratio(frame: pl.DataFrame) -> Finding:
    """Distance of the printed ratio of both gradients from the true one."""
    return _printed(frame, "ratio")


def printed_weights(frame: pl.DataFrame) -> Finding:
    """Distance of the printed weights after the step from the true ones, in units of eps^2."""
    return _printed(frame, "weights")


def slope(frame: pl.DataFrame) -> Finding:
    """Exponent of m50 in n - s for k = 4, s = 2."""
    found = _needed(frame)
    if found is None:
        return NOT_ENOUGH
    means = found.group_by("n").agg(pl.col("m50").mean()).sort("n").rows()
    text = "m50 " + ", ".join(f"n = {n}: {m:,.0f}" for n, m in means)
    return Finding(resampled(found, ["n"], _exponent), between(0.7, 1.8), "", text)


def constant(frame: pl.DataFrame) -> Finding:
    """Largest over smallest mean of m50 xi_S^2 / ln n."""
    found = _needed(frame)
    if found is None:
        return NOT_ENOUGH
    text = ", ".join(f"{v:.2f}" for v in _constants(found))
    spread = resampled(found, ["n"], lambda rows: max(_constants(rows)) / min(_constants(rows)))
    return Finding(spread, at_most(3), "times", text)


def _needed(frame: pl.DataFrame) -> pl.DataFrame | None:
    """m50 for k = 4; None where there are fewer than three n, or a seed that has not reached it."""
    found = where(parts(frame), part="m50", k=4)
    return None if not len(found) or found["n"].n_unique() < 3 or found["m50"].null_count() else found


def subnetwork_works(frame: pl.DataFrame) -> Finding:
    """Mean accuracy of the subnetwork with the most examples, cut-off halfway."""
    return _accuracy_at_most_examples(frame, "corrected")


def printed_threshold(frame: pl.DataFrame) -> Finding:
    """Mean accuracy of the subnetwork with the most examples, cut-off as printed."""
    return _accuracy_at_most_examples(frame, "printed")


def _accuracy_at_most_examples(frame: pl.DataFrame, form: str) -> Finding:
    found = where(parts(frame), part="accuracy", form=form)
    found = found.filter(pl.col("m") == pl.col("m").max()) if len(found) else found
    if not len(found):
        return NOT_ENOUGH
    levels = found["accuracy"].to_list()
    return Finding(mean_share(levels), at_least(0.99), "points", f"m = {found['m'][0]:,}; {len(levels)} runs")


def _exponent(found: pl.DataFrame) -> float:
    return power_law_exponent((found["n"] - found["s"]).to_numpy(), found["m50"].to_numpy())


def _constants(found: pl.DataFrame) -> list[float]:
    level = pl.col("m50") * pl.col("signal") ** 2 / pl.col("n").log()
    return [float(v) for v in found.group_by("n").agg(level.mean().alias("level")).sort("n")["level"]]


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
CLAIMS = (
    Claim("closed-forms", "Gradients, step and readout are as computed", "Lemmas 17 to 20, corrected", "to 1e-12",
          closed_forms, EVERYWHERE),
    Claim("printed-ratio", "xi_S is (n - s) / (k - s - 1) times xi_N", "Theorem 21's proof, as printed", "to 1e-12",
          printed_ratio, EVERYWHERE),
    Claim("printed-weights", "Off S the step leaves eps²/k", "Theorem 21, as printed", "to 1e-12 of eps²",
          printed_weights, EVERYWHERE),
    Claim("slope", "Examples needed grow like n - s for k = 4, s = 2", "Theorem 5",
          "exponent between 0.7 and 1.8 (1 and a logarithm)", slope),
    Claim("constant", "They are log(n) / xi_S² up to a constant", "Theorem 5", "constant within a factor of 3",
          constant),
    Claim("subnetwork", "The subnetwork then computes the parity", "Theorem 21, corrected cut-off",
          "mean accuracy ≥ 99% with the most examples", subnetwork_works),
    Claim("printed-cutoff", "A cut-off at |xi_N| is enough", "Theorem 21, as printed",
          "mean accuracy ≥ 99% with the most examples", printed_threshold),
)  # fmt: skip


def _m50(frame: pl.DataFrame) -> pl.DataFrame:
    """m50 of every seed, and the theory's log(n) / xi_S^2 times the mean constant."""
    found = where(parts(frame), part="m50").with_columns(panel=pl.format("k = {}, s = {}", "k", "s"))
    law = pl.col("n").log() / pl.col("signal") ** 2
    fit = found.with_columns(
        m50=law * (pl.col("m50") / law).mean().over("panel"), kind=pl.lit("constant × log(n) / ξ²")
    )
    both = pl.concat([found.with_columns(kind=pl.lit("measured")), fit.with_columns(seed=pl.lit(0, pl.Int64))])
    return both.unique(["panel", "kind", "seed", "n"], maintain_order=True).sort("n", maintain_order=True)


def _accuracy(frame: pl.DataFrame) -> pl.DataFrame:
    names = {"corrected": "cut-off halfway", "printed": "cut-off as printed"}
    found = where(parts(frame), part="accuracy")
    return found.with_columns(
        kind=pl.col("form").replace(names), panel=pl.format("n = {}, k = {}, s = {}", "n", "k", "s")
    )


STUDY = Study(
    name="theory/under-sparse",
    title="One truncated step from under-sparse weights (Theorem 5)",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={
        "samples": lambda frame: lines(
            _m50(frame), x="n", y="m50", line="seed", kind="kind", panel="panel",
            title="Examples at which half of the good neurons find S", x_title="inputs n", y_title="examples, m50",
            subtitle="one line per seed", log_x=True, log_y=True,
        ),
        "accuracy": lambda frame: lines(
            _accuracy(frame), x="m", y="accuracy", line="seed", kind="kind", panel="panel",
            title="The subnetwork after one step", subtitle="accuracy on fresh examples; one line per seed",
            x_title="examples of the step", y_title="accuracy", log_x=True, percent=True, y_domain=(0.4, 1.0),
        ),
    },
    compute=compute,
    version=2,
    paper_runs=PAPER_RUNS,
)  # fmt: skip
