import math

import numpy as np
import pytest

from glassware.theory.markov.chains import Chains, flat, point, sample
from glassware.theory.markov.first_steps import (
    A,
    B,
    D,
    diagonal_growth,
    even_odd,
    grad_v_diag,
    grad_v_init,
    grad_w_init,
    grad_w_init_text,
    lag_probability,
    match_probability,
    two_step,
)
from glassware.theory.markov.minimal import Minimal, in_linear_regime, linear_descent
from glassware.theory.markov.signal import signal
from tests.theory.markov.sequences import every_sequence

PAIRS = [(0.3, 0.85), (0.62, 0.15), (0.9, 0.7), (0.2, 0.25)]


def enumerated(a, b, t, W, v):
    """Minus the gradients on all sequences of one chain."""
    tokens, weight = every_sequence(point(a, b).matrices[0], t)
    return linear_descent(Minimal(W, v), tokens, weight)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("t", [5, 7, 8])
def test_closed_forms_are_the_gradients_of_all_sequences(a, b, t):
    chain, ones = point(a, b), np.ones((2, 2))
    W, v = enumerated(a, b, t, ones, np.full(t, 0.7))
    np.testing.assert_allclose(grad_w_init(chain, t, 0.7)[0], W, atol=1e-12)
    np.testing.assert_allclose(grad_w_init_text(chain, t, 0.7)[0], W, atol=1e-10)
    np.testing.assert_allclose(grad_v_init(chain, t)[0], v, atol=1e-12)
    _, diagonal = enumerated(a, b, t, np.eye(2), np.ones(t))
    np.testing.assert_allclose(grad_v_diag(chain, t)[0], diagonal, atol=1e-12)
    printed = grad_v_diag(chain, t, printed=True)[0]  # E.37 and E.38
    assert abs(printed[0] - diagonal[0]) > 1e-2
    assert np.all(np.abs(printed[1:] - diagonal[1:]) > 1e-4)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_probabilities_on_the_way(a, b):
    """E.32 and E.36 for p = 6, j = 3, against all sequences."""
    chain, p, j = point(a, b), 6, 3
    tokens, weight = every_sequence(chain.matrices[0], p)
    lag, match = np.zeros((2, 2)), 0.0
    for later in range(j - 1, p):
        same = weight * (tokens[:, later - j + 1] == tokens[:, p - 1])
        np.add.at(lag, (tokens[:, later], tokens[:, p - 1]), same)
        match += same[tokens[:, later] == tokens[:, p]].sum()
    np.testing.assert_allclose(lag_probability(chain, p, j)[0], lag, atol=1e-12)
    assert np.max(np.abs(lag_probability(chain, p, j, printed=True)[0] - lag)) > 0.05
    assert match_probability(chain, p, j)[0] == pytest.approx(match, abs=1e-12)
    assert abs(match_probability(chain, p, j, printed=True)[0] - match) > 1e-4


def test_the_text_loses_digits_where_the_sums_do_not():
    chain = point(1 - 1e-5, 1 - 5e-6)
    exact = signal(chain.matrices[0], 60).sum(0)
    np.testing.assert_allclose(grad_w_init(chain, 60)[0], exact, atol=1e-12)
    assert np.max(np.abs(grad_w_init_text(chain, 60)[0] - exact)) > 1e-5


def test_leading_orders():
    chains = flat(40)
    pi, less = chains.stationary, -chains.leave.sum(-1)
    for (m, other), value in {(0, 0): B, (1, 1): B, (0, 1): A, (1, 0): A}.items():
        term = pi[:, m] * pi[:, other] / less * (chains.b - chains.a) * (chains.matrices[:, m, 0] - 0.5)
        assert chains.mean(term) == pytest.approx(value, abs=1e-13)
    assert chains.mean((pi**2).sum(-1) - 0.5) == pytest.approx(D, abs=1e-13)
    ratios = []
    for t in (15, 30, 70, 150):
        step = two_step(t, c=1.0, eta=1.0)
        growth = step.first.W - 1
        assert growth[0, 0] == pytest.approx(growth[1, 1], rel=1e-10)
        ratios.append(growth[0, 0] / growth[0, 1])
        assert (step.first.v[0] - 1) / ((t + 1) / 2 * D) == pytest.approx(1, abs=6 / t)
    assert np.all(np.diff(ratios) < 0)
    assert ratios[-1] == pytest.approx(B / A, rel=0.1)


@pytest.mark.parametrize("t", [5, 20, 100, 200])
def test_one_step_is_not_enough(t):
    """v leans to its first coordinate and falls from there on: no rate and no start make it e_2."""
    assert np.all(np.diff(two_step(t).first.v) < 0)


def test_even_coordinates_stand_out():
    g = [even_odd(j) for j in range(1, 13)]
    np.testing.assert_allclose(g[:4], [0.011421, 0.034264, -0.001929, 0.013954], atol=5e-7)
    np.testing.assert_allclose(g[8:], [-0.000656, 0.003183, -0.000478, 0.002308], atol=5e-7)
    shares = np.array(g[3::2]) / np.array(g[1:-2:2])
    np.testing.assert_allclose(shares, [0.407, 0.538, 0.623, 0.682, 0.725], atol=5e-4)  # not a geometric series
    assert diagonal_growth(1) == pytest.approx((1 - math.log(2)) / 3, abs=1e-13)
    assert diagonal_growth(2) == pytest.approx((7 - 10 * math.log(2)) / 2 + (8 * math.log(2) - 5) / 6, abs=1e-13)
    assert diagonal_growth(2) > diagonal_growth(1) > diagonal_growth(2, printed=True)


def test_the_leading_coefficient_is_reached():
    """t = 40 and 160: N(N+1)/(2t) kappa_j, and what is missing is of lower order."""
    for j in (1, 2, 4):
        gaps = [
            abs(two_step(t).diagonal[j - 1] * 2 * t / ((t - j + 1) * (t - j + 2)) - diagonal_growth(j))
            for t in (40, 160)
        ]
        assert gaps[1] < 0.5 * gaps[0]


def test_after_two_steps_the_second_coordinate_leads_if_t_is_large_enough():
    step = two_step(100)
    np.testing.assert_allclose(step.diagonal[:5], [5.2159, 6.2664, 4.3863, 5.0551, 4.2370], atol=5e-5)
    np.testing.assert_allclose(step.v[:4], [0.03489, 0.03591, 0.03359, 0.03418], atol=5e-6)
    assert step.margins == pytest.approx((2.02, 8.193), abs=5e-4)
    assert [two_step(t).leader for t in (20, 49, 50, 100)] == [1, 1, 2, 2]
    assert [two_step(t, eta=0.003).leader for t in (100, 150)] == [1, 2]
    assert [two_step(t, eta=0.3).leader for t in (20, 30)] == [1, 2]
    assert two_step(50, c=2.0).leader == two_step(50, c=1e-3).leader == 2


@pytest.mark.parametrize("t", [6, 7])
def test_two_steps_on_every_sequence_of_a_law(t):
    """A law of four chains, closed under exchanging the states; margins suffice on all sequences."""
    a, b = np.array([0.3, 0.85, 0.6, 0.75]), np.array([0.85, 0.3, 0.75, 0.6])
    chains = Chains(np.stack([1 - a, 1 - b], -1), np.full(4, 0.25))
    c, eta = 0.3, 0.7
    models = [Minimal(np.full((2, 2), c), np.full(t, c))]
    parts = [every_sequence(matrix, t) for matrix in chains.matrices]
    tokens = np.concatenate([tokens for tokens, _ in parts])
    weight = np.concatenate([weight / 4 for _, weight in parts])
    for _ in range(2):
        W, v = linear_descent(models[-1], tokens, weight)
        models.append(Minimal(models[-1].W + eta * W, models[-1].v + eta * v))
    step = two_step(t, c, eta, chains)
    np.testing.assert_allclose(step.first.W, models[1].W, atol=1e-12)
    np.testing.assert_allclose(step.v, models[2].v, atol=1e-12)
    # As printed, even with the right G: a factor c too many, seen at j = 1, and v_1 in place of v_j, seen at j = t.
    printed = two_step(t, c, eta, chains, printed=True)
    wrong = printed.v - eta * (step.first.W[0, 0] - step.first.W[0, 1]) * (printed.diagonal - step.diagonal)
    assert wrong[0] < models[2].v[0] - 0.01
    assert wrong[-1] > models[2].v[-1] + 0.01
    for model, margin in zip(models[:2], step.margins, strict=True):
        assert in_linear_regime(model.logits(tokens[:, :-1]), tokens[:, 1:], margin)


def test_sampled_chains_give_the_figure():
    """10,000 draws of (a, b) as in Figures E.1 and E.2."""
    chains, step = sample(10_000, np.random.default_rng(0)), two_step(100)
    W, G = grad_w_init(chains, 100, 0.02 * 0.03), grad_v_diag(chains, 100)
    for drawn, exact in (
        (W[:, 0, 0], step.first.W[0, 0] - 0.02),
        (W[:, 0, 1], step.first.W[0, 1] - 0.02),
        (G[:, 1] - G[:, 0], step.diagonal[1] - step.diagonal[0]),
    ):
        assert abs(drawn.mean() - exact) < 4 * drawn.std() / 100
