import math

import pytest

from glassware.foundation.statistics import NEVER
from glassware.studies.crossing import crossing, half_success


def test_a_crossing_is_interpolated_in_the_logarithm_of_the_size():
    assert crossing([100, 1000, 10_000], [0.0, 1.0, 1.0]) == pytest.approx(math.sqrt(100 * 1000))
    assert crossing([1, 16], [0.2, 0.6]) == pytest.approx(16**0.75)
    assert crossing([1, 16], [0.9, 0.97], 0.95) == pytest.approx(16 ** (5 / 7))
    assert crossing([1, 2, 4], [0.2, 0.5, 0.9]) == pytest.approx(2)


def test_only_the_first_rise_counts():
    assert crossing([1, 2, 4, 8], [0.0, 1.0, 0.0, 1.0]) == pytest.approx(math.sqrt(2))
    assert crossing([1, 2, 4, 8], [0.9, 0.0, 0.0, 1.0]) == pytest.approx(math.sqrt(32))


@pytest.mark.parametrize("values", [[0.4, 0.49], [0.5, 0.9], [0.9, 0.1], [0.7], []])
def test_without_a_rise_there_is_no_crossing(values):
    assert crossing([100, 1000][: len(values)], values) is None


def test_half_success():
    assert half_success([100, 1000, 10_000], [0.0, 1.0, 1.0]) == pytest.approx(math.sqrt(100 * 1000))
    assert half_success([100, 1000], [0.5, 0.2]) == 100
    assert half_success([100, 1000], [0.2, 0.5]) == pytest.approx(1000)
    assert half_success([100, 1000], [0.4, 0.4]) == NEVER
