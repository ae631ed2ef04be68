import numpy as np
import pytest

from glassware.theory.markov.chains import equal, flat, point
from glassware.theory.markov.minimal import Minimal, linear_descent
from glassware.theory.markov.signal import descend, expected_signal, signal
from tests.theory.markov.sequences import every_sequence, sequences

RNG = np.random.default_rng


def random_model(k, t):
    rng = RNG(t)
    return Minimal(rng.normal(size=(k, k)), rng.normal(size=t))


@pytest.mark.parametrize(("k", "t"), [(2, 5), (2, 8), (3, 4), (4, 4)])
def test_the_tensor_holds_the_gradients_of_all_sequences(k, t):
    matrix = RNG(k).dirichlet(np.ones(k), k)
    tokens, weight = every_sequence(matrix, t)
    model, tensor = random_model(k, t), signal(matrix, t)
    W, v = linear_descent(model, tokens, weight)
    np.testing.assert_allclose(np.tensordot(model.v, tensor, axes=1), W, atol=1e-12)
    np.testing.assert_allclose(np.tensordot(tensor, model.W, axes=2), v, atol=1e-12)


def test_the_average_over_a_law_is_that_of_its_chains():
    for chains in (point(0.35, 0.9), flat(9), equal(9, 0.3)):
        each = signal(chains.matrices, 17)
        np.testing.assert_allclose(expected_signal(chains, 17), chains.mean(each), atol=1e-12)


def test_pieces_add_up(monkeypatch):
    whole = expected_signal(flat(9), 17)
    monkeypatch.setattr("glassware.theory.markov.signal.MOST_NUMBERS", 17 * 10)
    np.testing.assert_allclose(expected_signal(flat(9), 17), whole, atol=1e-14)


def test_sampled_gradients_follow_the_population():
    """40 samples of 500 sequences of the flat prior, after one step has bent both blocks."""
    rng, t = RNG(0), 25
    context, law = sequences(rng.dirichlet(np.ones(2), (20_000, 2)), t, rng)
    after = (rng.random(len(law)) >= law[:, 0]) * 1
    tokens = np.concatenate([context, after[:, None]], axis=-1).reshape(40, 500, t + 1)
    tensor = expected_signal(flat(40), t)
    first = descend(Minimal(np.full((2, 2), 0.1), np.full(t, 0.2)), tensor, 0.3)
    W, v = zip(*(linear_descent(first, part) for part in tokens), strict=True)
    for found, exact in ((W, np.tensordot(first.v, tensor, axes=1)), (v, np.tensordot(tensor, first.W, axes=2))):
        error = np.std(found, axis=0) / np.sqrt(39)
        assert np.all(np.abs(np.mean(found, axis=0) - exact) < 4 * error)
        assert np.max(np.abs(exact)) > 50 * np.min(error)


def test_decay_forgets():
    model, tensor = random_model(2, 6), expected_signal(flat(9), 6)
    plain, forgot = descend(model, tensor, 0.1), descend(model, tensor, 0.1, decay=(1.0, 0.5))
    np.testing.assert_allclose(plain.W - forgot.W, model.W)
    np.testing.assert_allclose(plain.v - forgot.v, 0.5 * model.v)
