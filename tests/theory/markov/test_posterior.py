import numpy as np
import pytest
from scipy import stats

from glassware.theory.markov.posterior import beta_marginals, dirichlet_posterior, posterior_mean, transition_counts
from glassware.theory.markov.strategies import ngram

RNG = np.random.default_rng


@pytest.mark.parametrize(("k", "alpha"), [(2, (0.5, 2.0)), (3, (1.0, 1.0, 1.0))])
def test_the_posterior_is_the_prior_weighted_by_likelihood(k, alpha):
    rng = RNG(k)
    tokens = rng.integers(k, size=9)
    counts = transition_counts(tokens, k)
    assert counts.sum() == 8
    matrix = rng.dirichlet(alpha, (200_000, k))
    weight = np.exp((counts * np.log(matrix)).sum((1, 2)))
    mean = np.tensordot(weight, matrix, axes=1) / weight.sum()
    error = np.sqrt(np.tensordot(weight**2, (matrix - mean) ** 2, axes=1)) / weight.sum()
    assert np.all(np.abs(posterior_mean(counts, alpha) - mean) < 4 * error)
    np.testing.assert_allclose(posterior_mean(counts, alpha)[tokens[-1]], ngram(tokens[None], k, alpha=alpha)[0])


def test_marginals_are_beta():
    counts = np.array([[3.0, 0.0, 2.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
    up, down = beta_marginals(counts, (0.5, 1.0, 2.0))
    draws = RNG(0).dirichlet(dirichlet_posterior(counts, (0.5, 1.0, 2.0))[0], 4000)
    for j in range(3):
        assert stats.kstest(draws[:, j], stats.beta(up[0, j], down[0, j]).cdf).pvalue > 1e-3


def test_bigrams_for_any_alpha_by_quadrature():
    """Rows (a, 1-a) and (1-b, b) from Dir(1/2, 2), one integral per row because x_1 says nothing."""
    from scipy.special import roots_jacobi

    alpha, tokens = (0.5, 2.0), np.array([0, 1, 1, 0, 0, 1, 0, 0])
    x, weight = roots_jacobi(30, alpha[1] - 1, alpha[0] - 1)
    p = (x + 1) / 2  # probability of token 0
    counts = transition_counts(tokens, 2)
    likelihood = weight * p ** counts[0, 0] * (1 - p) ** counts[0, 1]
    assert ngram(tokens[None], 2, alpha=alpha)[0, 0] == pytest.approx(likelihood @ p / likelihood.sum(), abs=1e-12)


def test_the_printed_denominator_counts_all_transitions():
    counts = transition_counts(RNG(0).integers(3, size=40), 3)
    np.testing.assert_allclose(posterior_mean(counts).sum(-1), 1)
    assert np.all(posterior_mean(counts, printed=True).sum(-1) < 0.7)
