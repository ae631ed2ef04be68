import pytest

from glassware.theory.variable_creation.covers import HeadNorms, cover_heads, cover_tf_head, explicit_tf_head


def test_heads_count_cubed_and_longer_tokens_count():
    head, at = HeadNorms(1.0, 2.0, 3.0), {"d": 4, "m": 5, "T": 6, "eps": 0.1}
    assert cover_heads([head] * 7, **at) == pytest.approx(7**3 * cover_tf_head(head, **at))
    # Where values alone matter the bound is (L B_X V21)^2, where scores alone do it is (2 L B_X^3 QK21 V)^2.
    values, scores = HeadNorms(1.0, 1.0, 0.0), HeadNorms(0.0, 1.0, 1.0)
    for one, power in ((values, 2), (scores, 6)):
        assert cover_tf_head(one, B_X=3.0, **at) == pytest.approx(3**power * cover_tf_head(one, **at))


def test_explicit_bounds_grow_like_log():
    head = HeadNorms(1.0, 1.0, 1.0)
    bounds = [explicit_tf_head(head, d=4, k=4, m=8, T=2**power, eps=0.1) for power in (4, 5, 20, 21)]
    assert 0.88 < (bounds[3] - bounds[2]) / (bounds[1] - bounds[0]) < 1
