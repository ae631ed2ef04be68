"""Whole networks; sizes here are nowhere in the text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassware.theory.variable_creation.bases import random_sign_basis
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
from glassware.theory.variable_creation.selection import head_limit
from glassware.theory.variable_creation.sharpness import KINDS, exact_norms, stated_norms, worst_error

RNG = np.random.default_rng


@st.composite
def cases(draw):
    T = draw(st.integers(1, 40))
    s = draw(st.integers(1, min(T, 4)))
    seed = draw(st.integers(0, 2**32))
    return draw(st.sampled_from(KINDS)), T, tuple(int(i) for i in RNG(seed).choice(T, s, replace=False)), seed


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
    error = np.abs(selection(bits) - selection.target(bits)).max()
    assert error <= worst_error(kind, T, s, selection.R) + 1e-12 <= head_limit(kind, s) + 1e-9
    norms = selection.norms()
    assert norms == pytest.approx(exact_norms(kind, T, s), abs=1e-9)
    assert all(norms[name] <= bound + 1e-9 for name, bound in stated_norms(kind, T, s).items())


@pytest.mark.parametrize("change", [{"bump": "printed"}, {"width": "printed"}])
def test_printed_lookups_fail(change):
    table = RNG(0).standard_normal(8)
    bits = patterns(50, (3, 20, 41), RNG(1))
    assert junta_network("s heads", 50, (3, 20, 41), table, **change).error(bits) > 0.1
    assert junta_network("s heads", 50, (3, 20, 41), table).error(bits) < 1e-12


def test_duals_mend_what_sums_break():
    basis, bits = random_sign_basis(100, 1500, RNG(0)), patterns(100, (5, 50, 77), RNG(1))
    table = truth_table("maj", 3)
    assert basis.coherence((5, 50, 77)) < 1 / 6
    for kind in ("bag", "bag vector"):
        assert junta_network(kind, 100, (5, 50, 77), table, basis).error(bits) < 1e-9
        assert junta_network(kind, 100, (5, 50, 77), table, basis, dual=False).error(bits) > 0.1


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
