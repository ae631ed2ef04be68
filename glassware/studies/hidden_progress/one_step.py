"""One large step reveals the parity (Theorem 4, in full Theorem 10), executed.

A ReLU network with sign weights starts as the zero function, so the first gradient of its weights is the spectrum of
majority. One step on it, with weight decay 1, leaves 1 / (2k) on relevant weights and much less on the others. With
these features frozen, SGD on the second layer alone, a convex problem, learns the parity.

Stages: the first step on a sample, a full batch of m examples; then the second layer alone, from the weights it left.
The exact step is a closed form, no run: it is computed, and so is the readout on it, since a run can start only from
weights that another run has kept.

Grids (executions per case)
    paper   those of the laptop, and (31, 4) with a first batch of 10^8 examples; 5 executions each.
    laptop  (n, k) = (31, 2), 64 neurons, first batch 20,000; (61, 4), 512 neurons, exact first step; (31, 4), 512
            neurons, first batches 300,000 and 2,000,000 and the exact step; 5 executions each.
    smoke   (15, 2), 32 neurons, 5,000 examples and the exact step.

Decisions where the paper is silent
    The theorem's own batch and time are far out of reach (some 10^9 examples at n = 31, k = 2), so batches are chosen
    here, and the second layer takes 4,000 steps of 64 fresh examples at learning rate 0.02. The first step sets the
    second layer to zero: the paper says both that it takes part in the step and that it is zero afterwards. Error and
    loss are measured on 16,384 fresh examples. Weight decay 1 is a penalty on the weights: biases are not erased.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from glassware.foundation.statistics import difference_of_means, mean
from glassware.models import Init, Paired
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.one_step_figures import error_figure, weights_figure
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, all_within, between, counted
from glassware.tasks import Parity
from glassware.theory.hidden_progress.one_step import one_step
from glassware.theory.hidden_progress.one_step_schedule import bias_levels, exact_irrelevant, first_rate
from glassware.training import L2, SGD, Evaluation, Run, Start

# n, k, neurons, examples of the first step (None: the exact gradient)
Case = tuple[int, int, int, int | None]
MAIN: list[Case] = [(31, 2, 64, 20_000), (61, 4, 512, None)]
BATCHES: list[Case] = [(31, 4, 512, 300_000), (31, 4, 512, 2_000_000)]
EXACT: Case = (31, 4, 512, None)
LARGEST: Case = (31, 4, 512, 100_000_000)
CASES: dict[Scale, list[Case]] = {
    "smoke": [(15, 2, 32, 5000), (15, 2, 32, None)],
    "laptop": [*MAIN, *BATCHES, EXACT],
    "paper": [*MAIN, *BATCHES, LARGEST, EXACT],
}
REPEATS: dict[Scale, int] = {"smoke": 1, "laptop": 5, "paper": 5}
STEPS: dict[Scale, int] = {"smoke": 1000, "laptop": 4000, "paper": 4000}
FIRST_SEED = 100
FEWEST = 5  # executions, below which "every execution" says little
RATE = 0.02
EXAMPLES = 2**14


def first_steps(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """The first steps on samples."""
    return [
        first_step(n, k, width, m, seed)
        for n, k, width, m in CASES[scale]
        if m is not None
        for seed in _seeds(scale, seeds)
    ]


def readouts(scale: Scale, seeds: int | None, stepped: pl.DataFrame) -> list[Run]:
    """The second layer of each of them."""
    return [readout(row, STEPS[scale]) for row in stepped.iter_rows(named=True)]


def first_step(n: int, k: int, width: int, m: int, seed: int) -> Run:
    """One step on m examples; its penalty erases the old weights."""
    rate = first_rate(n, k)
    return Run(
        task=Parity(n=n, k=k),
        m=m,
        model=_network(k, width),
        init=Init(scheme="sign"),
        penalty=(L2(weight=1 / (2 * rate), leaves="0.w"),),
        optimiser=SGD(lr=rate, layer_rates=(1, 0)),
        batch="full",
        steps=1,
        evaluation=Evaluation(every=1, test=EXAMPLES, stop=False),
        keep=("final",),
        seed=seed,
    )


def readout(stepped: dict[str, Any], steps: int) -> Run:
    """The second layer alone, from zero, on fresh examples of the parity that this row's run has stepped on."""
    return Run(
        task=Parity(n=stepped["n"], k=stepped["k"], support=tuple(stepped["support"])),
        model=_network(stepped["k"], stepped["width"], outgoing=0.0),
        init=Init(scheme="sign"),
        start=Start(run=stepped["id"], leaves=("0.*",)),
        optimiser=SGD(lr=RATE, layer_rates=(0, 1)),
        batch=64,
        steps=steps,
        evaluation=Evaluation(every=steps, test=EXAMPLES, metrics=("hinge_loss",), stop=False),
        probes=("weight_sizes",),
        seed=stepped["seed"],
    )


def _network(k: int, width: int, outgoing: float = 1.0) -> Paired:
    return Paired(width=width, levels=bias_levels(k), outgoing=outgoing, output_bias=False)


def _seeds(scale: Scale, seeds: int | None) -> range:
    return range(FIRST_SEED, FIRST_SEED + (seeds or REPEATS[scale]))


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """The exact step and the readout on it: one row per execution, with the columns of a run."""
    rows = []
    for n, k, width, m in CASES[scale]:
        for seed in _seeds(scale, seeds) if m is None else ():
            done = one_step(n, k, width, np.random.default_rng([seed, n, k]), steps=STEPS[scale], lr=RATE)
            row: dict[str, Any] = {"n": n, "k": k, "width": width, "seed": seed}
            row |= dict.fromkeys(("m", "id", "start_run"))
            for kind, size in (("relevant", done.relevant), ("irrelevant", done.irrelevant)):
                found = {"mean": size.mean(), "low": size.min(), "high": size.max()}
                row |= {f"{kind}_{name}": float(value) for name, value in found.items()}
            off = float(np.abs(done.irrelevant - exact_irrelevant(n, k)).max())
            rows.append({**row, "irrelevant_off": off, "test_hinge_loss": done.hinge, "test_error": done.error})
    return pl.DataFrame(rows, schema_overrides={"m": pl.Int64, "id": pl.String, "start_run": pl.String})


def executions(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per execution: that of its readout, with the examples ``m`` of its first step (null: the exact one)."""
    step = pl.col("id").is_not_null() & pl.col("start_run").is_null()
    first = frame.filter(step).select("m", start_run="id")
    found = frame.filter(~step).drop("m").join(first, on="start_run", how="left")
    # A readout whose first step is missing must not pass for one of the exact step.
    whole = pl.col("start_run").is_null() | pl.col("m").is_not_null()
    return found.filter(whole).sort("n", "k", "m", nulls_last=True)


# -- claims -----------------------------------------------------------------------------------------------------------


def _case(frame: pl.DataFrame, case: Case) -> pl.DataFrame:
    n, k, width, m = case
    return where(executions(frame), n=n, k=k, width=width, m=m)


def _named(case: Case) -> str:
    n, k, _, m = case
    return f"({n}, {k}) {'exact step' if m is None else f'{m:,} examples'}"


def small_loss(frame: pl.DataFrame) -> Finding:
    """How many executions of the two main cases end with a hinge loss of at most 0.05."""
    return _every(frame, MAIN, pl.col("test_hinge_loss") <= 0.05, "largest {:.3g}", pl.col("test_hinge_loss").max())


def no_error(frame: pl.DataFrame, cases: list[Case]) -> Finding:
    """How many executions have no error on fresh examples."""
    return _every(frame, cases, pl.col("test_error") == 0, "largest {:.2%}", pl.col("test_error").max())


def relevant_weights(frame: pl.DataFrame) -> Finding:
    """Mean relevant weight after the first step over its target 1 / (2k), and how many executions set S apart.

    An execution does if in all its neurons every relevant weight is larger than every irrelevant one.
    """
    cells = [_case(frame, case) for case in MAIN]
    if not all(len(cell) for cell in cells):
        return NOT_ENOUGH
    ratios = [mean((2 * cell["k"] * cell["relevant_mean"]).to_list()) for cell in cells]
    lead = pl.col("relevant_low") / pl.col("irrelevant_high")
    apart = _every(frame, MAIN, lead > 1, "smallest relevant {:.3g} times the largest irrelevant", lead.min())
    means = "; ".join(f"{_named(case)} mean {ratio.value:.3f}×" for case, ratio in zip(MAIN, ratios, strict=True))
    on_target = [Finding(ratio, between(0.85, 1.15), "times") for ratio in ratios]
    return all_of([*on_target, apart], f"{means}; {apart.detail}")


def irrelevant_weights(frame: pl.DataFrame) -> Finding:
    """Largest difference of an irrelevant weight after the exact step from (k - 1) / (2k (n - k))."""
    found = where(executions(frame), m=None)
    return all_within(found["irrelevant_off"].to_list() if len(found) else [], 1e-6, f"{len(found)} executions")


def batch_is_the_resource(frame: pl.DataFrame, last: Case) -> Finding:
    """Every fall of the mean error from a first batch to the next larger one at (31, 4)."""
    cases = [*BATCHES, last]
    samples = [_case(frame, case)["test_error"].to_list() for case in cases]
    if not all(samples):
        return NOT_ENOUGH
    detail = "; ".join(f"{_named(case)} {np.mean(cell):.1%}" for case, cell in zip(cases, samples, strict=True))
    falls = [difference_of_means(few, more) for few, more in pairwise(samples)]
    return all_of([Finding(fall, above(0), "points") for fall in falls], detail)


def _every(frame: pl.DataFrame, cases: list[Case], good: pl.Expr, worst: str, at: pl.Expr) -> Finding:
    """How many executions of these cases are good, which all must be; the worst of each case in words."""
    cells = [_case(frame, case) for case in cases]
    if not all(len(cell) for cell in cells):
        return NOT_ENOUGH
    won, trials = sum(cell.filter(good).height for cell in cells), sum(map(len, cells))
    words = (f"{_named(case)} {worst.format(cell.select(at).item())}" for case, cell in zip(cases, cells, strict=True))
    return counted(won, trials, max(trials, FEWEST), "; ".join(words))


CLAIMS = (
    Claim(
        "relevant",
        "One step takes relevant weights to 1 / (2k), and sets them apart from the others",
        "Theorem 4; Theorem 10, Claim 3",
        "mean within 15%, and in every execution each relevant weight above all irrelevant ones, (31, 2) and (61, 4)",
        relevant_weights,
        note="that they are set apart was added: a mean near 1 / (2k) alone does not reveal S",
    ),
    Claim(
        "irrelevant",
        "The exact step leaves irrelevant weights at (k - 1) / (2k (n - k))",
        "Theorem 10; Lemma 2",
        "to 1e-6",
        irrelevant_weights,
        ("smoke", "laptop", "paper"),
    ),
    Claim(
        "error",
        "The network then learns the parity by training its second layer",
        "Theorem 4",
        "no error on fresh examples, (31, 2) and (61, 4), every execution",
        lambda frame: no_error(frame, MAIN),
    ),
    Claim(
        "loss",
        "Its hinge loss becomes small",
        "Theorem 4",
        "hinge loss ≤ 0.05, (31, 2) and (61, 4), every execution",
        small_loss,
    ),
    Claim(
        "batch",
        "The size of the first batch is the resource: more examples, less error",
        "Theorem 4",
        "mean error at (31, 4) falls from 300,000 to 2,000,000 examples to the exact step",
        lambda frame: batch_is_the_resource(frame, EXACT),
        ("laptop",),
    ),
    Claim(
        "batch-sampled",
        "The size of the first batch is the resource: more examples, less error",
        "Theorem 4",
        "mean error at (31, 4) falls from 300,000 to 2,000,000 to 100,000,000 examples",
        lambda frame: batch_is_the_resource(frame, LARGEST),
        ("paper",),
    ),
    Claim(
        "large-batch",
        "A large enough first batch learns the parity of four",
        "Theorem 4",
        "no error at (31, 4) with 100,000,000 examples, every execution",
        lambda frame: no_error(frame, [LARGEST]),
        ("paper",),
    ),
)


STUDY = Study(
    name="hidden-progress/one-step",
    title="One large step on the first layer, then a convex problem",
    about=__doc__ or "",
    stages=(first_steps, readouts),
    claims=CLAIMS,
    figures={
        "weights": lambda frame: weights_figure(executions(frame)),
        "error": lambda frame: error_figure(executions(frame)),
    },
    compute=compute,
    version=4,
)
