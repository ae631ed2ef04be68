"""The leaky parity against its definition, written out in NumPy."""

import numpy as np
import pytest

from glassware.foundation.draws import Stream, run_key, stream_key
from glassware.tasks import LeakyParity, Parity
from glassware.theory.boolean import cube
from glassware.theory.leaky.distributions import LeakyParity as Distribution

KEY = run_key(3, "a cell")
EXAMPLES = stream_key(KEY, Stream.EXAMPLE)


def drawn(task, count=4000):
    index, values = np.arange(count, dtype=np.uint32), task.values(KEY)
    raw = task.raw(EXAMPLES, index)
    return raw, np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))


@pytest.mark.parametrize(("n", "k"), [(9, 3), (31, 5), (32, 3), (33, 1), (64, 7), (70, 3)])
def test_labels_are_the_product_over_the_support(n, k):
    task = LeakyParity(n=n, k=k)
    _, x, y = drawn(task)
    np.testing.assert_array_equal(y, np.prod(x[:, task.hidden_support(KEY)], axis=1))


@pytest.mark.parametrize("leak", [0.0, 0.2, 0.5, 1.0])
def test_inputs_have_the_probabilities_of_the_mixture(leak):
    task, count = LeakyParity(n=5, k=3, leak=leak), 40_000
    _, x, _ = drawn(task, count)
    places = cube(5)
    expected = Distribution(5, task.hidden_support(KEY), leak).probability(places)
    found = np.array([np.mean(np.all(x == place, axis=1)) for place in places])
    assert np.all(np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / count))


def test_an_example_of_either_component_differs_on_the_support_only():
    task = LeakyParity(n=40, k=3)
    raw, x, y = drawn(task)
    values, support = task.values(KEY), list(task.hidden_support(KEY))
    others = [i for i in range(40) if i not in support]
    (one, label), (two, leaked) = (task.component(values, raw, leaking) for leaking in (False, True))
    one, two = np.asarray(one), np.asarray(two)
    np.testing.assert_array_equal(one, Parity(n=40, k=3).signs(np.asarray(raw)[:, :-1]))
    np.testing.assert_array_equal(label, np.prod(one[:, support], axis=1))
    assert np.all(two[:, support] == np.asarray(leaked)[:, None])  # every relevant sign is the label
    assert abs(np.mean(leaked)) < 5 / np.sqrt(len(y))
    np.testing.assert_array_equal(one[:, others], two[:, others])
    from_two = np.all(x == two, axis=1)
    assert np.all(from_two | np.all(x == one, axis=1))
    assert 0.5 < from_two.mean() < 0.75  # a quarter of D1 has equal signs as well


def test_the_leak_is_a_lane_value_and_k_is_not():
    task = LeakyParity(n=20, k=3, leak=0.1)
    assert task.shape() == LeakyParity(n=20, k=3, leak=0.9, support=(1, 2, 3)).shape()
    assert task.shape() != LeakyParity(n=20, k=5).shape()


@pytest.mark.parametrize("wrong", [{"k": 4}, {"leak": 1.5}, {"k": 21}])
def test_what_does_not_leak_is_refused(wrong):
    with pytest.raises(ValueError, match=r"k must be odd|less than or equal to 1|k must be at most"):
        LeakyParity(**{"n": 20, "k": 3, **wrong})
