"""Coins of dropout: their rate, and that each has an address."""

import numpy as np
import pytest

from glassware.foundation.draws import seed_words
from glassware.models.dropout import Dropout

KEY, ROWS = seed_words(1), np.arange(200, dtype=np.uint32)


def kept(step=0, rows=ROWS, rate=0.1, site=0, shape=(51, 7), key=KEY):
    return np.asarray(Dropout(key, step, rows).kept(rate, site, shape))


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_numbers_are_dropped_at_their_rate_and_the_others_scaled(rate):
    factors = kept(rate=rate)
    np.testing.assert_allclose(np.unique(factors), [0, 1 / (1 - rate)], rtol=1e-4)
    for axis in (0, (1, 2)):  # every place and every row
        share = (factors == 0).mean(axis=axis)
        spread = np.sqrt(rate * (1 - rate) / (factors.size / share.size))
        assert abs(share - rate).max() < 5 * spread
        assert 0.8 < share.std() / spread < 1.2


def test_rows_may_go_elsewhere_and_an_odd_axis_is_cut():
    dropout = Dropout(KEY, 0, ROWS)
    np.testing.assert_array_equal(np.moveaxis(np.asarray(dropout.kept(0.1, 0, (51, 7), axis=1)), 1, 0), kept())


@pytest.mark.parametrize("shape", [(51, 7), (50, 7), (4,)])
def test_one_place_has_the_coins_that_it_has_among_all(shape):
    coins, all_ = Dropout(KEY, 0, ROWS).coins(0.1, 0, shape), kept(shape=shape)
    for place in (0, shape[0] // 2, shape[0] - 1):
        np.testing.assert_array_equal(coins.at(place), all_[:, place])


def test_a_row_has_its_coins_whatever_rows_it_is_beside():
    np.testing.assert_array_equal(kept(rows=ROWS[[5, 90]]), kept()[[5, 90]])


def test_steps_sites_and_keys_have_coins_of_their_own():
    one = kept() == 0
    for other in (kept(step=1), kept(site=1), kept(key=seed_words(2)), kept(rows=ROWS + 200)):
        assert abs((one & (other == 0)).mean() - 0.01) < 0.002


def test_what_all_rows_share_has_one_set_of_coins_per_step_and_site():
    of = lambda step, site: np.asarray(Dropout(KEY, step, ROWS).kept_for_all(0.1, site, (300, 40))) == 0
    one = of(0, 0)
    assert abs(one.mean() - 0.1) < 0.015
    np.testing.assert_array_equal(one, np.asarray(Dropout(KEY, 0, ROWS[3:5]).kept_for_all(0.1, 0, (300, 40))) == 0)
    for other in (of(1, 0), of(0, 1)):
        assert abs((one & other).mean() - 0.01) < 0.005
