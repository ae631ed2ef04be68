from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from glassware.tabular.screening.bits import farthest
from glassware.tabular.screening.codes import Codes
from glassware.tabular.screening.statistics import Cells, pairs

ROWS = 120
RNG = np.random.default_rng(0)
X = np.stack([RNG.integers(3, size=ROWS), RNG.choice([-1.0, 1.0], ROWS), RNG.normal(size=ROWS), np.ones(ROWS)], axis=1)
CODES = Codes.fit(X)
BINS = CODES.of(X, np.arange(4))


def indicators(columns):
    """One column per cell of a set, without those that no row is in."""
    cells = [np.all(BINS[:, columns] == cell, axis=1) for cell in product(range(6), repeat=len(columns))]
    return np.stack([cell for cell in cells if cell.any()], axis=1).astype(float)


def test_a_pair_of_binary_columns_has_the_chi_square_of_its_product():
    signs = RNG.choice([-1.0, 1.0], (ROWS, 3))
    residuals = RNG.normal(size=(ROWS, 2))
    codes = Codes.fit(signs)
    found = pairs(codes.features(codes.of(signs, np.arange(3))), residuals, codes.degrees)
    centred = (signs - signs.mean(axis=0)) / signs.std(axis=0)
    for far, (i, j) in zip(found, combinations(range(3), 2), strict=True):
        chi = np.square((residuals * (centred[:, i] * centred[:, j])[:, None]).sum(axis=0)).sum() / ROWS
        assert far == pytest.approx((np.cbrt(chi / 2) - (1 - 1 / 9)) * 3, abs=1e-3)


@pytest.mark.parametrize("columns", [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_evidence_is_that_of_least_squares_on_indicators_of_all_cells(columns):
    y = RNG.normal(size=ROWS) + (X[:, 0] == 1) * X[:, 1]
    y = (y - y.mean()) / y.std()
    smaller = np.concatenate([indicators(one) for one in combinations(columns, len(columns) - 1)], axis=1)
    left, spent = [], []
    for design in (smaller, indicators(columns)):
        fitted, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
        left.append(np.square(y - design @ fitted).sum())
        spent.append(rank)
    df, rest = spent[1] - spent[0], ROWS - spent[1]
    f = (left[0] - left[1]) / df / (left[1] / rest)
    # Ours takes the smaller sets' part as unexplained: residuals of an additive fit have little of it.
    ours = (left[0] - left[1]) / df / ((np.square(y).sum() - (left[0] - left[1])) / rest)
    evidence = Cells(BINS[:, columns], CODES, np.array(columns)).evidence(y[:, None])
    assert evidence == pytest.approx(-stats.f.logsf(ours, df, rest) if ours > 1 else 0.0, rel=1e-6)
    assert ours <= f


def test_codes_have_a_bin_per_value_or_equal_parts_and_orthonormal_contrasts():
    assert CODES.bins.tolist() == [3, 2, 6, 1]
    assert np.bincount(BINS[:, 2]).tolist() == [ROWS // 6] * 6
    features = CODES.features(BINS).reshape(ROWS, 4, -1)
    for column, degrees in enumerate(CODES.degrees):
        mine = features[:, column, :degrees]
        np.testing.assert_allclose(mine.T @ mine / ROWS, np.eye(degrees), atol=1e-5)
        np.testing.assert_allclose(mine.mean(axis=0), 0, atol=1e-5)
    assert CODES.of(np.full((1, 4), np.nan), np.arange(4)).tolist() == CODES.of(CODES.fill[None], np.arange(4)).tolist()


@pytest.mark.parametrize("size", [3, 4])
def test_the_farthest_product_is_that_of_an_exhaustive_search(size):
    signs, target = RNG.random((9, 130)) < 0.5, RNG.random(130) < 0.5
    column = np.array([0, 0, 1, 2, 3, 4, 5, 6, 6])  # signs of one column are not combined
    far = {}
    for one in combinations(range(9), size):
        if len({*column[list(one)]}) == size:
            agree = np.bitwise_xor.reduce([target, *signs[list(one)]]).sum()
            far[one] = abs(130 - 2 * int(agree))
    places, found = farthest(target, signs, column, size, 5)
    assert found[0] == max(far.values())
    assert [far[tuple(one)] for one in places.tolist()] == found.tolist()
