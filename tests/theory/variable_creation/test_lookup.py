import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from glassware.theory.variable_creation.lookup import first_layer_bound, lookup, lookup_1d

RNG = np.random.default_rng


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 2**32))
def test_a_lookup_is_constant_on_boxes_and_zero_far_away(d, count, seed):
    rng = RNG(seed)
    delta = 0.25
    points = rng.permutation(8)[:count, None] * 4 * delta * np.ones(d)  # 4 delta apart in all coordinates
    values = rng.standard_normal(count)
    network, noise = lookup(points, values, delta), rng.uniform(-delta, delta, (count, d))
    np.testing.assert_allclose(network(points + noise), values, atol=1e-10)
    np.testing.assert_allclose(network(points - 100.0), 0, atol=1e-9)
    assert network.largest()["W_1"] <= first_layer_bound(float(points.max()), delta) + 1e-12
    if d == 1:
        np.testing.assert_allclose(lookup_1d(points, values, delta)(points + noise), values, atol=1e-10)


def test_the_printed_bound_of_entries_is_passed():
    largest = lookup(np.array([[0.0], [4.0]]), np.ones(2), 1.0).largest()["W_1"]
    assert first_layer_bound(4.0, 1.0, printed=True) < largest == first_layer_bound(4.0, 1.0) == 6
    # Slopes alone are larger than B/delta + 2 where points are near 0.
    assert lookup(np.array([[0.0], [0.4]]), np.ones(2), 0.1).largest()["W_1"] == first_layer_bound(0.4, 0.1) == 10
