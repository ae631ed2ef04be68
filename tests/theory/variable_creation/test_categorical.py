import numpy as np
import pytest

from glassware.theory.variable_creation.categorical import categorical_network


@pytest.mark.parametrize(("T", "kinds", "s"), [(30, 5, 2), (9, 3, 3), (100, 2, 1)])
def test_any_function_of_tokens_of_several_kinds(T, kinds, s):
    rng = np.random.default_rng([T, kinds])
    table, places = rng.standard_normal(kinds**s), tuple(int(i) for i in rng.choice(T, s, replace=False))
    symbols = rng.integers(0, kinds, (200, T))
    symbols[0], symbols[1] = 0, kinds - 1  # the ends of the scale, where all others pull one way
    symbols[0, list(places)], symbols[1, list(places)] = kinds - 1, 0
    network = categorical_network(T, places, kinds, table)
    wanted = table[symbols[:, list(places)] @ kinds ** np.arange(s)[::-1]]
    np.testing.assert_allclose(network(symbols), wanted, atol=1e-9)
    levels = 1 - 2 * symbols[:, list(places)] / (kinds - 1)
    assert np.abs(network.levels(symbols) - levels).max() <= 2 / (kinds - 1) / 4


def test_a_table_of_another_size():
    with pytest.raises(ValueError, match="has 9 values, not 8"):
        categorical_network(20, (1, 2), 3, np.zeros(8))
