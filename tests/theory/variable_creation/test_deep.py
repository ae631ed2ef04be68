import math

import numpy as np
import pytest

from glassware.theory.variable_creation.covers import HeadNorms, cover_tf_head
from glassware.theory.variable_creation.deep import LayerNorms, amplification, cover_deep


def test_an_error_grows_in_the_layers_after_it():
    layers = [LayerNorms(1, 1, 1, 1, 1, 1), LayerNorms(2, 3, 0, 1, 1, 1), LayerNorms(1, 1, 2, 1, 1, 1)]
    np.testing.assert_allclose(amplification(layers), [6 * 9, 9, 1])
    np.testing.assert_allclose(amplification(layers, printed=True), [1, 5, 5 * 6])
    np.testing.assert_allclose(amplification(layers, residual=True), [7 * 10, 10, 1])


def test_one_layer_is_a_head():
    """With W_C = 1 and a large readout term left out, A.17 is Corollary 4.9 with W_C's cover added."""
    layer = LayerNorms(C=1, V=2.0, QK=1.0, C21=0.0, V21=1.5, QK21=0.7)
    at = {"d": 4, "m": 5, "T": 6, "eps": 0.1, "B_X": 2.0}
    deep = cover_deep([layer], 1.0, k=4, **at) ** (1 / 3)
    readout = (math.log(4 * 5 * 6) / 0.1**2) ** (1 / 3)
    assert deep - readout == pytest.approx(cover_tf_head(HeadNorms(1.5, 2.0, 0.7), **at) ** (1 / 3))
