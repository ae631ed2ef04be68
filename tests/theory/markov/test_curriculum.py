import numpy as np
import pytest

from glassware.theory.markov.chains import equal
from glassware.theory.markov.curriculum import curriculum, limit_v, limit_w


@pytest.mark.parametrize("spread", [0.1, 0.2, 0.35])
def test_two_steps_reach_the_bigram_solution(spread):
    gaps = []
    for t in (80, 160):
        found = curriculum(t, spread)
        W, v = found.second.W, found.second.v
        assert found.leader == 2
        assert abs(W[0, 1]) < 1e-12 * W[0, 0]
        limits = [limit_w(spread), *(limit_v(j, spread) for j in (1, 2, 3, 4))]
        gaps.append([W[0, 0], *v[:4]] - np.array(limits))
    np.testing.assert_allclose(gaps[1] / gaps[0], 0.5, atol=0.06)  # O(1/t)


def test_limits():
    chains = equal(60, 0.3)
    assert limit_w(0.3) == pytest.approx(chains.mean((chains.a - 0.5) / (8 * (1 - chains.a))), abs=1e-14)
    assert limit_w(0.01) == pytest.approx(0.01**2 / 6, rel=1e-3)
    assert limit_v(4, 0.3) / limit_v(2, 0.3) == pytest.approx(12 * 0.3**2 / 5)
    # Without the density the order of W is epsilon^3, and the logits would be O(epsilon^6) already.
    assert limit_w(0.02, printed=True) / limit_w(0.01, printed=True) == pytest.approx(8, rel=0.01)
    assert limit_w(0.02) / limit_w(0.01) == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize(("w", "share"), [(0.0, 0.034), (0.01, 0.095), (0.1, 0.425), (1.0, 0.883)])
def test_a_start_with_weights_in_the_second_layer(w, share):
    """v_2 leads still, but the remainder carries a large factor."""
    found = curriculum(100, 0.2, w=w)
    assert found.leader == 2
    assert found.second.v[0] / found.second.v[1] == pytest.approx(share, abs=5e-4)


def test_without_decay_of_v_the_start_remains():
    """Chapter 8 decays the second layer alone, and E.59 keeps v_init: then v_2 leads by less than 1 in 10,000."""
    kept = curriculum(100, 0.2, decay="second layer").second.v
    assert kept[1] / kept[0] - 1 < 1e-4
    np.testing.assert_allclose(kept - 1, curriculum(100, 0.2).second.v, atol=1e-15)


def test_rates_in_the_order_of_the_chapter_shrink_the_second_layer():
    """Exchanged, the diagonal of W falls with t; it should stay."""
    exchanged = [curriculum(t, 0.2, rates=(1 / t, 1 / t**2)).second.W[0, 0] for t in (50, 200)]
    assert exchanged[0] / exchanged[1] == pytest.approx(4, rel=0.05)
    stays = [curriculum(t, 0.2).second.W[0, 0] for t in (50, 200)]
    assert stays[0] / stays[1] == pytest.approx(1, rel=0.05)
