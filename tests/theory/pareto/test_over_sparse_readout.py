import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.pareto.over_sparse_readout import (
    PRINTED_OFFSET,
    biases,
    over_sparse_readout,
    parity_of_sum,
    readout_matrix,
    relevant_sums,
    sign_representable,
    signal_to_noise,
)


@pytest.mark.parametrize("k", [2, 4, 6])
def test_the_label_is_a_function_of_the_relevant_sum(k):
    x = cube(k)
    label = dict(zip(relevant_sums(k), parity_of_sum(k), strict=True))
    assert [label[t] for t in x.sum(axis=1)] == list(chi(x, range(k)))


@pytest.mark.parametrize(
    ("offset", "norms"), [(PRINTED_OFFSET, [181.0, 11952.8, 5.57e5, 2.30e7]), (1.0, [11.4, 71.6, 200.8, 414.8])]
)
def test_the_corrected_readout_is_exact_and_the_offset_decides_its_size(offset, norms):
    for k, norm in zip((2, 4, 6, 8), norms, strict=True):
        readout = over_sparse_readout(k, offset)
        assert readout_matrix(k, offset).shape == (k + 1, k + 1)
        assert readout.residual < 1e-6
        assert readout.norm == pytest.approx(norm, rel=5e-3)
    np.testing.assert_allclose(over_sparse_readout(4).weights, [1, 48, -16, 48, -16], rtol=1e-9)


@pytest.mark.parametrize(("k", "residual"), [(2, 1.333), (4, 1.346), (6, 1.348), (8, 1.348), (10, 1.348)])
def test_the_printed_biases_miss_the_parity(k, residual):
    assert readout_matrix(k, PRINTED_OFFSET, printed=True).shape == (k + 1, k - 1)
    assert over_sparse_readout(k, PRINTED_OFFSET, printed=True).residual == pytest.approx(residual, abs=6e-3)
    assert over_sparse_readout(k, PRINTED_OFFSET, printed=True).residual > 1


@pytest.mark.parametrize("k", [2, 4, 6, 8])
@pytest.mark.parametrize("offset", [PRINTED_OFFSET, 1.0])
def test_the_printed_biases_miss_even_its_sign(k, offset):
    assert not sign_representable(k, offset, printed=True)
    assert sign_representable(k, offset)


def test_the_printed_offset_drowns():
    assert signal_to_noise(4, 201) > 4 > 1 > signal_to_noise(4, 201, PRINTED_OFFSET)
    assert signal_to_noise(4, 9 * 256 * 10, PRINTED_OFFSET) > 1  # s must exceed 256 (k - 1)^2


def test_odd_parities_are_refused():
    with pytest.raises(GlasswareError, match="even k"):
        biases(3)
