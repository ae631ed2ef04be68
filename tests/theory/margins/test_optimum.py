import math

import numpy as np
import pytest
from scipy.optimize import linprog

from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.groups import cyclic, named, symmetric
from glassware.theory.margins.optimum import (
    gains,
    max_margin,
    max_margin_cyclic,
    max_margin_parity,
    memorising_margin,
    theorem_7_9,
    uniform_classes,
    uniform_labels,
)


@pytest.mark.parametrize(
    ("name", "margin", "width"),
    [
        ("S_2", 0.2721655, 2),
        ("S_3", 2.360497e-2, 18),
        ("S_4", 2.076648e-3, 126),
        ("S_5", 1.325977e-4, 1190),
        ("D_4", 0.01571966, 22),
        ("D_5", 0.009884603, 34),
        ("D_6", 0.007762566, 38),
        ("S_3 x Z_2", 0.007762566, 38),
        ("Z_2 x Z_2 x Z_2", 0.01944039, 14),
        ("Z_4", 0.05026871, 10),
        ("Z_6", 0.02360497, 18),
        ("Z_8", 0.01434673, 26),
        ("Z_2 x Z_4", 0.01571966, 22),
        ("Z_3 x Z_3", 0.01134023, 32),
        ("A_4", 0.006033111, 62),
        ("Q_8", 0.01237116, 38),
    ],
)
def test_closed_forms_and_the_linear_programme_agree(name, margin, width):
    """Two derivations: Theorem 7.9 and its extension to other types, and the game of irreps against classes."""
    group = named(name)
    closed, solved = max_margin(group), max_margin(group, lp=True)
    assert (closed.closed_form, solved.closed_form) == (True, False)
    assert closed.margin == pytest.approx(margin, rel=1e-6)
    assert solved.margin == pytest.approx(closed.margin, rel=1e-10)
    assert closed.width == width
    for found in (closed, solved):
        assert found.shares.sum() == pytest.approx(1)
        assert found.shares[0] == 0
        assert found.tau @ group.class_sizes == pytest.approx(1)
        assert found.tau.min() >= 0
        np.testing.assert_allclose(found.tau, found.tau[group.classes[group.inverse[group.class_elements]]], atol=1e-12)
        # Neither side can do better: the two halves of an optimality proof.
        assert (found.shares @ gains(group))[1:].min() == pytest.approx(found.margin, rel=1e-9)
        assert (gains(group) @ (found.tau * group.class_sizes))[1:].max() == pytest.approx(found.margin, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "margin", "excess"),
    [
        ("S_6", 7.266303e-6, 1.1991),
        ("A_5", 4.315709e-4, 1.0342),
        ("D_4 x S_3", 7.655598e-4, 1.0051),
        ("S_3 x S_4", 1.087000e-4, 1.0043),
        ("D_4 x D_4", 5.315733e-4, 1.0193),
    ],
)
def test_outside_the_hypothesis_the_formula_is_beaten(name, margin, excess):
    group = named(name)
    found = max_margin(group)
    assert not found.closed_form
    assert found.margin == pytest.approx(margin, rel=1e-6)
    assert found.margin / theorem_7_9(group) == pytest.approx(excess, abs=2e-4)
    assert (gains(group) @ (found.tau * group.class_sizes))[1:].max() == pytest.approx(found.margin, rel=1e-9)


def test_the_alternating_group_leaves_its_largest_irrep_out():
    group = named("A_5")
    found = max_margin(group)
    np.testing.assert_allclose(found.shares[1:], [0.361, 0.361, 0.278, 0], atol=1e-3)
    np.testing.assert_allclose((found.tau * group.class_sizes)[1:], [0, 0.4156, 0.2922, 0.2922], atol=1e-4)
    assert found.width == 236
    best = gains(group) @ (found.tau * group.class_sizes) / found.margin
    assert best[-1] == pytest.approx(0.9295, abs=1e-4)


@pytest.mark.parametrize("p", [3, 5, 9, 13, 17, 71])
def test_cyclic_groups_are_a_case_of_the_general_formula_but_not_of_theorem_7_9(p):
    """As printed the theorem is for real irreps; read with d = 1 for Z_p it would be off by sqrt(2)."""
    found = max_margin(cyclic(p))
    assert found.margin == pytest.approx(max_margin_cyclic(p), rel=1e-12)
    assert found.width == 4 * (p - 1)
    np.testing.assert_allclose(found.shares[1:], 2 / (p - 1), rtol=1e-9)
    np.testing.assert_allclose(found.tau, uniform_labels(cyclic(p)), atol=1e-12)
    misread = 2 / (3 * math.sqrt(3 * p) * (p - 1))
    assert misread / found.margin == pytest.approx(math.sqrt(2))


def test_reference_margins_of_parity():
    found = [max_margin_parity(k) for k in (1, 2, 3, 4, 5)]
    np.testing.assert_allclose(found, [0.707107, 0.544331, 0.530330, 0.607157, 0.785674], rtol=1e-6)


@pytest.mark.parametrize(
    ("label", "ratio"),
    [
        ("(3,1,1)", 0.975),
        ("(3,2)", 0.981),
        ("(2,2,1)", 0.981),
        ("(4,1)", 0.993),
        ("(2,1,1,1)", 0.985),
        ("(1,1,1,1,1)", 0.999),
    ],
)
def test_the_margin_hardly_notices_a_missing_irrep_of_s5(label, ratio):
    group = symmetric(5)
    found = max_margin(group, without=[label])
    assert found.margin / max_margin(group).margin == pytest.approx(ratio, abs=6e-4)
    assert found.shares[[irrep.label for irrep in real_irreps(group)].index(label)] == 0


def test_deleting_an_irrep_of_s5_without_rebalancing_costs_more():
    """The other irreps keep their proportions, as in the network of Theorem 7.9 with some neurons removed."""
    group = symmetric(5)
    best = max_margin(group)
    ratios = []
    for place in range(1, 7):
        shares = np.where(np.arange(7) == place, 0, best.shares)
        ratios.append((shares @ gains(group))[1:].min() / shares.sum() / best.margin)
    np.testing.assert_allclose(ratios, [0.9478, 0.9505, 0.8993, 0.9505, 0.9099, 0.9871], atol=1e-4)


@pytest.mark.parametrize("name", ["S_3", "S_4", "S_5", "S_6"])
def test_uniform_weights_make_sign_the_only_best_irrep(name):
    """Both readings of "uniformly", over labels and over classes: neither certifies anything."""
    group = named(name)
    for tau in (uniform_labels(group), uniform_classes(group)):
        assert tau @ group.class_sizes == pytest.approx(1)
        values = (gains(group) @ (tau * group.class_sizes))[1:]
        assert np.argmax(values) == len(values) - 1  # (1,...,1) is the last
        assert np.sum(values > 0.95 * values.max()) == 1


@pytest.mark.parametrize(("name", "ratio"), [("S_3", 0.45294), ("D_5", 0.38939), ("Z_23", 0.282), ("Z_5", 0.506)])
def test_the_memorising_network_is_far_from_the_maximum(name, ratio):
    group = named(name)
    assert memorising_margin(group.order) / max_margin(group).margin == pytest.approx(ratio, abs=5e-4)
    assert memorising_margin(group.order, balanced=False) / memorising_margin(group.order) == pytest.approx(
        0.43856, abs=1e-5
    )


def test_the_margin_of_s3_by_a_game_written_out():
    """chi of (2,1) and sign on transpositions and 3-cycles: (0, -1) and (-1, 1), d = 2 and 1."""
    game = 2 / 18**1.5 * np.array([[2**-1.5 * 2, 2**-1.5 * 3], [2.0, 0.0]])
    solved = linprog([0, 0, -1], A_ub=np.column_stack([-game.T, [1, 1]]), b_ub=[0, 0], A_eq=[[1, 1, 0]], b_eq=[1])
    assert max_margin(symmetric(3)).margin == pytest.approx(solved.x[2], rel=1e-8)


def test_bad_input():
    with pytest.raises(ValueError, match="odd p"):
        max_margin_cyclic(8)
    with pytest.raises(ValueError, match="at least one"):
        max_margin_parity(0)
    with pytest.raises(ValueError, match="nothing to learn"):
        max_margin(cyclic(1))
    with pytest.raises(ValueError, match="has no irrep 9d"):
        max_margin(named("S_3"), without=["9d"])
    with pytest.raises(ValueError, match="at least one irrep"):
        max_margin(named("S_2"), without=["(1,1)"])
