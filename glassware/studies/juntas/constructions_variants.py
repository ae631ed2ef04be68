"""Rows of ``constructions`` about remarks of the text and about what it prints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from glassware.studies.claim import Scale
from glassware.studies.juntas.constructions_rows import Row, drawn_places, functions, head_error
from glassware.theory.variable_creation.bases import crowded_basis, gate_dimension, one_hot_basis, random_sign_basis
from glassware.theory.variable_creation.categorical import categorical_network
from glassware.theory.variable_creation.juntas import (
    SYMMETRIC,
    all_bits,
    at,
    circuit,
    class_weights,
    folded,
    junta_network,
    patterns,
    run_circuit,
    truth_table,
)
from glassware.theory.variable_creation.lookup import first_layer_bound, lookup, lookup_1d, second_layer_bound
from glassware.theory.variable_creation.norms import softmax
from glassware.theory.variable_creation.selection import head_limit, select, separation, target
from glassware.theory.variable_creation.sharpness import sharpness, truncation

GATE_CONTEXTS: dict[Scale, tuple[int, ...]] = {"smoke": (128,), "laptop": (256, 1024, 4096), "paper": (256, 1024, 4096)}


def variant_rows(scale: Scale) -> Iterator[Row]:
    """Gates, circuits, averages, symmetry, and lookups with fewer layers."""
    yield from _gates(scale)
    yield from _circuits(scale)
    yield from _categories()
    yield from _averages()
    yield from _symmetry()
    yield from _shorter()
    yield from _entries()


def printed_rows() -> Iterator[Row]:
    """Statements as printed and corrected, each with its distance from what it promises."""
    for form in ("printed", "corrected"):
        for name, gap in _promises(form == "printed").items():
            yield {"part": "printed", "name": name, "form": form, "gap": max(0.0, float(gap))}


def _promises(printed: bool) -> dict[str, float]:
    """Errors where equality is promised; elsewhere by how much a limit is passed, relative to it."""
    rng, T, s = np.random.default_rng(3), 50, 3
    relevant = drawn_places(T, s, rng)
    bits = patterns(T, relevant, rng)
    table, delta = functions("s heads", s, rng)["table"], separation("bag", s)
    bump = junta_network("s heads", T, relevant, table, bump="printed" if printed else "corrected")
    width = junta_network("s heads", T, relevant, table, width="printed" if printed else "corrected")
    steps = np.diff(target("one head", np.tri(s + 1, s, -1, dtype=int))[:, 0])
    entry = junta_network("bag", T, relevant, truth_table("xor", s)).lookup.largest()["W_1"]
    return {
        "bump": bump.error(bits),
        "width": width.error(bits),
        "index": head_error(select("s heads", T, relevant, printed=printed), bits) / head_limit("s heads", s) - 1,
        "sharpness": _crowded(printed),
        "monotone": float((2 / s - (steps if printed else -steps)).max() - 1e-15),
        "first layer": entry / first_layer_bound(float(s), delta, printed=printed) - 1,
        "permutation": _exchanged(wrong=printed),
    }


def _crowded(printed: bool, s: int = 3) -> float:
    """Lemma A.19 where Delta < 1/s, as printed; with dual keys it is right for Delta < 1 / (2s - 1)."""
    delta = 0.25 if printed else 0.19
    basis, T = crowded_basis(s, 5, delta), s + 5
    R = sharpness("one head", T, s, delta, printed=printed, dual=not printed)
    found = select("one head", T, range(s), basis, R=R, dual=not printed)
    return head_error(found, all_bits(T)) / head_limit("one head", s) - 1


def _gates(scale: Scale) -> Iterator[Row]:
    """All 16 gates of two bits, with vectors in O(log T) dimensions."""
    for T in GATE_CONTEXTS[scale]:
        rng, d = np.random.default_rng([T, 2]), gate_dimension(T, 2)
        basis, relevant = random_sign_basis(T, d, rng), drawn_places(T, 2, rng)
        bits = patterns(T, relevant, rng)
        heads = select("s heads", T, relevant, basis)
        found, points = heads(bits), target("s heads", all_bits(2))
        worst = 0.0
        for table in all_bits(4).astype(float):
            network = lookup(points, table, separation("s heads", 2))
            worst = max(worst, float(np.abs(network(found) - at(table, bits[:, list(relevant)])).max()))
        yield {"part": "variant", "name": "gates", "T": T, "s": 2, "value": float(d), "gap": worst}


def _circuits(scale: Scale) -> Iterator[Row]:
    """Two gates and a gate of them, on all inputs."""
    T, count = (6, 4) if scale == "smoke" else (10, 30)
    rng = np.random.default_rng(5)
    bits = all_bits(T)
    for _ in range(count):
        a, b, c, d = drawn_places(T, 4, rng)
        first, second, last = all_bits(4)[rng.integers(0, 16, 3)].astype(float)
        gates = circuit(T, (a, b), (c, d), (first, second, last))
        inner = np.stack([at(first, bits[:, [a, b]]), at(second, bits[:, [c, d]])], axis=1).astype(int)
        gap = float(np.abs(run_circuit(gates, bits) - at(last, inner)).max())
        yield {"part": "variant", "name": "circuit", "T": T, "s": 4, "gap": gap}


def _categories() -> Iterator[Row]:
    """Tokens of more than two kinds."""
    for T, kinds, s in ((40, 3, 3), (200, 5, 2)):
        rng = np.random.default_rng([T, kinds])
        table, places = rng.standard_normal(kinds**s), drawn_places(T, s, rng)
        symbols = rng.integers(0, kinds, (300, T))
        wanted = table[symbols[:, places] @ kinds ** np.arange(s)[::-1]]
        gap = float(np.abs(categorical_network(T, places, kinds, table)(symbols) - wanted).max())
        yield {"part": "variant", "name": "categories", "T": T, "s": s, "value": float(kinds), "gap": gap}


def _averages() -> Iterator[Row]:
    """Attention to all ones of a string: weights against 1/n, beside the closed form."""
    rng, T, R = np.random.default_rng(6), 40, 6.0
    basis = one_hot_basis(T)
    for count in (1, 13, 40):
        bits = np.arange(T) < count
        weights = class_weights(basis.v + basis.tokens[rng.permutation(bits).astype(int)], basis.tokens[1], R)
        even = np.where(weights > weights.min() * 2, 1 / count, 0.0)
        distance, closed = float(np.abs(weights - even).sum()), truncation(T, count, R)
        yield {"part": "variant", "name": "class average", "T": T, "s": count, "value": distance, "wanted": closed,
               "gap": abs(distance - closed)}  # fmt: skip


def _symmetry() -> Iterator[Row]:
    """Rows of a bag in another order."""
    yield {"part": "variant", "name": "bag symmetry", "T": 30, "s": 3, "gap": _exchanged(wrong=False)}


def _exchanged(wrong: bool) -> float:
    """How much a permutation changes a bag's output: of the rows of diag(b) V, or (``wrong``) of V before diag(b)."""
    rng, T, s = np.random.default_rng(7), 30, 3
    relevant, order = drawn_places(T, s, rng), rng.permutation(T + 1)
    bits = rng.integers(0, 2, (20, T))
    bits[0] = 0
    bits[0, relevant[0]] = 1
    largest = 0.0
    for kind in ("bag", "bag vector"):
        selection = select(kind, T, relevant)
        (head,), plain = selection.heads, selection(bits)
        rows = selection.inputs.rows(bits)
        if wrong:
            # V Pi diag(b): bits meet the vectors of other places.
            rows = rows.copy()
            rows[:, :T] = bits[..., None] * selection.inputs.positions[order[order < T]]
        else:
            rows = rows[:, order]
        weights = softmax(rows @ head.W_K @ (head.W_Q.T @ selection.inputs.cls))
        moved = np.einsum("nt,nto->no", weights, rows @ head.W_V @ head.W_C[:, : selection.outputs])
        largest = max(largest, float(np.abs(moved - plain).max()))
    return largest


def _shorter() -> Iterator[Row]:
    """W_1 folded into the heads; one hidden layer where points lie on a line."""
    rng, T, s = np.random.default_rng(8), 60, 4
    relevant = drawn_places(T, s, rng)
    bits = patterns(T, relevant, rng)
    for kind in ("one head", "s heads", "trained", "trained heads"):
        network = junta_network(kind, T, relevant, functions(kind, s, rng)["table"])
        gap = float(np.abs(folded(network, bits) - network.wanted(bits)).max())
        yield {"part": "variant", "name": "folded", "kind": kind, "T": T, "s": s, "gap": gap}
    counts = np.tri(s + 1, s, -1, dtype=int)
    for kind in SYMMETRIC:
        network = junta_network(kind, T, relevant, functions(kind, s, rng)["table"])
        line = lookup_1d(target(kind, counts), at(network.table, counts), separation(kind, s))
        gap = float(np.abs(line(network.selection(bits)) - network.wanted(bits)).max())
        yield {"part": "variant", "name": "one hidden layer", "kind": kind, "T": T, "s": s, "gap": gap}


def _entries() -> Iterator[Row]:
    """Largest entries of the lookup's weights over their bounds: equal for points that reach B."""
    for kind in ("one head", "bag", "bag vector"):
        for s in (2, 5):
            counts = all_bits(s) if kind == "bag vector" else np.tri(s + 1, s, -1, dtype=int)
            points, delta = target(kind, counts), separation(kind, s)
            largest = lookup(points, np.ones(len(points)), delta).largest()
            bounds = {"W_1": first_layer_bound(float(np.abs(points).max()), delta),
                      "W_2": second_layer_bound(points.shape[1], delta)}  # fmt: skip
            for name, bound in bounds.items():
                yield {"part": "variant", "name": f"largest entry of {name}", "kind": kind, "s": s,
                       "value": largest[name], "wanted": bound, "gap": abs(largest[name] / bound - 1)}  # fmt: skip
