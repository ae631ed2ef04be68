from collections import Counter
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import dblquad

from glassware.foundation.errors import GlasswareError
from glassware.theory.markov.chains import flat
from glassware.theory.markov.fitted import fit_lookback_logit, fit_unigram_self
from glassware.theory.markov.strategies import bayes_exact, bayes_unigram, kl, ngram, uniform, unigram
from tests.theory.markov.sequences import drawn

RNG = np.random.default_rng


def counted(tokens, k, n, alpha):
    """The prediction after the last token by going through a list."""
    past = tuple(tokens[len(tokens) - n + 1 :])
    seen = Counter(tokens[i + n - 1] for i in range(len(tokens) - n + 1) if tuple(tokens[i : i + n - 1]) == past)
    up = np.array([seen[j] for j in range(k)]) + alpha
    return up / up.sum()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(("k", "alpha"), [(3, 1.0), (2, (0.5, 2.0))])
def test_ngrams_count_what_followed_the_last_tokens(n, k, alpha):
    tokens = RNG(n).integers(k, size=(4, 30))
    everywhere = ngram(tokens, k, n, alpha, everywhere=True)
    for sequence, laws in zip(tokens.tolist(), everywhere, strict=True):
        for p in range(max(1, n - 1), 31):
            np.testing.assert_allclose(laws[p - 1], counted(sequence[:p], k, n, alpha), atol=1e-15)
    np.testing.assert_allclose(everywhere[:, -1], ngram(tokens, k, n, alpha))


def test_too_short_a_context_leaves_the_prior():
    tokens = np.array([[1, 0, 1]])
    np.testing.assert_allclose(ngram(tokens[:, :2], 2, 4, (1.0, 3.0)), [[0.25, 0.75]])
    np.testing.assert_allclose(ngram(tokens, 2, 4, (1.0, 3.0), everywhere=True)[:, :2], [[[0.25, 0.75]] * 2])
    with pytest.raises(GlasswareError, match="at least one"):
        ngram(tokens, 2, 0)


def test_compiled_strategies_give_the_same():
    """Float32 under JAX, and a probe has only the tokens as they are traced."""
    tokens, truth = drawn(3000, 2, 12)
    three, laws = drawn(3000, 3, 12)
    cases = [
        (tokens, partial(uniform, states=2)),
        (tokens, partial(unigram, states=2, everywhere=True)),
        (three, partial(ngram, states=3, n=2)),
        (three, partial(ngram, states=3, n=3, everywhere=True)),
        (tokens[:200], bayes_exact),
        (tokens[:200], partial(bayes_unigram, everywhere=True)),
        (tokens, fit_unigram_self(tokens, truth)),
        (three, fit_unigram_self(three, laws, width=4)),
        (tokens, fit_lookback_logit(tokens, truth)),
        (tokens, lambda x: kl(unigram(x, 2), ngram(x, 2))),
    ]
    for given, strategy in cases:
        compiled = jax.jit(strategy)(jnp.asarray(given, jnp.int32))
        np.testing.assert_allclose(compiled, strategy(given), atol=2e-5)


def test_divergence():
    p, q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.5, 0.25]])
    assert kl(p, q)[0] == pytest.approx(0.5 * np.log(2))
    assert kl(q, q)[0] == 0


@pytest.mark.parametrize("t", [4, 11, 60, 150])
def test_bigrams_are_bayes_optimal_when_the_first_token_says_nothing(t):
    """Remark 8.1, the exact half; with a stationary start they are not."""
    tokens = RNG(t).integers(2, size=(40, t))
    tokens[0] = 0
    np.testing.assert_allclose(bayes_exact(tokens, start="uniform"), ngram(tokens, 2), atol=1e-12)
    assert np.max(np.abs(bayes_exact(tokens) - ngram(tokens, 2))) > 1e-3


def test_bayes_integrates_the_posterior():
    tokens = np.array([[0, 1, 1, 0, 1, 1, 1]])

    def weight(a, b):
        return (1 - a) ** 2 * (1 - b) * b**3 * (1 - b) / (2 - a - b)

    total, mean = (dblquad(f, 0, 1, 0, 1, epsabs=1e-12)[0] for f in (weight, lambda a, b: b * weight(a, b)))
    assert bayes_exact(tokens)[0, 1] == pytest.approx(mean / total, abs=1e-9)


def test_bayes_over_frequencies_has_the_right_prior():
    """The density of pi_1 against pi computed from (a, b)."""
    tokens = np.array([[0, 0, 1, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 1, 1]])
    chains = flat(60)
    for sequence, law in zip(tokens, bayes_unigram(tokens), strict=True):
        likelihood = np.prod(chains.stationary[:, sequence], axis=1)
        mean = chains.mean(likelihood[:, None] * chains.stationary) / chains.mean(likelihood)
        np.testing.assert_allclose(law, mean, atol=1e-9)


def test_the_first_token_matters_less_and_less():
    """Remark 8.1: KL(exact || bigram) at contexts of 3, 15 and 70 tokens."""
    for t, value, tolerance in ((3, 0.0114, 0.001), (15, 0.00177, 0.0002), (70, 0.00013, 0.00002)):
        tokens, _ = drawn(2000, 2, t, seed=1)
        assert np.mean(kl(bayes_exact(tokens), ngram(tokens, 2))) == pytest.approx(value, abs=tolerance)
