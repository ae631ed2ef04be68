"""Heads that select, lookups, and both together; sizes here are nowhere in the text."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassware.theory.variable_creation.bases import Basis, crowded_basis, one_hot_basis, random_sign_basis
from glassware.theory.variable_creation.juntas import (
    SYMMETRIC,
    all_bits,
    at,
    circuit,
    folded,
    junta_network,
    patterns,
    run_circuit,
    symmetric_table,
    truth_table,
)
from glassware.theory.variable_creation.lookup import first_layer_bound, lookup, lookup_1d
from glassware.theory.variable_creation.norms import pq_norm, softmax, spectral
from glassware.theory.variable_creation.sample_complexity import head_norms, local_exponents, sample_report
from glassware.theory.variable_creation.selection import head_limit, select, target
from glassware.theory.variable_creation.sharpness import (
    KINDS,
    exact_norms,
    sharpness,
    stated_norms,
    truncation,
    worst_error,
)

RNG = np.random.default_rng


@st.composite
def cases(draw):
    T = draw(st.integers(1, 40))
    s = draw(st.integers(1, min(T, 4)))
    seed = draw(st.integers(0, 2**32))
    return draw(st.sampled_from(KINDS)), T, tuple(int(i) for i in RNG(seed).choice(T, s, replace=False)), seed


def written_out(selection, bits):
    """softmax(x_CLS^T W_Q W_K^T X^T) X W_V W_C, summed over heads, for one string of bits."""
    X = selection.inputs.rows(bits[None])[0]
    total = 0
    for head in selection.heads:
        scores = X[-1] @ head.W_Q @ head.W_K.T @ X.T
        total = total + softmax(scores) @ X @ head.W_V @ head.W_C
    return total[: selection.outputs]


@settings(max_examples=40, deadline=None)
@given(cases())
def test_any_function_of_any_bits(case):
    kind, T, relevant, seed = case
    rng, s = RNG(seed), len(relevant)
    table = symmetric_table(rng.standard_normal(s + 1)) if kind in SYMMETRIC else rng.standard_normal(2**s)
    network = junta_network(kind, T, relevant, table)
    bits = patterns(T, relevant, rng)[:300]
    assert network.error(bits) <= 1e-9
    selection = network.selection
    np.testing.assert_allclose(selection(bits[:1])[0], written_out(selection, bits[0]), atol=1e-12)
    error = np.abs(selection(patterns(T, relevant, rng)) - selection.target(patterns(T, relevant, rng))).max()
    assert error <= worst_error(kind, T, s, selection.R) + 1e-12 <= head_limit(kind, s) + 1e-9
    norms = selection.norms()
    assert norms == pytest.approx(exact_norms(kind, T, s), abs=1e-9)
    assert all(norms[name] <= bound + 1e-9 for name, bound in stated_norms(kind, T, s).items())


@pytest.mark.parametrize("kind", KINDS)
def test_the_worst_error_is_reached(kind):
    selection, bits = select(kind, 11, (1, 4, 9)), all_bits(11)
    error = np.abs(selection(bits) - selection.target(bits)).max()
    assert error == pytest.approx(worst_error(kind, 11, 3, selection.R), abs=1e-12)


def test_truncation_counts_cls():
    selection = select("one head", 20, (0, 1))
    weights = selection.attention(np.zeros((1, 20), int))[0]
    distance = np.abs(weights - np.where(np.arange(21) < 2, 0.5, 0)).sum()
    assert distance == pytest.approx(truncation(20, 2, selection.R), abs=1e-12)


@pytest.mark.parametrize("change", [{"bump": "printed"}, {"width": "printed"}])
def test_printed_lookups_fail(change):
    table = RNG(0).standard_normal(8)
    bits = patterns(50, (3, 20, 41), RNG(1))
    assert junta_network("s heads", 50, (3, 20, 41), table, **change).error(bits) > 0.1
    assert junta_network("s heads", 50, (3, 20, 41), table).error(bits) < 1e-12


def test_printed_indices_select_nothing():
    assert np.abs(select("s heads", 9, (1, 2), printed=True)(all_bits(9))).max() == 0


def test_crowded_positions():
    """The text asks for Delta < 1/s. From 1/(2s-1) on other tokens can outscore the relevant ones."""
    for delta, printed in ((0.25, True), (0.19, False)):
        basis = crowded_basis(3, 5, delta)
        assert basis.coherence(range(3)) == pytest.approx(delta)
        R = sharpness("one head", 8, 3, delta, printed=printed, dual=not printed)
        heads = select("one head", 8, range(3), basis, R=R, dual=not printed)
        error = np.abs(heads(all_bits(8)) - heads.target(all_bits(8))).max()
        assert (error <= head_limit("one head", 3)) is not printed
    with pytest.raises(ValueError, match="no 50 vectors"):
        crowded_basis(3, 47, 0.3)


def test_duals_mend_what_sums_break():
    basis, bits = random_sign_basis(100, 1500, RNG(0)), patterns(100, (5, 50, 77), RNG(1))
    table = truth_table("maj", 3)
    assert basis.coherence((5, 50, 77)) < 1 / 6
    for kind in ("bag", "bag vector"):
        assert junta_network(kind, 100, (5, 50, 77), table, basis).error(bits) < 1e-9
        assert junta_network(kind, 100, (5, 50, 77), table, basis, dual=False).error(bits) > 0.1
    np.testing.assert_allclose(basis.duals((5, 50)) @ basis.v[[5, 50]].T, np.eye(2), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 2**32))
def test_a_lookup_is_constant_on_boxes_and_zero_far_away(d, count, seed):
    rng = RNG(seed)
    delta = 0.25
    points = rng.permutation(8)[:count, None] * 4 * delta * np.ones(d)  # 4 delta apart in all coordinates
    values = rng.standard_normal(count)
    network, noise = lookup(points, values, delta), rng.uniform(-delta, delta, (count, d))
    np.testing.assert_allclose(network(points + noise), values, atol=1e-10)
    np.testing.assert_allclose(network(points - 100.0), 0, atol=1e-9)
    assert network.largest()["W_1"] <= first_layer_bound(float(points.max()), delta) + 1e-12
    if d == 1:
        np.testing.assert_allclose(lookup_1d(points, values, delta)(points + noise), values, atol=1e-10)


def test_the_printed_bound_of_entries_is_passed():
    largest = lookup(np.array([[0.0], [4.0]]), np.ones(2), 1.0).largest()["W_1"]
    assert first_layer_bound(4.0, 1.0, printed=True) < largest == first_layer_bound(4.0, 1.0) == 6
    # Slopes alone are larger than B/delta + 2 where points are near 0.
    assert lookup(np.array([[0.0], [0.4]]), np.ones(2), 0.1).largest()["W_1"] == first_layer_bound(0.4, 0.1) == 10


def test_folding_the_first_layer_into_the_heads():
    bits = patterns(30, (2, 9, 20), RNG(0))
    network = junta_network("trained heads", 30, (2, 9, 20), RNG(1).standard_normal(8))
    np.testing.assert_allclose(folded(network, bits), network.wanted(bits), atol=1e-9)
    with pytest.raises(ValueError, match="bag"):
        folded(junta_network("bag", 30, (2, 9), truth_table("or", 2)), bits)


def test_a_gate_of_gates():
    bits, tables = all_bits(7), tuple(truth_table(gate, 2) for gate in ("xor", "or", "and"))
    gates = circuit(7, (0, 5), (2, 6), tables)
    wanted = (bits[:, 0] ^ bits[:, 5]) & (bits[:, 2] | bits[:, 6])
    np.testing.assert_allclose(run_circuit(gates, bits), wanted, atol=1e-9)


def test_tables():
    assert at(truth_table("maj", 3), np.array([[1, 1, 0], [1, 0, 0]])).tolist() == [1, 0]
    assert truth_table("and", 2).tolist() == [0, 0, 0, 1]
    with pytest.raises(ValueError, match="number of ones alone"):
        junta_network("one head", 9, (0, 1), np.array([0.0, 1.0, 0.0, 0.0]))
    with pytest.raises(ValueError, match="table of 4 values"):
        junta_network("s heads", 9, (0, 1), np.zeros(8))
    with pytest.raises(ValueError, match="different places"):
        select("bag", 9, (3, 3))


def test_norms_that_enter_the_bound_are_those_of_the_weights():
    for kind in KINDS:
        selection = select(kind, 14, (1, 4, 9))
        for head, norms in zip(selection.heads, head_norms(kind, 3, selection.R), strict=True):
            value, key = head.W_V @ head.W_C[:, : selection.outputs], head.W_K @ head.W_Q.T
            found = pq_norm(value, 2, 1), spectral(value), pq_norm(key, 2, 1)
            assert found == pytest.approx((norms.V21, norms.V, norms.QK21)), kind


def test_samples_grow_like_log_t_only_if_norms_do_not():
    powers = (30, 60)
    fixed, grown = ([sample_report("one head", 3, p, R=R).log_m for p in powers] for R in (5.0, None))
    assert 0 < local_exponents(fixed, powers)[0] <= 1
    assert 2 < local_exponents(grown, powers)[0] <= 3


def test_bases_are_what_they_say():
    for basis in (one_hot_basis(6), random_sign_basis(6, 50, RNG(0))):
        assert isinstance(basis, Basis)
        others = np.stack([*basis.tokens, basis.cls])
        np.testing.assert_allclose(others @ others.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(basis.v @ others.T, 0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(basis.v, axis=1), 1)
    assert target("bag", np.array([[1, 1, 0]])).item() == pytest.approx((2 - 3) / 3)
    assert math.isclose(sharpness("bag", 10, 2), math.log(8 * 10 * 2 * 2))
