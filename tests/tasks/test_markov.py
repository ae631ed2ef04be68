import jax
import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.sweeps.validation import build
from glassware.tasks import MarkovChain
from glassware.tasks.markov import stationary

KEY = np.array([3, 4], np.uint32)
MANY = 20_000


def drawn(count=MANY, key=KEY, **fields):
    """Tokens, matrices and the law of the last token of sequences 0, 1, .."""
    task = MarkovChain(**fields)
    raw = jax.jit(lambda index: task.raw(key, index))(np.arange(count, dtype=np.uint32))
    return task, *(np.asarray(a) for a in raw), np.asarray(task.truth(raw))


def close(measured, expected, count=MANY):
    """Means of numbers between 0 and 1, within 4.5 standard errors."""
    np.testing.assert_allclose(measured, expected, atol=4.5 * 0.5 / np.sqrt(count))


@pytest.mark.parametrize(
    "chain", [np.eye(3)[[1, 2, 0]] * 0.98 + 0.02 / 3, np.random.default_rng(0).dirichlet([1] * 5, 5)]
)
def test_the_stationary_law_is_left_alone_by_the_chain(chain):
    law = np.asarray(stationary(np.float32(chain)))
    np.testing.assert_allclose(law @ chain, law, atol=1e-6)
    np.testing.assert_allclose(law.sum(), 1, atol=1e-6)


@pytest.mark.parametrize(
    "fields",
    [
        {"states": 3, "length": 6},
        {"states": 2, "length": 6, "order": 3},
        {"states": 3, "length": 6, "prior": "doubly-stochastic"},
        {"states": 2, "length": 6, "prior": "interpolated", "q": 0.7},
        {"states": 2, "length": 6, "prior": "given", "matrix": ((0.9, 0.1), (0.3, 0.7))},
    ],
    ids=str,
)
def test_tokens_follow_their_own_matrix_from_a_stationary_start(fields):
    task, tokens, matrix, truth = drawn(**fields)
    np.testing.assert_allclose(matrix.sum(axis=-1), 1, atol=1e-5)
    k, past = task.states, task.order - 1
    # The law of the next token, averaged over sequences, is the share of sequences that have it, at every position.
    for p in range(past, task.length + 1):
        context = sum(tokens[:, p - past + i].astype(int) * k ** (past - 1 - i) for i in range(past))
        law = matrix[np.arange(MANY), context]
        for token in range(k):
            close(np.mean(tokens[:, p] == token), law[:, token].mean())
            agrees = np.mean((tokens[:, p] == token) * law[:, token])
            close(agrees, np.mean(law[:, token] ** 2))
        # A stationary start: the joint law of state and matrix is the same at every position.
        close(np.mean((tokens[:, p] == 0) * matrix[:, 0, 0]), np.mean((tokens[:, 0] == 0) * matrix[:, 0, 0]))
    last = sum(tokens[:, task.length - past + i].astype(int) * k ** (past - 1 - i) for i in range(past))
    np.testing.assert_allclose(truth, matrix[np.arange(MANY), last], atol=1e-7)


def test_priors_are_what_they_say():
    unigram = drawn(states=3, length=4, prior="unigram")[2]
    np.testing.assert_array_equal(unigram, unigram[:, :1].repeat(3, axis=1))
    doubly = drawn(states=4, length=4, prior="doubly-stochastic")[2]
    np.testing.assert_allclose(doubly.sum(axis=1), 1, atol=1e-5)
    assert doubly.min() >= 0
    mixed = drawn(states=3, length=4, prior="mixture", share=0.3)[2]
    is_doubly = np.abs(mixed.sum(axis=1) - 1).max(axis=1) < 1e-5
    close(is_doubly.mean(), 0.3)
    flat = drawn(states=2, length=4)[2]
    close(
        [flat[:, 0, 0].mean(), (flat[:, 0, 0] ** 2).mean(), (flat[:, 0, 0] * flat[:, 1, 1]).mean()],
        [1 / 2, 1 / 3, 1 / 4],
    )
    skewed = drawn(states=2, length=4, alpha=(0.5, 2.0))[2][:, 0, 0]
    close([skewed.mean(), (skewed**2).mean()], [0.2, 0.5 * 1.5 / (2.5 * 3.5)])


def test_held_out_chains_may_have_a_prior_of_their_own():
    index = np.arange(64, dtype=np.uint32)
    mixed = MarkovChain(states=3, length=5, prior="mixture", share=0.5)
    same, other = (np.asarray(task.held_out(KEY, index)[1]) for task in (mixed, MarkovChain(states=3, length=5)))
    np.testing.assert_array_equal(same, mixed.raw(KEY, index)[1])
    moved = MarkovChain(states=3, length=5, prior="mixture", share=0.5, test_prior="dirichlet")
    np.testing.assert_array_equal(moved.held_out(KEY, index)[1], other)
    np.testing.assert_array_equal(moved.raw(KEY, index)[1], same)
    assert "test_prior" not in mixed.canonical()  # ids of runs without one stay


def test_a_sequence_is_a_function_of_its_address():
    some = drawn(count=8, states=3, length=10)[1]
    more = drawn(count=32, states=3, length=10)[1]
    np.testing.assert_array_equal(some, more[:8])
    assert len({tuple(row) for row in more}) > 30
    assert not np.array_equal(more, drawn(count=32, key=KEY + 1, states=3, length=10)[1])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"states": 1}, "states must be"),
        ({"states": 2, "length": 1}, "length must be"),
        ({"states": 2, "prior": "zipf"}, "prior must be"),
        ({"states": 2, "prior": "given", "matrix": [[0.5, 0.5], [0.5, 0.6]]}, "row 1 of the matrix sums to 1.1"),
        ({"states": 2, "prior": "given"}, "needs matrix"),
        ({"states": 6, "prior": "doubly-stochastic"}, "up to 5 states"),
        ({"states": 6, "test_prior": "doubly-stochastic"}, "up to 5 states"),
        ({"states": 2, "test_prior": "mixture"}, "test_prior must be"),
        ({"states": 2, "order": 3, "test_prior": "unigram"}, "prior 'dirichlet'"),
        ({"states": 3, "prior": "interpolated", "q": 0.5}, "for 2 states"),
        ({"states": 2, "q": 0.5}, "q belongs to the prior 'interpolated'"),
        ({"states": 2, "alpha": [1.0]}, "alpha needs one number"),
        ({"states": 2, "order": 3, "prior": "unigram"}, "prior 'dirichlet'"),
    ],
)
def test_bad_chains_get_one_sentence(fields, said):
    with pytest.raises(GlasswareError, match=said) as caught:
        build({"task": {"name": "markov-chain", **fields}, "model": {"name": "minimal-induction"}})
    assert "\n" not in str(caught.value)
