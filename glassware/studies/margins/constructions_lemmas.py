"""Formulas of the proofs in numbers, corrected and as printed, and Table D.1: rows of ``constructions`` on equalities.

A row has a statement, a form, a case, and the distance from equality. The printed form of a statement is there where it
differs from the corrected one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from glassware.theory.margins import lemmas
from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.groups import Group, named, symmetric
from glassware.theory.margins.margins import (
    ascend,
    best_neuron_value,
    neuron_norms,
    neuron_values,
    normalised_margin,
    outputs,
)
from glassware.theory.margins.networks import GroupNetwork, maxmargin_cyclic, maxmargin_group, printed_group
from glassware.theory.margins.optimum import max_margin
from glassware.theory.margins.partitions import partition_character
from glassware.theory.margins.representations import coefficients, matrices
from glassware.theory.margins.spectra import fourier_power, irrep_dft3, network_dft3

Row = dict[str, object]

SEED = 100
PRIMES = (5, 7, 13)
GROUPS = ("S_3", "S_4", "D_5")
FORMS = ("corrected", "printed")
# Table D.1: the classes in its order, by their cycles, and its rows under the names it gives them.
COLUMNS = ((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), (4, 1), (5,), (3, 2))
TABLE = {
    "trivial": ((1, 1, 1, 1, 1, 1, 1), "(5)"),
    "sign": ((1, -1, 1, 1, -1, 1, -1), "(1,1,1,1,1)"),
    "standard": ((4, -2, 0, 1, 0, -1, 1), "(4,1)"),
    "standard x sign": ((4, 2, 0, 1, 0, -1, -1), "(2,1,1,1)"),
    "5d_a": ((5, 1, 1, -1, -1, 0, 1), "(3,2)"),
    "5d_b": ((5, -1, 1, -1, 1, 0, -1), "(2,2,1)"),
    "6d": ((6, 0, -2, 0, 0, 1, 0), "(3,1,1)"),
}


def table_rows() -> list[Row]:
    """Each printed row of Table D.1, the irrep of S_5 that it is nearest to, and the one that its name means."""
    group = symmetric(5)
    cycles = {irrep.label: _partition(irrep.label) for irrep in real_irreps(group)}
    # In the order of the printed columns; classes from the multiplication table are found by their characters.
    own = {label: [partition_character(shape, cycle) for cycle in COLUMNS] for label, shape in cycles.items()}
    rows: list[Row] = []
    for name, (printed, meant) in TABLE.items():
        gaps = {label: float(np.abs(np.subtract(row, printed)).max()) for label, row in own.items()}
        nearest = min(gaps, key=lambda label: gaps[label])
        character = next(irrep.character for irrep in real_irreps(group) if irrep.label == nearest)
        as_multiset = np.abs(np.sort(character) - np.sort(np.array(printed, float))).max()
        rows.append({"part": "table", "label": name, "nearest": nearest, "meant": meant, "named_gap": gaps[meant],
                     "gap": max(gaps[nearest], float(as_multiset)), "values": [float(v) for v in printed]})  # fmt: skip
    return rows


def lemma_rows() -> list[Row]:
    """All statements in both forms."""
    rng = np.random.default_rng(SEED)
    made = [*_pairs(rng), *_cyclic(rng), *_weighted(rng), *_weights(), *_networks(), *_matches()]
    return [
        {"part": "lemma", "statement": statement, "form": form, "task": case, "gap": float(gap)}
        for statement, form, case, gap in made
    ]


Gap = tuple[str, str, str, float]


def _pairs(rng: np.random.Generator) -> Iterator[Gap]:
    x, y, z = rng.standard_normal((3, 1000))
    direct = (x + y) ** 2 * z - (x - y) ** 2 * z
    for form in FORMS:
        printed = form == "printed"
        yield "pair of neurons", form, "output", np.abs(lemmas.pair_output(x, y, z, printed) - direct).max()
        neurons = lemmas.pair_neurons(x, y, z, printed)
        yield "pair of neurons", form, "written out", np.abs(neurons - 4 * x * y * z).max()


def _cyclic(rng: np.random.Generator) -> Iterator[Gap]:
    for p in PRIMES:
        group, network = named(f"Z_{p}"), maxmargin_cyclic(p)
        size = 4 * (p - 1) * (1.5 * p) ** 1.5  # the norm's cube with amplitudes 1
        found = outputs(network, group) * size
        right = found[np.arange(p * p), group.table.ravel()]
        unit = _random(p, rng)
        spectrum = sum(np.sum(np.abs(np.fft.fft(part.ravel())) ** 2) for part in unit)
        wave = np.cos(2 * np.pi * np.arange(p)[:, None] / p)
        j = np.arange(1, p)
        margin = normalised_margin(network, group)
        for form in FORMS:
            printed = form == "printed"
            good, bad = lemmas.cyclic_outputs(p, printed)
            yield "outputs of D.6.2", form, group.name, max(np.abs(right - good).max(), np.abs(found.min() - bad))
            yield "Plancherel's budget", form, group.name, abs(spectrum - lemmas.spectrum_budget(p, printed))
            yield "power of a cosine", form, group.name, abs(fourier_power(wave, printed).max() - 1)
            transform = network_dft3(network, printed)[j, j, -j] / (margin * p**2)
            yield "transform of D.6.3", form, group.name, np.abs(transform - 1).max()
        yield (
            "equation D.3",
            "corrected",
            group.name,
            abs(lemmas.cyclic_weighted_margin(*(part.ravel() for part in unit)) - neuron_values(unit, group)[0]),
        )


def _weighted(rng: np.random.Generator) -> Iterator[Gap]:
    for name in GROUPS:
        group = named(name)
        best, unit = max_margin(group), _random(group.order, rng)
        first, second, third = ([coefficients(irrep, part.ravel()) for irrep in matrices(group)] for part in unit)
        top = neuron_values(ascend(group, rng), group)[0]
        alpha, beta, gamma = (
            max(part, key=len) for part in (first, second, third)
        )  # of an irrep of the largest dimension
        for form in FORMS:
            printed = form == "printed"
            value = lemmas.weighted_margin_lemma(group, first, second, third, best.tau, printed)
            yield "Lemma D.11", form, name, abs(value / neuron_values(unit, group)[0] - 1)
            yield "Lemma D.13", form, name, abs(best_neuron_value(group, printed=printed) / top - 1)
            trace = lemmas.trace_product(alpha, beta, gamma, printed) / np.trace(alpha @ beta @ gamma.T)
            yield "rows in Lemma D.13", form, name, abs(trace - 1)


def _weights() -> Iterator[Gap]:
    for name in GROUPS:
        group = named(name)
        tau, sums = max_margin(group, lp=True).tau, sum(i.dimension**2.5 for i in real_irreps(group)[1:])
        signed = np.append(1.0, -tau[1:])  # the class function of the proof
        last = len(real_irreps(group)) - 1
        weight = real_irreps(group)[last].dimension ** 1.5 / sums
        for form in FORMS:
            printed = form == "printed"
            yield "weights of Lemma D.14", form, name, np.abs(lemmas.class_weights(group, printed) - tau).max()
            yield "weight of sign", form, name, abs(lemmas.sign_weight(group, printed) * sums - 1)
            found = lemmas.character_weight(group, signed, last, printed)
            yield "weight of an irrep", form, name, abs(found / weight - 1)
            yield "total weight", form, name, abs(lemmas.total_weight(group, tau, printed) - 1)


def _networks() -> Iterator[Gap]:
    for name in GROUPS:
        group = named(name)
        best, delta = max_margin(group).margin, 1.7
        makers = {"corrected": maxmargin_group, "printed": printed_group}
        for form in FORMS:
            printed = form == "printed"
            yield "network of Lemma D.15", form, name, abs(normalised_margin(makers[form](group), group) / best - 1)
            yield "length of its neurons", form, name, max(_length_gap(group, printed))
            constant = lemmas.constant_output(group, delta, printed) * delta**3
            yield "equation D.16", form, name, np.abs(constant + 1).max()
            scales = [lemmas.irrep_scale(i.dimension, printed) ** 3 * i.dimension**0.5 for i in real_irreps(group)[1:]]
            yield "scale of Lemma D.16", form, name, max(scales) - min(scales)


def _length_gap(group: Group, printed: bool) -> Iterator[float]:
    for irrep, found in list(zip(real_irreps(group), matrices(group), strict=True))[1:]:
        entry = found[:, 0, 0].real * lemmas.optimal_coefficient(group.order, irrep.dimension, printed)
        neuron = GroupNetwork(entry[:, None], entry[:, None], entry[None])
        yield abs(float(neuron_norms(neuron)[0]) - 1)


def _matches() -> Iterator[Gap]:
    """D.9.1: the transform of a network at matching entries, and at those with the first two exchanged."""
    group = named("D_5")
    network = maxmargin_group(group)
    place = next(i for i, irrep in enumerate(real_irreps(group)) if irrep.dimension == 2)
    found = irrep_dft3(network, group, place) / (normalised_margin(network, group) * group.order**2 / 4)
    i, j, k = (index.ravel() for index in np.indices((2, 2, 2)))
    yield "matches of D.9.1", "corrected", group.name, np.abs(found[i, j, j, k, i, k] - 1).max()
    exchanged = found[j, k, i, j, i, k]  # (j, k) of a and (i, j) of b
    off = ~((i == j) & (j == k))  # where both matches are one entry nothing is exchanged
    yield "matches of D.9.1", "printed", group.name, np.abs(exchanged[off] - 1).max()


def _random(order: int, rng: np.random.Generator) -> GroupNetwork:
    """A random neuron of length 1."""
    u, v, w = rng.standard_normal((3, order)) / math.sqrt(order)
    size = math.sqrt(float(u @ u + v @ v + w @ w))
    return GroupNetwork(u[:, None] / size, v[:, None] / size, w[None] / size)


def _partition(label: str) -> tuple[int, ...]:
    return tuple(int(number) for number in label.strip("()").split(","))
