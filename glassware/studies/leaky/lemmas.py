"""Every lemma of the paper as a number: equalities to the last digit, inequalities with room, printed forms that fail.

All of it is exact: distributions and first steps by enumeration of all inputs at n = 10 to 12, sums of binomials, the
readout on all values of the relevant sum. Where the print is wrong (the pairing of the initial weights, the size of
alpha, the coefficients of the parity, ReLU6 in the readout, Lemma 13) both forms are there.

Grids (each row: a statement, a form, what it gives and what it is compared with)
    paper, laptop, smoke   the same: it takes a second or two.

Decisions where the paper is silent
    Corrected forms: the second half of the neurons copies w and b and turns u alone (otherwise the network is not 0 at
    the start); alpha is half of the printed probability (y z_j is 1 on the leaking half only); the parity's
    coefficients are -sign(r) v_r (-1)^((k - |r|)/2) with v_r = 2 inside and 3/2 or 1/2 at the ends; hinges are
    unclipped.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from glassware.charts.dots import dots
from glassware.foundation.statistics import Estimate
from glassware.studies.claim import Claim, Scale
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_most, below
from glassware.theory.boolean import cube
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.first_step import (
    alpha,
    good_neurons,
    good_probability,
    good_probability_bound,
    irrelevant_bound,
    irrelevant_mean,
    measured_alpha,
    population_step,
)
from glassware.theory.leaky.linear_methods import feature_energy, forster_bound
from glassware.theory.leaky.network import first_step, initialise, relu6
from glassware.theory.leaky.readout import hinge, kinks, matching_probability, matching_readin, parity_coefficients

EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
SMALL = ((11, 3), (11, 5), (12, 3), (11, 7))
KS = (3, 5, 7, 9, 11)
SEED, NEURONS = 100, 300


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """One row per statement and form. ``gap``: distance from equality. ``value``, ``bound``: the sides of ≤."""
    rows = [*distributions(), *linear_bounds(), *steps(), *counts(), *readouts()]
    return pl.DataFrame(rows, schema=SCHEMA)


SCHEMA = {"statement": pl.String, "form": pl.String, "case": pl.String, "gap": pl.Float64, "value": pl.Float64,
          "bound": pl.Float64}  # fmt: skip


def _equal(statement: str, case: str, gap: float, form: str = "corrected") -> dict[str, object]:
    return {"statement": statement, "form": form, "case": case, "gap": float(gap), "value": None, "bound": None}


def _below(statement: str, case: str, value: float, bound: float) -> dict[str, object]:
    return {"statement": statement, "form": "corrected", "case": case, "gap": None, "value": float(value),
            "bound": float(bound)}  # fmt: skip


def distributions() -> list[dict[str, object]]:
    """Section 2: probabilities sum to 1, the label is fair, and it leaks by 1/2 on A alone."""
    rows = []
    for n, k in SMALL:
        task = LeakyParity.draw(n, k, np.random.default_rng([SEED, n, k]))
        fair, leak = task.moments()
        expected = np.where(np.isin(np.arange(n), task.support), 0.5, 0.0)
        total = abs(task.probability(cube(n)).sum() - 1)
        rows.append(
            _equal("the label leaks by 1/2 on A", f"({n}, {k})", max(total, abs(fair), np.abs(leak - expected).max()))
        )
    return rows


def linear_bounds() -> list[dict[str, object]]:
    """Theorem 1: the norm of the sign matrix behind Forster's bound, and what fixed features see of parities."""
    n, k = 10, 3
    points = cube(n)
    subsets = [s for s in range(2**n) if s.bit_count() == k]
    matrix = np.array([np.prod(points[:, [i for i in range(n) if s >> i & 1]], axis=1) for s in subsets])
    norm = float(np.linalg.norm(matrix, 2))
    forster = math.sqrt(matrix.size) / norm
    rng = np.random.default_rng(SEED)
    features = np.tanh(points @ rng.standard_normal((n, 50)) + rng.standard_normal(50))
    return [
        _equal("Theorem 1: sqrt(C(n, k)) features", f"({n}, {k})", abs(forster - forster_bound(n, k))),
        _below(
            "Theorem 1: energy of 50 fixed features", f"({n}, {k})", feature_energy(features, k), 50 / math.comb(n, k)
        ),
    ]


def steps() -> list[dict[str, object]]:
    """Lemmas 3, 5, 7, 12 and the pairing, on networks of 2 x 300 neurons by enumeration."""
    rows = []
    for n, k in SMALL:
        rng, case = np.random.default_rng([SEED, n, k]), f"({n}, {k})"
        task, z = LeakyParity.draw(n, k, rng), cube(n)
        x, y, weight = z / math.sqrt(n), task.label(z), task.probability(z)
        start = initialise(n, k, NEURONS, rng)
        after, good = first_step(start, x, y, weight), good_neurons(start.w, task.support)
        inside = np.isin(np.arange(n), task.support)
        closed = population_step(start, task)
        differ = max(np.abs(a - b).max() for a, b in ((after.w, closed.w), (after.b, closed.b), (after.u, closed.u)))
        rows.append(_equal("Lemmas 3 to 7: first step in closed form", case, differ / n))
        left = max(np.abs(after.w[good][:, ~inside]).max(), np.abs(after.b - start.b)[good].max())
        rows.append(_equal("Lemmas 5 and 7: good neurons keep 0 off A", case, left))
        printed = initialise(n, k, NEURONS, rng, printed=True)
        rows += [
            _equal("the network starts at 0", case, np.abs(net(x)).max() / n, form)
            for form, net in (("corrected", start), ("printed", printed))
        ]
        # A single zero on A has a small extra term there: compare coordinates whose neuron has several.
        several = np.sum(start.w[:, inside] == 0, axis=1) > 1
        found = measured_alpha(after, start, task)[good & several][:, inside]
        active = np.sum(start.w[good & several][:, ~inside] != 0, axis=1)
        rows += [
            _equal("Lemma 7: the value of alpha", case,
                   max(np.abs(row - alpha(n, k, int(a), 1 / (8 * k), form == "printed")).max()
                       for row, a in zip(found, active, strict=True)), form)
            for form in ("corrected", "printed")
        ]  # fmt: skip
        rows.append(
            _below("Lemma 3: mean gradient off A", case, irrelevant_mean(n, k, 1 / (8 * k)), irrelevant_bound(n, k))
        )
        rows.append(_below("Lemma 12: readout after the step", case, np.abs(after.u).max(), k / math.sqrt(n)))
    return rows


def counts() -> list[dict[str, object]]:
    """How often the weights of a neuron cancel on A."""
    rows = []
    for k in KS:
        rows.append(
            _below("Lemma 7: good neurons are frequent", f"k = {k}", good_probability_bound(k), good_probability(k))
        )
        if k <= 9:
            grid = np.array(np.meshgrid(*[[-1, 0, 1]] * k)).reshape(k, -1)
            counted = float(np.mean(grid.sum(axis=0) == 0))
            rows.append(_equal("probability of a good neuron", f"k = {k}", abs(counted - good_probability(k))))
    return rows


def readouts() -> list[dict[str, object]]:
    """Lemmas 8 and 10: hinges from neurons, the parity from hinges."""
    rows = []
    for k in KS:
        t = kinks(k)
        label = np.where((k - t) / 2 % 2 == 1, -1.0, 1.0)
        for form in ("corrected", "printed"):
            coefficients = parity_coefficients(k, form == "printed")
            parts = [a * hinge(r, t) for r, a in zip(kinks(k), coefficients, strict=True)]
            rows.append(
                _equal("Lemma 10: hinges add up to the parity", f"k = {k}", np.abs(sum(parts) - label).max(), form)
            )
            if k >= 5:  # below, 2k is not above 6
                clipped = [a * hinge(r, t, form == "printed")
                           for r, a in zip(kinks(k), parity_coefficients(k), strict=True)]  # fmt: skip
                rows.append(
                    _equal(
                        "Lemmas 8 and 10: hinges are unclipped", f"k = {k}", np.abs(sum(clipped) - label).max(), form
                    )
                )
        bias, size, n = 1 / (8 * k), 0.25, 1000
        worst = max(
            np.abs(abs(r) / bias * relu6(size * matching_readin(r, n, size, bias) * t / n + bias) - hinge(r, t)).max()
            for r in kinks(k)
        )
        rows.append(_equal("Lemma 8: a neuron is a hinge", f"k = {k}", worst))
        rows.append(_below("Lemma 8: hinges are frequent", f"k = {k}", 0.5 / (8 * k**2),
                           min(matching_probability(r, size, bias, 0.5) for r in kinks(k)) * (1 + 1e-9)))  # fmt: skip
    return rows


# -- claims -----------------------------------------------------------------------------------------------------------


def equalities(frame: pl.DataFrame) -> Finding:
    """Largest distance from equality among the corrected statements."""
    found = frame.filter(pl.col("form") == "corrected", pl.col("gap").is_not_null())
    if not len(found):
        return NOT_ENOUGH
    text = f"{found['statement'].n_unique()} statements, {len(found)} cases"
    return Finding(Estimate.exact(max(found["gap"].to_list())), at_most(1e-12), "", text)


def inequalities(frame: pl.DataFrame) -> Finding:
    """Largest value over its bound."""
    found = frame.filter(pl.col("bound").is_not_null())
    if not len(found):
        return NOT_ENOUGH
    shares = (found["value"] / found["bound"]).to_list()
    text = f"{found['statement'].n_unique()} statements, {len(found)} cases; the smallest {min(shares):.2g}"
    limits = ((max(shares), below(1)), (min(shares), above(0)))
    return all_of([Finding(Estimate.exact(value), limit, "times", text) for value, limit in limits])


def _printed(statement: str, frame: pl.DataFrame) -> Finding:
    """Largest distance from equality of the printed form over its cases."""
    found = frame.filter(pl.col("form") == "printed", pl.col("statement") == statement)["gap"].to_list()
    if not found:
        return NOT_ENOUGH
    text = f"{len(found)} cases; the smallest {min(found):.3g}"
    return Finding(Estimate.exact(max(found)), at_most(1e-12), "", text)


def printed_pairing(frame: pl.DataFrame) -> Finding:
    """Output at the start over n, paired as printed."""
    return _printed("the network starts at 0", frame)


def printed_alpha(frame: pl.DataFrame) -> Finding:
    """Distance between alpha and its printed value."""
    return _printed("Lemma 7: the value of alpha", frame)


def printed_coefficients(frame: pl.DataFrame) -> Finding:
    """Distance between the parity and the printed combination of hinges."""
    return _printed("Lemma 10: hinges add up to the parity", frame)


def printed_hinges(frame: pl.DataFrame) -> Finding:
    """Distance between the parity and the right combination of hinges that are clipped at 6."""
    return _printed("Lemmas 8 and 10: hinges are unclipped", frame)


CLAIMS = (
    Claim("equalities", "The corrected equalities hold", "Lemmas 3 to 10", "to 1e-12", equalities, EVERYWHERE),
    Claim("inequalities", "The inequalities hold with room", "Theorem 1; Lemmas 3, 7, 8, 12", "0 < value / bound < 1",
          inequalities, EVERYWHERE, note="sharpened: a value of 0 would be below any bound"),
    Claim("printed-pairing", "Paired as printed, the network starts at 0", "Section 3, as printed", "to 1e-12",
          printed_pairing, EVERYWHERE),
    Claim("printed-alpha", "alpha is the printed probability", "Lemma 7, as printed", "to 1e-12", printed_alpha,
          EVERYWHERE),
    Claim("printed-coefficients", "The printed coefficients give the parity", "Lemma 10, as printed", "to 1e-12",
          printed_coefficients, EVERYWHERE),
    Claim("printed-hinges", "Hinges may be clipped at 6", "Lemmas 8 and 10, as printed", "to 1e-12", printed_hinges,
          EVERYWHERE),
)  # fmt: skip


SHORT = {  # of the statements that are there in both forms
    "the network starts at 0": "pairing",
    "Lemma 7: the value of alpha": "alpha",
    "Lemma 10: hinges add up to the parity": "coefficients",
    "Lemmas 8 and 10: hinges are unclipped": "hinges",
}


def _gaps(frame: pl.DataFrame) -> pl.DataFrame:
    """Largest gap of a statement in both forms; what is exactly 0 is drawn at the last digit."""
    table = frame.filter(pl.col("statement").is_in(SHORT), pl.col("gap").is_not_null())
    cells = table.group_by("statement", "form", maintain_order=True)
    shown = cells.agg(value=pl.col("gap").max(), low=pl.col("gap").min(), high=pl.col("gap").max())
    digits = [pl.max_horizontal(pl.col(column), pl.lit(1e-17)).log10() for column in ("value", "low", "high")]
    return shown.with_columns(*digits, statement=pl.col("statement").replace(SHORT))


STUDY = Study(
    name="leaky/lemmas",
    title="The lemmas, in numbers: corrected and as printed",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={
        "printed": lambda frame: dots(
            _gaps(frame),
            x="statement",
            y="value",
            low="low",
            high="high",
            colour="form",
            title="Statements of the lemmas, corrected and as printed",
            subtitle="distance from equality, largest and smallest over the cases",
            x_title="statement",
            y_title="log10 of the distance",
        ),
    },
    compute=compute,
)
