"""What theory says about groups outside Theorem 7.9: margins by linear programme, an explicit network, choices of sets.

One table; ``part`` says what a row is about:
    group    one group: the hypothesis, the margin of the linear programme, the formula of Theorem 7.9
    share    one irrep of A_5: its share of the norm's cube at the largest margin, by the formula, and at finite lambda
    optimum  the exact minimum of the trained runs' objective (value), and the margin there over the largest (finite)
    network  the explicit network for S_6
    class    one class of wrong labels of that network
    kappa    one accepted choice of irreps and classes for S_6 (form: corrected), or the chapter's own system (printed)
    ascent   one neuron that climbed the expected weighted margin from a random start
"""

from __future__ import annotations

from itertools import islice, permutations

import numpy as np
import polars as pl

from glassware.studies.claim import Scale
from glassware.theory.margins.characters import hypothesis, hypothesis_sums, powers, real_irreps
from glassware.theory.margins.finite import finite_lambda
from glassware.theory.margins.groups import Group, named
from glassware.theory.margins.kappa import KappaSolution, kappa_search, kappa_solution
from glassware.theory.margins.margins import ascend, labels, neuron_values, norm_power, outputs
from glassware.theory.margins.networks import maxmargin_group
from glassware.theory.margins.optimum import max_margin, theorem_7_9
from glassware.theory.margins.partitions import cycle_type

Row = dict[str, object]

GROUP, WIDTH, LAMBDA = "A_5", 260, 1e-5  # of the trained runs
WITHIN = ("S_2", "S_3", "S_4", "S_5", "S_3 x S_3", "D_4 x Z_2", "S_4 x Z_2")
BEYOND = ("S_6", "A_5", "D_4 x S_3", "S_3 x S_4", "D_4 x D_4")
SLOW = ("S_7",)  # seconds for its table alone
FAMILIES = (*(f"D_{n}" for n in range(3, 13)), *(" x ".join(["Z_2"] * n) for n in range(2, 6)))
CHOSEN = ("(4,1,1)", "(3,3)", "(2,1,1,1,1)"), ((2, 2), (3,), (3, 3))  # irreps, and classes by their cycles
ASCENT = ("A_5", "D_5", "S_4")
STARTS = 12
FIRST_SEED = 100
SIZES: dict[Scale, int] = {"smoke": 0, "laptop": 3, "paper": 4}  # choices up to this many irreps are searched

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "part": pl.String, "group": pl.String, "form": pl.String, "order": pl.Int64, "hypothesis": pl.Float64,
    "lp": pl.Float64, "formula": pl.Float64, "sum": pl.Float64, "sum_closed": pl.Float64, "label": pl.String,
    "dimension": pl.Int64, "irreps": pl.Int64, "used": pl.Int64, "finite": pl.Float64, "count": pl.Int64,
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "chosen": pl.Boolean, "size": pl.Int64,
    "strict": pl.Boolean, "weights": pl.List(pl.Float64), "totals": pl.List(pl.Float64), "start": pl.Int64,
}  # fmt: skip


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """All rows; ``seeds`` does not matter, for nothing here is repeated."""
    names = (*WITHIN, *BEYOND, *(() if scale == "smoke" else SLOW), *FAMILIES)
    rows = [*map(group_row, names), *share_rows(), *network_rows(), *kappa_rows(SIZES[scale])]
    rows += [row for name in ASCENT for row in ascent_rows(named(name))]
    return pl.DataFrame(rows, schema=SCHEMA)


def group_row(name: str) -> Row:
    """A group's margin by the linear programme beside the formula."""
    group = named(name)
    found = max_margin(group, lp=True)
    return {
        "part": "group", "group": name, "order": group.order, "hypothesis": hypothesis(group), "lp": found.margin,
        "formula": theorem_7_9(group), "sum": float(hypothesis_sums(group)[0]), "sum_closed": closed_sum(name),
        "irreps": len(real_irreps(group)) - 1, "used": int(np.sum(found.shares > 1e-9)),
    }  # fmt: skip


def closed_sum(name: str) -> float | None:
    """S, the sum of d^2.5 over all irreps but the trivial one, of the families in which it has a short form."""
    if name.startswith("D_") and " x " not in name:
        n = int(name[2:])
        return 1 + 2**2.5 * (n - 1) / 2 if n % 2 else 3 + 2**2.5 * (n - 2) / 2
    factors = name.split(" x ")
    return 2.0 ** len(factors) - 1 if set(factors) == {"Z_2"} else None


def share_rows() -> list[Row]:
    """The optimum of the trained runs, and where its weight is, irrep by irrep."""
    group = named(GROUP)
    best, finite = max_margin(group), finite_lambda(group, LAMBDA)
    formula = np.array([irrep.dimension**2.5 for irrep in real_irreps(group)]) / hypothesis_sums(group)[0]
    optimum: Row = {"part": "optimum", "group": GROUP, "value": finite.objective, "finite": finite.ratio}
    shares: list[Row] = [
        {"part": "share", "group": GROUP, "label": irrep.label, "dimension": irrep.dimension,
         "lp": float(best.shares[i]), "formula": float(formula[i]), "finite": float(finite.shares[i])}
        for i, irrep in enumerate(real_irreps(group))
        if i
    ]  # fmt: skip
    return [optimum, *shares]


def network_rows() -> list[Row]:
    """The smallest network of largest margin for S_6, and its margin towards each class of wrong labels.

    A relabelling takes any row of the table to any other, so three rows say as much as all.
    """
    group = named("S_6")
    solution = _chosen(group)
    network, best = maxmargin_group(group, solution.shares), max_margin(group).margin
    rows = np.random.default_rng(FIRST_SEED).choice(group.order, 3, replace=False)
    points = (rows[:, None] * group.order + np.arange(group.order)).ravel()
    right = labels(group, points)
    found = outputs(network, group, points) / norm_power(network, group) / best
    gaps, away = found[np.arange(len(right)), right][:, None] - found, group.classes[group.quotients[right]]
    made: list[Row] = [
        {"part": "class", "group": group.name, "label": _cycles(group, c), "low": float(gaps[away == c].min()),
         "high": float(gaps[away == c].max()), "chosen": c in solution.classes}
        for c in range(1, len(group.class_sizes))
    ]  # fmt: skip
    wrong = np.where(away == 0, np.inf, gaps).min(axis=1)
    made.append({"part": "network", "group": group.name, "count": len(network.w), "value": float(wrong.min()),
                 "low": float(wrong.min()), "high": float(wrong.max())})  # fmt: skip
    return made


def kappa_rows(largest: int) -> list[Row]:
    """Accepted choices for S_6, and what the system gives as the chapter prints it."""
    group = named("S_6")
    best = max_margin(group).margin
    found = [(s, "corrected") for size in range(1, largest + 1) for s in kappa_search(group, size)]
    if not found:
        found.append((_chosen(group), "corrected"))
    found.append((_chosen(group, printed=True), "printed"))
    return [
        {"part": "kappa", "group": group.name, "form": form, "size": len(s.irreps), "value": s.margin / best,
         "label": " ".join(s.irreps) + "; " + " ".join(_cycles(group, c) for c in s.classes),
         "weights": [float(w) for w in s.weights if w], "strict": s.strict,
         "totals": [float(s.tau[c] * group.class_sizes[c]) for c in s.classes]}
        for s, form in found
    ]  # fmt: skip


def ascent_rows(group: Group) -> list[Row]:
    """Where single neurons stop that climb the weighted margin with the weights tau of the largest margin."""
    best, rows = max_margin(group).margin, []
    for start in range(STARTS):
        neuron = ascend(group, np.random.default_rng([FIRST_SEED, group.order, start]))
        irrep = real_irreps(group)[int(np.argmax(powers(group, neuron.u[:, 0])))]
        value = float(neuron_values(neuron, group)[0]) / best
        rows.append({"part": "ascent", "group": group.name, "start": start, "value": value, "label": irrep.label,
                     "dimension": irrep.dimension})  # fmt: skip
    return rows


def _chosen(group: Group, printed: bool = False) -> KappaSolution:
    irreps, cycles = CHOSEN
    names = [_cycles(group, c) for c in range(len(group.class_sizes))]
    solution = kappa_solution(group, irreps, [names.index(_named(cycle)) for cycle in cycles], printed)
    assert solution is not None
    return solution


def _cycles(group: Group, c: int) -> str:
    """A class of S_6 by its cycles of length 2 and more: 2+2, 6; e."""
    element = next(islice(permutations(range(6)), int(group.class_elements[c]), None))
    return _named(cycle_type(element))


def _named(cycle: tuple[int, ...]) -> str:
    return "+".join(str(length) for length in cycle if length > 1) or "e"
