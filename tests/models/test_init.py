import jax
import numpy as np
import pytest
from scipy import stats

from glassware.foundation.draws import seed_words
from glassware.foundation.errors import GlasswareError
from glassware.models import MLP, SCHEMES, Init
from glassware.sweeps.validation import build
from glassware.tasks import Parity
from tests.helpers import TINY, tiny

N, WIDTH = 40, 500
TASK = Parity(n=N, k=1)

make = jax.jit(lambda values: MLP(width=WIDTH).init(values, TASK))
make_small = jax.jit(lambda values: MLP(width=4).init(values, TASK))


def weights(seed=0, **init):
    """First weights and bias, second weights and bias, of the big test network."""
    first, last = make(Init(**init).values(seed_words(seed), WIDTH, 2))
    return [np.asarray(a) for a in (first["w"], first["b"], last["w"], last["b"])]


def test_dense_is_uniform_within_one_over_the_root_of_fan_in():
    W, b, v, _ = weights()
    for entries, fan_in in ((W, N), (b, N), (v, WIDTH)):
        bound = 1 / np.sqrt(fan_in)
        assert np.abs(entries).max() <= bound
        assert stats.kstest(entries.ravel() / bound, stats.uniform(-1, 2).cdf).pvalue > 1e-3
        assert entries.var() * fan_in == pytest.approx(1 / 3, rel=0.15)


def test_the_output_bias_is_uniform_over_seeds():
    drawn = np.array([weights(seed)[3][0] for seed in range(200)]) * np.sqrt(WIDTH)
    assert stats.kstest(drawn, stats.uniform(-1, 2).cdf).pvalue > 1e-3


def test_kaiming_is_gaussian_with_variance_two_over_fan_in():
    W, b, v, _ = weights(scheme="kaiming")
    for entries, variance in ((W, 2 / N), (b, 1 / N), (v, 2 / WIDTH)):
        assert stats.kstest(entries.ravel() / np.sqrt(variance), "norm").pvalue > 1e-3


def test_glorot_is_uniform_within_a_bound_of_both_fans():
    W, b, v, _ = weights(scheme="glorot")
    for entries, fans in ((W, N + WIDTH), (b, N + WIDTH), (v, WIDTH + 1)):
        bound = np.sqrt(6 / fans)
        assert np.abs(entries).max() <= bound * (1 + 1e-6)
        assert stats.kstest(entries.ravel() / bound, stats.uniform(-1, 2).cdf).pvalue > 1e-3


def test_sign_has_two_values_equally_often():
    W, _, v, _ = weights(scheme="sign")
    for entries, fan_in in ((W, N), (v, WIDTH)):
        np.testing.assert_allclose(np.abs(entries), 1 / np.sqrt(fan_in), rtol=1e-6)
        assert abs(np.sign(entries).mean()) < 4 / np.sqrt(entries.size)


@pytest.mark.parametrize(("s", "eps"), [(1, 0.0), (2, 0.05), (7, -0.5), (N, 0.0)])
def test_sparse_has_exactly_s_ones_a_neuron_and_eps_elsewhere(s, eps):
    W, b, v, c = weights(scheme="sparse", s=s, eps=eps)
    np.testing.assert_array_equal((W == 1).sum(axis=0), s)
    np.testing.assert_array_equal(W[W != 1], np.float32(eps))
    for sparse, dense in zip((b, v, c), weights()[1:], strict=True):
        np.testing.assert_array_equal(sparse, dense)


def test_sparse_chooses_every_input_equally_often():
    counts = sum((weights(seed, scheme="sparse", s=3)[0] == 1).sum(axis=1) for seed in range(4))
    assert stats.chisquare(counts).pvalue > 1e-3


def test_sparse_means_two_ones_and_zeros_unless_told():
    assert Init(scheme="sparse") == Init(scheme="sparse", s=2, eps=0.0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_weights_follow_the_key(scheme):
    one, again, other = (weights(seed, scheme=scheme) for seed in (1, 1, 2))
    for a, b, c in list(zip(one, again, other, strict=True))[:3]:
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)


def test_a_run_may_draw_the_weights_of_another_seed_and_nothing_else_of_it():
    own, other, told = tiny(seed=1), tiny(seed=2), tiny(seed=2, init={"seed": 1})
    np.testing.assert_array_equal(told.init_key(), own.init_key())
    np.testing.assert_array_equal(told.key(), other.key())
    assert other.init_key().tolist() != own.init_key().tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sub_network_is_the_rows_of_its_parents_draw(scheme):
    neurons = (3, 499, 0, 77)
    W, b, v, c = weights(5, scheme=scheme)
    chosen = Init(scheme=scheme, neurons=neurons, parent_width=WIDTH)
    first, last = make_small(chosen.values(seed_words(5), 4, 2))
    picked = list(neurons)
    # Not compiled together with the parent, so the last bit of log and cos may differ.
    np.testing.assert_allclose(first["w"], W[:, picked], atol=1e-6)
    np.testing.assert_allclose(first["b"], b[picked], atol=1e-6)
    np.testing.assert_allclose(last["w"], v[picked], atol=1e-6)
    np.testing.assert_allclose(last["b"], c, atol=1e-6)


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ({"scheme": "dense", "s": 2}, "s and eps belong to the scheme 'sparse'"),
        ({"scheme": "kaiming", "eps": 0.1}, "s and eps belong to the scheme 'sparse'"),
        ({"scheme": "sparse", "s": 21}, "init.s must be at most n = 20"),
        ({"scheme": "sparse", "s": 0}, "init.s"),
        ({"scheme": "gaussian"}, "init.scheme"),
        ({"neurons": [1, 2]}, "go together"),
        ({"neurons": [], "parent_width": 9}, "init.neurons"),
        ({"neurons": [1, 9], "parent_width": 9}, "below parent_width = 9"),
        ({"neurons": [1, 2], "parent_width": 9}, "one neuron for each"),
        ({"neurons": [2**32] * 8, "parent_width": 2**33}, "init.parent_width"),
        ({"seed": -1}, "init.seed"),
    ],
)
def test_an_impossible_init_is_refused_in_a_sentence(init, words):
    with pytest.raises(GlasswareError, match=words):
        build({**TINY, "init": init})
