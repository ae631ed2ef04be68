"""Explicit networks and what becomes of them: rows of ``constructions`` about margins.

``part`` says what a row is about:
    network    a network of largest margin: how far its margin is from gamma*, its points and its wrong labels from ties
    frequency  the eight neurons of one frequency on Z_p
    kept       the blocks of frequencies 1 .. k on Z_p
    deleted    a network of largest margin without one irrep (one frequency), beside the closed form
    patterns   parity without one sign pattern, its other neurons weighted as well as can be
    memorising the network of D.4, balanced and as printed
    weighting  the best neuron in each irrep under a weighting of wrong labels
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linprog

from glassware.studies.claim import Scale
from glassware.theory.boolean import cube
from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.groups import Group, named
from glassware.theory.margins.margins import (
    Network,
    ParityTask,
    Task,
    best_neuron_value,
    certify,
    labels,
    norm_power,
    normalised_margin,
    outputs,
    point_margins,
)
from glassware.theory.margins.networks import (
    maxmargin_cyclic,
    maxmargin_group,
    maxmargin_parity,
    memorising,
    some_frequencies,
)
from glassware.theory.margins.optimum import (
    gains,
    max_margin,
    max_margin_cyclic,
    memorising_margin,
    uniform_classes,
    uniform_labels,
)

Row = dict[str, object]

CYCLIC = (5, 7, 9, 11, 13, 15, 23)
PARITY = ((5, 2), (6, 3), (10, 4), (7, 5))
REAL = ("S_3", "S_4", "D_4", "D_5")
OTHER_TYPES = ("Z_4", "A_4", "Q_8")  # complex and quaternionic irreps, outside the theorems
MEMORISED = ("Z_5", "Z_23", "S_3", "S_4", "D_5")
UNIFORM = ("S_3", "S_4", "S_5", "S_6", "D_4", "D_6")
SLOW_CYCLIC, SLOW_REAL, SLOW_MEMORISED = (71,), ("S_5",), ("Z_71", "A_5")  # left out at smoke scale


def network_rows(scale: Scale) -> list[Row]:
    """The networks of Theorems 7.7 to 7.9, and those of groups with irreps of other types."""
    more = scale != "smoke"
    primes = (*CYCLIC, *(SLOW_CYCLIC if more else ()))
    rows = [_network("Theorem 7.7", named(f"Z_{p}"), maxmargin_cyclic(p), 4 * (p - 1)) for p in primes]
    rows += [_network("Theorem 7.8", ParityTask(n, k), maxmargin_parity(n, k), 2 ** (k - 1)) for n, k in PARITY]
    for kind, names in (("Theorem 7.9", (*REAL, *(SLOW_REAL if more else ()))), ("other types", OTHER_TYPES)):
        for name in names:
            group = named(name)
            width = sum(irrep.neurons for irrep in real_irreps(group)[1:])
            rows.append(_network(kind, group, maxmargin_group(group), width))
    return rows


def frequency_rows(scale: Scale) -> list[Row]:
    """What one frequency does alone, and the first k together."""
    rows: list[Row] = []
    for p in (*CYCLIC, *(SLOW_CYCLIC if scale != "smoke" else ())):
        group, every = named(f"Z_{p}"), range(1, (p + 1) // 2)
        for k in every:
            margins = point_margins(some_frequencies(p, [k]), group)
            rows.append({"part": "frequency", "task": group.name, "kept": k, "common": math.gcd(k, p),
                         "accuracy": float(np.mean(margins > 1e-12)), "low": float(margins.min())})  # fmt: skip
            network = some_frequencies(p, range(1, k + 1))
            rows.append({"part": "kept", "task": group.name, "kept": k, "share": k / len(every),
                         "ratio": normalised_margin(network, group) / max_margin_cyclic(p),
                         "formula": kept_ratio(p, range(1, k + 1))})  # fmt: skip
        last = every[-1]
        network = some_frequencies(p, [k for k in every if k != last])
        closed = (1 - 2 * (1 + math.cos(math.pi / p)) / p) * (p - 1) / (p - 3)
        rows.append({"part": "deleted", "task": group.name, "label": str(last), "formula": closed,
                     "ratio": normalised_margin(network, group) / max_margin_cyclic(p),
                     "certified": certify(network, group).proved})  # fmt: skip
    return rows


def kept_ratio(p: int, kept: range) -> float:
    """Margin over gamma* of the blocks of some frequencies: every frequency adds 1 - cos(2 pi k delta / p)."""
    shifts = np.arange(1, p)
    sums = np.sum([1 - np.cos(2 * np.pi * k * shifts / p) for k in kept], axis=0)
    return float(sums.min() / len(kept) * (p - 1) / p)


def deleted_rows(scale: Scale) -> list[Row]:
    """A network of largest margin without one of its irreps."""
    rows: list[Row] = []
    for name in ("S_4", *(SLOW_REAL if scale != "smoke" else ())):
        group = named(name)
        best = max_margin(group)
        for place, irrep in list(enumerate(real_irreps(group)))[1:]:
            shares = np.where(np.arange(len(best.shares)) == place, 0.0, best.shares)
            network, mass = maxmargin_group(group, shares / shares.sum()), best.shares[place]
            closed = (1 - mass * gains(group)[place].max() / best.margin) / (1 - mass)
            rows.append({"part": "deleted", "task": name, "label": irrep.label, "formula": float(closed),
                         "ratio": normalised_margin(network, group) / best.margin,
                         "certified": certify(network, group).proved})  # fmt: skip
    return rows


def pattern_rows() -> list[Row]:
    """The best margin of optimal neurons that lack one sign pattern: a linear programme over their masses."""
    rows: list[Row] = []
    for k in (2, 3, 4):
        network = maxmargin_parity(k, k)
        signs = np.prod(cube(k), axis=1)
        one = (cube(k) @ network.u) ** k * (network.w[:, 0] - network.w[:, 1]) * signs[:, None]
        one = one / (one.sum(axis=1).mean() / one.shape[1])  # margins of single neurons, over gamma* at equal mass
        left = one[:, 1:]
        count = left.shape[1]
        found = linprog(np.append(np.zeros(count), -1.0), A_ub=np.column_stack([-left, np.ones(len(left))]),
                        b_ub=np.zeros(len(left)), A_eq=np.append(np.ones(count), 0.0)[None], b_eq=[1.0],
                        bounds=[(0, None)] * count + [(None, None)])  # fmt: skip
        rows.append({"part": "patterns", "task": f"({k},{k}) parity", "kept": count, "ratio": float(found.x[-1])})
    return rows


def memorising_rows(scale: Scale) -> list[Row]:
    """Two neurons per pair of elements: right everywhere, flat in every spectrum, and of small margin."""
    rows: list[Row] = []
    for name in (*MEMORISED, *(SLOW_MEMORISED if scale != "smoke" else ())):
        group = named(name)
        best = max_margin(group).margin
        flat = np.array([irrep.multiplicity for irrep in real_irreps(group)]) / group.order
        for form in ("balanced", "printed"):
            network = memorising(group, balanced=form == "balanced")
            margins, first = point_margins(network, group), network.u[:, : group.order**2 : group.order]
            ratio = float(margins.min()) / norm_power(network, group) / best
            rows.append({"part": "memorising", "task": name, "form": form, "neurons": len(network.w), "ratio": ratio,
                         "formula": memorising_margin(group.order, form == "balanced") / best,
                         "accuracy": float(np.mean(margins > 0)),
                         "spread": float(np.abs(powers(group, first) - flat[:, None]).max())})  # fmt: skip
    return rows


def weighting_rows() -> list[Row]:
    """The best neuron in each irrep under three weightings of the wrong labels, over gamma*."""
    rows: list[Row] = []
    for name in UNIFORM:
        group = named(name)
        best, irreps = max_margin(group), real_irreps(group)
        forms = {"largest margin": best.tau, "uniform over labels": uniform_labels(group),
                 "uniform over classes": uniform_classes(group)}  # fmt: skip
        for form, tau in forms.items():
            values = gains(group) @ (tau * group.class_sizes) / best.margin
            bound = best_neuron_value(group, tau) / best.margin
            rows += [{"part": "weighting", "task": name, "form": form, "label": irrep.label, "ratio": float(value),
                      "dimension": irrep.dimension, "share": float(value) / bound}
                     for irrep, value in zip(irreps[1:], values[1:], strict=True)]  # fmt: skip
    return rows


def _network(kind: str, task: Task, network: Network, width: int) -> Row:
    best = max_margin(task).margin if isinstance(task, Group) else best_neuron_value(task)
    power, found, right = norm_power(network, task), outputs(network, task), labels(task)
    wrong = found.copy()
    wrong[np.arange(len(right)), right] = np.nan
    margins = point_margins(network, task)
    name = task.name if isinstance(task, Group) else f"({task.n},{task.k}) parity"
    return {
        "part": "network", "kind": kind, "task": name, "neurons": len(network.w), "width": width,
        "gamma": float(margins.min()) / power, "ratio": float(margins.min()) / power / best,
        "spread": float(np.ptp(margins)) / power / best,
        "labels": float((np.nanmax(wrong, axis=1) - np.nanmin(wrong, axis=1)).max()) / power / best,
        "certified": certify(network, task).proved,
    }  # fmt: skip
