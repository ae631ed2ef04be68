import pytest

from glassware.theory.variable_creation.norms import pq_norm, spectral
from glassware.theory.variable_creation.sample_complexity import head_norms, local_exponents, sample_report
from glassware.theory.variable_creation.selection import select
from glassware.theory.variable_creation.sharpness import KINDS


def test_norms_that_enter_the_bound_are_those_of_the_weights():
    for kind in KINDS:
        selection = select(kind, 14, (1, 4, 9))
        for head, norms in zip(selection.heads, head_norms(kind, 3, selection.R), strict=True):
            value, key = head.W_V @ head.W_C[:, : selection.outputs], head.W_K @ head.W_Q.T
            found = pq_norm(value, 2, 1), spectral(value), pq_norm(key, 2, 1)
            assert found == pytest.approx((norms.V21, norms.V, norms.QK21)), kind


def test_samples_grow_like_log_t_only_if_norms_do_not():
    powers = (30, 60)
    fixed, grown = ([sample_report("one head", 3, p, R=R).log_m for p in powers] for R in (5.0, None))
    assert 0 < local_exponents(fixed, powers)[0] <= 1
    assert 2 < local_exponents(grown, powers)[0] <= 3
