"""The lower bound (Proposition 3) beside the success frontier: does it say anything about cells that can be trained?

A network of P parameters trained for T steps with gradients of precision tau learns some parities with probability at
most delta unless P T / (tau^2 delta) exceeds a share of C(n, k). A sample of m examples gives tau = 1/sqrt(m). For
every cell of the success frontier the margin is the number of decades by which it lies above the bound. At sizes that
can be trained, parameters times steps alone exceed C(n, k): the bound forbids none of these cells, so that none could
contradict it. What its proof rests on is judged by enumeration instead: Parseval's bound, which a parity attains, and a
descent whose noise hides the target.

Grids
    paper, laptop, smoke   the runs of ``pareto/success-frontier`` (shared in the store); Parseval's bound for 200
    neurons and a parity at n = 10, k = 3, and a descent under adversarial noise at n = 12, k = 6 (smoke: 20 neurons).

Decisions where the paper is silent
    The width of the paper's bound is a number of parameters. Its constant 1/2 follows with failure probability 2 delta;
    1/4 is what Markov's inequality gives, and is used here; the verdict is the same with both. The adversary replaces
    each gradient by the one without labels while it may; its noise is 1/16 per coordinate, the network has 4 units.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import number
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import Estimate
from glassware.studies.cells import rates, where
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.panels import heat_map
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most, below, between
from glassware.theory.boolean import Floats, chi, cube
from glassware.theory.pareto.lower_bound import (
    adversarial_descent,
    cell_luck,
    cell_margin,
    mean_square_correlation,
)

NEURONS: dict[Scale, int] = {"smoke": 20, "laptop": 200, "paper": 200}
TAU, RATE, STEPS = 1 / 16, 0.1, 50


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """What random gradient coordinates see of parities, and a descent whose noise hides the target."""
    rng = np.random.default_rng(100)
    n, k = 10, 3
    x = cube(n)
    rows: list[dict[str, object]] = []
    for _ in range(seeds or NEURONS[scale]):
        w, b = rng.uniform(-1, 1, n) / math.sqrt(n), rng.uniform(-1, 1) / math.sqrt(n)
        gate = (x @ w + b > 0).astype(np.float64)
        coordinate = gate * x[:, rng.integers(n)]  # the slope in one weight, at most 1
        rows.append(_energy("neuron", coordinate, n, k))
    rows.append(_energy("parity", chi(x, range(k)), n, k))
    for k in (6, 1):  # a hidden target, and one that shows at once
        rows.append({"part": "adversary", "k": k, **_adversary(12, k, rng)})
    return pl.DataFrame(rows, infer_schema_length=None)


def _energy(function: str, values: Floats, n: int, k: int) -> dict[str, object]:
    energy = mean_square_correlation(values, k)
    return {"part": "parseval", "function": function, "energy": energy, "bound": 1 / math.comb(n, k)}


def _adversary(n: int, k: int, rng: np.random.Generator) -> dict[str, object]:
    """Descent of a small network on half the squared error, the noise pulling it to the descent without labels."""
    x, units = cube(n), 4
    y, shape = chi(x, range(k)), (units, n)
    v = rng.choice([-1.0, 1.0], units) / units

    def gradient(theta: Floats, label: Floats) -> Floats:
        w = theta.reshape(shape)
        before = x @ w.T
        residual = np.maximum(before, 0.0) @ v - label
        return np.asarray(((residual[:, None] * (before > 0) * v).T @ x / len(x)).reshape(-1), np.float64)

    start = rng.uniform(-1, 1, units * n) / math.sqrt(n)
    blind = np.zeros(len(x))
    path = adversarial_descent(lambda t, _: gradient(t, y), lambda t, _: gradient(t, blind), start, RATE, TAU, STEPS)
    return {"hidden": path.hidden, "steps": STEPS, "same": bool(np.array_equal(path.theta, path.free))}


# -- claims -----------------------------------------------------------------------------------------------------------


def cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Every cell of the frontier with its success rate, margin in decades, and the largest rate that is allowed."""
    if "success" not in frame.columns:
        return pl.DataFrame()
    trained = frame.filter(pl.col("success").is_not_null())
    table = rates(trained, "n", "k", "init", "width", "m", "steps")
    rows = []
    for cell in table.iter_rows(named=True):
        m = math.inf if cell["m"] is None else cell["m"]
        size = (cell["n"], cell["k"], m, cell["width"], cell["steps"])
        margin = cell_margin(*size, cell["rate"]) if cell["rate"] > 0 else math.inf
        rows.append({**cell, "margin": margin, "luck": cell_luck(*size)})
    return pl.DataFrame(rows, infer_schema_length=None)


def says_something(frame: pl.DataFrame) -> Finding:
    """Share of cells whose success rate the bound limits below 1."""
    table = cells(frame)
    if not len(table):
        return NOT_ENOUGH
    limited, won = table.filter(pl.col("luck") < 1), table.filter(pl.col("margin").is_finite())
    text = f"{len(limited)} of {len(table)} cells"
    if len(won):
        text += f"; successful cells lie at least {min(won['margin'].to_list()):.1f} decades above the bound"
    return Finding(Estimate.exact(len(limited) / len(table)), above(0), "points", text)


def parseval(frame: pl.DataFrame) -> Finding:
    """Largest mean square correlation of a gradient coordinate with parities over 1 / C(n, k); a parity's is 1."""
    found = where(frame, part="parseval").with_columns(share=pl.col("energy") / pl.col("bound"))
    neurons, parity = (where(found, function=kind)["share"].to_list() for kind in ("neuron", "parity"))
    if not neurons or not parity:
        return NOT_ENOUGH
    text = f"{len(neurons)} coordinates; a parity itself: {parity[0]:.6g}"
    return all_of([
        Finding(Estimate.exact(max(neurons)), between(1e-6, 1), "times", text),
        Finding(Estimate.exact(parity[0]), between(1 - 1e-12, 1 + 1e-12), "times", "the parity itself"),
    ])  # fmt: skip


def noise_hides(frame: pl.DataFrame) -> Finding:
    """Share of the steps for which the noise replaces the gradient, hidden target."""
    found = frame.filter(pl.col("part") == "adversary").to_dicts()
    if not found:
        return NOT_ENOUGH
    hard, easy = (next(row for row in found if row["k"] == k) for k in (6, 1))
    text = f"k = 6: {hard['hidden']}/{hard['steps']} steps; k = 1: {easy['hidden']}/{easy['steps']}"
    hidden = Finding(Estimate.exact(hard["hidden"] / hard["steps"]), between(1, 1), "points", text)
    seen = Finding(Estimate.exact(easy["hidden"] / easy["steps"]), below(1), "points", "k = 1")
    same = Finding(Estimate.exact(float(hard["same"])), at_least(1), "", "k = 6: 1 where the iterates are equal")
    shows = Finding(Estimate.exact(float(easy["same"])), at_most(0), "", "k = 1: 1 where the iterates are equal")
    return all_of([hidden, same, seen, shows])


CLAIMS = (
    Claim("informative", "The bound limits the success of some cell", "Proposition 3; Figure 4",
          "at least one cell", says_something, source="ours"),
    Claim("parseval", "A gradient coordinate sees little of most parities", "Lemma 6",
          "mean square correlation above 0 and ≤ 1 / C(n, k), which a parity attains to 1e-12", parseval,
          ("smoke", "laptop", "paper"), note="sharpened: the bound must be attained, or any small number would pass"),
    Claim("adversary", "Noise of the allowed size hides the target altogether", "Proposition 3",
          "every step hidden and iterates equal bit for bit for k = 6, not for k = 1", noise_hides,
          ("smoke", "laptop", "paper"), note="sharpened: the count of hidden steps is that of all steps, exactly"),
)  # fmt: skip


def _margins(frame: pl.DataFrame) -> pl.DataFrame:
    """Decades above the bound of the cells that succeed, at the smallest n; online and failed cells have none."""
    table = cells(frame)
    table = table.filter(pl.col("n") == pl.col("n").min(), pl.col("k") == pl.col("k").min())
    rows = []
    for cell in table.sort(["init", "width", "m"], descending=[False, True, False], nulls_last=True).iter_rows(
        named=True
    ):
        known = math.isfinite(cell["margin"])
        text = f"{cell['margin']:.1f}" if known else "∞" if cell["rate"] > 0 else "–"
        m = "online" if cell["m"] is None else number(cell["m"])
        rows.append({"panel": f"{cell['init']} init", "row": number(cell["width"]), "column": m,
                     "value": cell["margin"] if known else None, "text": text})  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64})


STUDY = Study(
    name="theory/lower-bound",
    title="The statistical-query lower bound beside the success frontier",
    about=__doc__ or "",
    stages=(Rounds(heat_map),),
    claims=CLAIMS,
    figures={
        "margins": lambda frame: tiles(
            _margins(frame), scale=alt.Scale(scheme="viridis"),
            title="How far successful cells lie above the lower bound",
            subtitle="decades of parameters × steps × examples / success over C(n, k)/4; –: no run succeeds",
            x_title="sample size m", y_title="width r", value_title="decades", tile_width=44,
        ),
    },
    compute=compute,
    version=2,
    paper_runs=194_400,
)  # fmt: skip
