import math

import numpy as np
import pytest

from glassware.theory.boolean import chi, cube
from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.finite import (
    finite_lambda,
    finite_lambda_parity,
    finite_lambda_r,
    finite_lambda_tied,
)
from glassware.theory.margins.groups import cyclic, named
from glassware.theory.margins.optimum import max_margin, max_margin_cyclic, max_margin_parity
from tests.theory.margins.descent import fit_group, fit_parity


@pytest.mark.parametrize(("name", "neurons"), [("Z_4", 16), ("D_4", 40), ("Q_8", 60), ("D_5", 40)])
def test_descent_on_the_weights_ends_at_the_predicted_optimum(name, neurons):
    """Irreps of all three types; the best of two starts, since single starts may end in local minima."""
    group = named(name)
    lam = 0.02 * max_margin(group).margin
    predicted = finite_lambda(group, lam)
    best, (u, v, w) = min((fit_group(group.table, neurons, lam, seed=s) for s in range(2)), key=lambda found: found[0])
    assert best == pytest.approx(predicted.objective, rel=1e-6)
    mass = (np.sum(u**2, axis=0) + np.sum(v**2, axis=0) + np.sum(w**2, axis=0)) ** 1.5
    assert mass.sum() == pytest.approx(predicted.norm_power, rel=1e-3)
    share = powers(group, np.where(mass > 1e-9 * mass.max(), u, 1.0)) @ mass / mass.sum()
    np.testing.assert_allclose(share, predicted.shares, atol=2e-3)


def test_descent_on_parity():
    x = cube(6)
    best, _ = min(
        (fit_parity(x, (chi(x, (0, 1)) < 0).astype(int), 2, 8, 0.01, seed=s) for s in range(3)),
        key=lambda found: found[0],
    )
    assert best == pytest.approx(finite_lambda_parity(2, 0.01).objective, rel=1e-7)


@pytest.mark.parametrize("r", [1.0, 2.0, 4.0])
def test_descent_under_other_powers_of_the_norm(r):
    """A large start for r < 3, where the zero network is a local minimum."""
    predicted = finite_lambda_r(max_margin_cyclic(3), 3, 3, 1e-3, r)
    best, _ = min((fit_group(cyclic(3).table, 16, 1e-3, r, seed=s, scale=1.5) for s in range(3)), key=lambda f: f[0])
    assert best == pytest.approx(predicted.objective, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "lam", "ratio", "shares"),
    [
        ("S_3", 1e-7, 0.9805, [0.833, 0.167]),
        ("S_3", 1e-2, 0.855, [0.726, 0.274]),
        ("S_4", 1e-7, 0.9464, [0.390, 0.175, 0.390, 0.046]),
        ("S_5", 1e-5, 0.9319, [0.297, 0.186, 0.0, 0.186, 0.297, 0.035]),
        ("S_5", 1e-15, 0.982, [0.189, 0.211, 0.194, 0.211, 0.189, 0.008]),
        ("A_5", 1e-5, 0.9872, [0.384, 0.384, 0.232, 0.0]),
    ],
)
def test_reference_values(name, lam, ratio, shares):
    found = finite_lambda(named(name), lam)
    assert found.ratio == pytest.approx(ratio, abs=1e-3)
    np.testing.assert_allclose(found.shares[1:], shares, atol=1e-3)
    assert found.objective == pytest.approx(found.cross_entropy + lam * found.norm_power)


def test_the_largest_irrep_of_s5_gets_weight_below_a_threshold():
    place = [irrep.label for irrep in real_irreps(named("S_5"))].index("(3,1,1)")
    assert finite_lambda(named("S_5"), 3.8e-8).shares[place] == 0
    assert finite_lambda(named("S_5"), 3.6e-8).shares[place] > 0
    assert max_margin(named("S_5")).shares[place] == pytest.approx(1 / 3, abs=1e-3)


@pytest.mark.parametrize("n", [13, 15])
def test_where_labels_tie_the_convex_problem_has_the_closed_form(n):
    general, closed = finite_lambda(cyclic(n), 1e-4), finite_lambda_tied(max_margin_cyclic(n), n, 1e-4)
    assert general.objective == pytest.approx(closed.objective, rel=1e-10)
    assert general.ratio == pytest.approx(1, abs=1e-8)
    np.testing.assert_allclose(general.gaps[1:], closed.gap, rtol=1e-8)
    same = finite_lambda_r(max_margin_cyclic(n), n, 3, 1e-4, 3)
    assert same.norm_power == pytest.approx(closed.norm_power, rel=1e-9)


@pytest.mark.parametrize("r", [1.0, 2.0, 3.0, 5.0])
def test_the_best_norm_by_enumeration(r):
    """For r < 3 there is a range of lambda where a network is a local minimum and the zero network the global one."""
    margin, gaps = max_margin_cyclic(7), np.concatenate([[0.0], np.geomspace(1e-6, 100, 100_001)])
    for lam in np.geomspace(1e-4, 2, 25):
        values = np.log1p(6 * np.exp(-gaps)) + lam * (gaps / margin) ** (r / 3)
        found = finite_lambda_r(margin, 7, 3, lam, r)
        assert found.objective == pytest.approx(values.min(), rel=1e-6)
        assert found.objective <= values.min() + 1e-12


def test_the_ratio_rises_to_one_as_lambda_falls():
    """Theorem 7.1, where the convergence is slow: logarithmic in lambda."""
    exponents = np.array([3, 6, 12, 24, 48, 96])
    ratios = np.array([finite_lambda(named("D_5"), 10.0**-e).ratio for e in exponents])
    assert np.all(np.diff(ratios) > 0)
    print(ratios, (1 - ratios) * exponents)
    assert 0.995 < ratios[-1] < 1


def test_too_much_regularisation_leaves_nothing():
    margin = max_margin_parity(3)
    assert finite_lambda_parity(3, 0.51 * margin).norm_power == 0
    assert finite_lambda_parity(3, 0.49 * margin).norm_power > 0
    empty = finite_lambda(named("S_3"), 1.0)
    assert (empty.norm_power, empty.cross_entropy) == (0, pytest.approx(math.log(6)))
    assert math.isnan(empty.ratio)
    assert finite_lambda_r(margin, 2, 4, 10.0, 1).norm_power == 0


@pytest.mark.parametrize("lam", [0.0, -1.0, math.nan])
def test_without_regularisation_there_is_no_optimum(lam):
    for wrong in (lambda: finite_lambda(named("S_3"), lam), lambda: finite_lambda_parity(2, lam)):
        with pytest.raises(ValueError, match="without regularisation"):
            wrong()
    with pytest.raises(ValueError, match="power is positive"):
        finite_lambda_r(0.1, 2, 3, 0.1, 0)
