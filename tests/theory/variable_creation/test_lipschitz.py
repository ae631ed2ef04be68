import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassware.theory.variable_creation import lipschitz as lip
from glassware.theory.variable_creation.norms import longest_row, project


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.1, 8), st.floats(1e-3, 1), st.sampled_from(["", "QK", "V", "C"]))
def test_every_lemma_keeps_its_bound(seed, scale, change, only):
    rng = np.random.default_rng(seed)
    layer = lip.random_layer(rng, 3, 2, scale)
    other = lip.nudged(layer, rng, change, only)
    Z = project(2 * rng.standard_normal((4, 3)))
    moved = project(Z + change * rng.standard_normal((4, 3)))
    three = [layer, lip.random_layer(rng, 3, 2, 1.0), lip.random_layer(rng, 3, 2, scale)]
    stretch = longest_row(lip.attend(5 * Z, layer) - lip.attend(5 * moved, layer))
    sides = {
        "4.7": lip.head_sides(5 * Z, 5 * Z[0], layer, other),
        "A.13": lip.weight_sides(Z, layer, other),
        "A.14": (stretch, lip.input_slope(layer, 5.0, steepness=1.0) * 5 * longest_row(Z - moved)),
        "A.15": lip.layer_sides(Z, moved, layer, other),
        "A.16": lip.readout_sides(Z[0], moved[0], Z[1], Z[2]),
        "A.17": lip.budget_sides(Z, three, [other, *three[1:]]),
    }
    for name, (left, right) in sides.items():
        assert left <= right * (1 + 1e-9) + 1e-12, name


@pytest.mark.parametrize("B_X", [4.0, 8.0])
def test_long_tokens_break_the_printed_slope(B_X):
    sharp = lip.Layer(np.full((1, 1), 10.0), np.ones((1, 1)), np.ones((1, 1)))
    slope = lip.steep_slope(101, B_X, 10.0)
    assert lip.input_slope(sharp, B_X, printed=True) < slope / 3 < slope < lip.input_slope(sharp, B_X, steepness=1.0)
    # On tokens of length 1 both forms are the same.
    assert lip.input_slope(sharp, 1.0, printed=True) == lip.input_slope(sharp, 1.0)


def test_later_layers_break_the_printed_budget():
    rng = np.random.default_rng(0)
    layers = [lip.random_layer(rng, 4, 4, 0.3), lip.random_layer(rng, 4, 4, 6.0)]
    changed = [lip.nudged(layers[0], rng, 1e-4, "C"), layers[1]]
    X = project(rng.standard_normal((6, 4)))
    left, right = lip.budget_sides(X, layers, changed)
    assert left <= right
    assert left > 3 * lip.budget_sides(X, layers, changed, printed=True)[1]
