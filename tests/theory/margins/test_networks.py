import numpy as np
import pytest
from scipy.optimize import linprog

from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.groups import cyclic, named, symmetric
from glassware.theory.margins.kappa import kappa_solution
from glassware.theory.margins.margins import ParityTask, certify, norm_power, normalised_margin, outputs, point_margins
from glassware.theory.margins.networks import (
    GroupNetwork,
    ParityNetwork,
    maxmargin_cyclic,
    maxmargin_group,
    maxmargin_parity,
    memorising,
    printed_group,
    some_frequencies,
)
from glassware.theory.margins.optimum import max_margin, max_margin_cyclic, max_margin_parity, memorising_margin


def assert_optimal(network, task, margin):
    assert norm_power(network, task) == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(point_margins(network, task), margin, rtol=1e-10)
    assert certify(network, task).proved


def assert_wrong_labels_tie(network, group):
    found = outputs(network, group).reshape([group.order] * 3)
    a, b = np.indices((group.order, group.order))
    found[a, b, group.table] = np.nan
    assert np.nanmax(np.nanmax(found, axis=2) - np.nanmin(found, axis=2)) < 1e-10 * np.nanmax(np.abs(found))


@pytest.mark.parametrize("p", [3, 9, 13, 17])
def test_cyclic(p):
    network = maxmargin_cyclic(p)
    assert network.u.shape == (p, 4 * (p - 1))
    assert network.w.shape == (4 * (p - 1), p)
    assert_optimal(network, cyclic(p), max_margin_cyclic(p))
    assert_wrong_labels_tie(network, cyclic(p))


@pytest.mark.parametrize(("n", "k"), [(3, 1), (6, 2), (5, 3), (10, 4), (9, 5)])
def test_parity(n, k):
    network = maxmargin_parity(n, k)
    assert network.u.shape == (n, 2 ** (k - 1))
    assert network.w.shape == (2 ** (k - 1), 2)
    assert_optimal(network, ParityTask(n, k), max_margin_parity(k))


@pytest.mark.parametrize(
    "name", ["S_2", "S_3", "S_4", "D_5", "S_3 x Z_2", "Z_4", "Z_3 x Z_3", "A_4", "Q_8", "Q_12", "A_5", "S_3 x Q_8"]
)
def test_groups_of_all_types(name):
    """Q_8 and Q_12 have irreps of type H, with S_3 as a factor one of dimension 4; A_4 and Z_4 have type C."""
    group = named(name)
    best, network = max_margin(group), maxmargin_group(group)
    assert network.u.shape == (group.order, best.width)
    assert_optimal(network, group, best.margin)
    if best.closed_form:
        assert_wrong_labels_tie(network, group)


def test_s5_has_1190_neurons():
    network = maxmargin_group(symmetric(5))
    assert network.u.shape == (120, 1190)
    points = np.random.default_rng(0).integers(0, 14400, 500)
    np.testing.assert_allclose(point_margins(network, symmetric(5), points), 1.325977e-4, rtol=1e-6)


def test_s6_by_a_choice_of_irreps():
    """Points with a = e suffice: relabelling carries the others to them."""
    group = symmetric(6)
    solution = kappa_solution(group, ["(4,1,1)", "(3,3)", "(2,1,1,1,1)"], [3, 4, 5])
    network = maxmargin_group(group, solution.shares)
    assert network.u.shape == (720, 2500)
    found = point_margins(network, group, np.random.default_rng(0).integers(0, 720, 40))
    np.testing.assert_allclose(found, max_margin(group).margin, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "label", "ratio"),
    [("S_4", "(3,1)", 0.8504), ("S_4", "(2,2)", 0.8819), ("S_4", "(2,1,1)", 0.8504), ("S_4", "(1,1,1,1)", 0.9416)],
)
def test_deleting_an_irrep(name, label, ratio):
    group = named(name)
    shares = max_margin(group).shares * [irrep.label != label for irrep in real_irreps(group)]
    network = maxmargin_group(group, shares / shares.sum())
    assert normalised_margin(network, group) / max_margin(group).margin == pytest.approx(ratio, abs=1e-4)
    assert not certify(network, group).proved


@pytest.mark.parametrize("p", [13, 17])
def test_some_frequencies(p):
    """One frequency classifies everything with a small margin; one missing costs little for large p."""
    group, best = cyclic(p), max_margin_cyclic(p)
    one = normalised_margin(some_frequencies(p, [3]), group) / best
    assert one == pytest.approx((1 - np.cos(2 * np.pi / p)) * (p - 1) / p, rel=1e-9)
    rest = normalised_margin(some_frequencies(p, [z for z in range(1, (p + 1) // 2) if z != 2]), group) / best
    assert rest == pytest.approx((1 - 2 * (1 + np.cos(np.pi / p)) / p) * (p - 1) / (p - 3), rel=1e-9)


def test_a_frequency_that_divides_the_order_ties():
    assert normalised_margin(some_frequencies(15, [3]), cyclic(15)) == pytest.approx(0, abs=1e-12)
    assert normalised_margin(some_frequencies(15, [4]), cyclic(15)) > 1e-5


@pytest.mark.parametrize("name", ["Z_13", "S_3", "D_5"])
@pytest.mark.parametrize("balanced", [True, False])
def test_memorising(name, balanced):
    group = named(name)
    network = memorising(group, balanced)
    found = outputs(network, group)
    np.testing.assert_allclose(found, np.eye(group.order)[group.table.ravel()] * (4 if balanced else 1), atol=1e-12)
    assert normalised_margin(network, group) == pytest.approx(memorising_margin(group.order, balanced), rel=1e-10)
    assert not certify(network, group).proved
    flat = np.array([irrep.multiplicity for irrep in real_irreps(group)]) / group.order
    np.testing.assert_allclose(powers(group, network.u), np.repeat(flat[:, None], network.u.shape[1], 1), atol=1e-12)


@pytest.mark.parametrize("name", ["S_3", "S_4", "D_5"])
def test_the_printed_construction_is_not_optimal(name):
    """Lemma D.15 puts an output weight at the entry (i, j) where (i, k) is meant."""
    group = named(name)
    network = printed_group(group)
    assert network.u.shape[1] == max_margin(group).width
    assert normalised_margin(network, group) < 0.5 * max_margin(group).margin
    with pytest.raises(ValueError, match="not real"):
        printed_group(named("Q_8"))


def test_a_missing_sign_pattern_ruins_parity():
    """All 2^(k-1) patterns are needed: with 7 of the 8 of k = 4, however weighted, some points are wrong."""
    task, network = ParityTask(4, 4), maxmargin_parity(4, 4)
    single = [ParityNetwork(network.u[:, [i]], network.w[[i]]) for i in range(8)]
    per_unit = np.stack([point_margins(one, task) / norm_power(one, task) for one in single], axis=1)

    def best(kept):
        game = per_unit[:, kept] / max_margin_parity(4)
        count = len(kept)
        solved = linprog(
            np.append(np.zeros(count), -1.0),
            A_ub=np.column_stack([-game, np.ones(16)]),
            b_ub=np.zeros(16),
            A_eq=[[*np.ones(count), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * count + [(None, None)],
        )
        return solved.x

    assert best(range(1, 8))[-1] == pytest.approx(-1 / 9, abs=1e-9)
    np.testing.assert_allclose(best(range(8)), [*np.full(8, 1 / 8), 1.0], atol=1e-9)


def test_bad_input():
    for wrong in (lambda: maxmargin_cyclic(8), lambda: some_frequencies(7, [4]), lambda: some_frequencies(7, [])):
        with pytest.raises(ValueError, match=r"odd p|frequencies"):
            wrong()
    with pytest.raises(ValueError, match="1 <= k <= n"):
        maxmargin_parity(3, 4)
    with pytest.raises(ValueError, match="add up to 1"):
        maxmargin_group(named("S_3"), np.array([0.0, 0.5, 0.4]))


def test_a_network_is_the_sum_of_its_neurons():
    rng, group = np.random.default_rng(0), named("S_3")
    network = GroupNetwork(rng.standard_normal((6, 4)), rng.standard_normal((6, 4)), rng.standard_normal((4, 6)))
    slow = [
        sum((network.u[a, i] + network.v[b, i]) ** 2 * network.w[i] for i in range(4))
        for a in range(6)
        for b in range(6)
    ]
    np.testing.assert_allclose(outputs(network, group), slow)
