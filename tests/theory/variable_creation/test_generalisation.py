import pytest

from glassware.theory.variable_creation.generalisation import dudley, rademacher_bound, samples_needed


def test_dudleys_integral():
    for C in (0.01, 5.0, 250.0):
        assert dudley(C, 100, 1.5) == pytest.approx(rademacher_bound(C, 100, 1.5), rel=1e-9)
    few, many = (samples_needed(lambda m, C=C: C, 1.0, 0.1) for C in (1.0, 4.0))
    assert many == pytest.approx(4 * few, rel=0.01)  # confidence costs little beside
