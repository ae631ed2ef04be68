"""Where neurons of a sparse first layer start: along the paths of trees, or at rows."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from glassware.tabular import SparseMLPClassifier
from glassware.tabular.attempts import attempt
from glassware.tabular.cuts import Splits
from glassware.tabular.guide import _splits
from glassware.tabular.inputs import Scaling
from glassware.tabular.jobs import lane_values
from glassware.tabular.start import NOTHING, at_rows, at_splits

KEY = np.array([1, 2], np.uint32)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = (X[:, 0] > 0.3) ^ (X[:, 2] > -0.4)
# Two trees: 0 splits column 5, below it 1 column 5 again, below that 2 column 3, then 3 column 1; 4 is a root alone.
SPLITS = Splits(
    column=np.array([5, 5, 3, 1, 7]),
    threshold=np.array([0.5, 0.25, -1.0, 2.0, 3.0]),
    gain=np.array([1.0, 2.0, 3.0, 4.0, 10.0]),
    above=np.array([-1, 0, 1, 2, -1]),
)


def paths(sparsity, width=4000, splits=SPLITS):
    """How often neurons read these columns, in this order."""
    found = at_splits(KEY, splits, width, sparsity, 4)
    each, counts = np.unique(found.columns, axis=0, return_counts=True)
    return {tuple(row[row < NOTHING].tolist()): count / width for row, count in zip(each, counts, strict=True)}, found


def test_neurons_follow_a_path_up_to_the_root_and_start_at_what_gains():
    shares, _ = paths(2)
    assert {path: pytest.approx(share, abs=0.03) for path, share in shares.items()} == {
        (5,): 0.15,  # the splits 0 and 1, which have no other column above
        (3, 5): 0.15,
        (1, 3): 0.2,
        (7,): 0.5,
    }
    assert set(paths(1)[0]) == {(5,), (3,), (1,), (7,)}
    assert set(paths(3)[0]) == {(5,), (3, 5), (1, 3, 5), (7,)}
    assert set(paths(0)[0]) == {()}


def test_kinks_go_through_the_nearest_thresholds_of_the_path():
    _, (columns, weights, bias) = paths(3)
    assert set(np.unique(weights)) == {-1.0, 1.0}
    assert 0.45 < np.mean(weights > 0) < 0.55
    at = {5: (0.5, 0.25), 3: (-1.0,), 1: (2.0,), 7: (3.0,)}
    for neuron in range(200):
        mine = [column for column in columns[neuron].tolist() if column < NOTHING]
        # Column 5 is met at its upper split only by the neuron that starts there.
        choices = [at[column] if column != 5 or mine == [5] else (0.25,) for column in mine]
        kinks = np.stack([grid.ravel() for grid in np.meshgrid(*choices)])
        assert np.min(np.abs(weights[neuron, : len(mine)] @ kinks + bias[neuron])) < 1e-6


def test_splits_that_gain_nothing_are_drawn_alike():
    shares, _ = paths(1, splits=SPLITS._replace(gain=np.zeros(5)))
    assert shares == {
        (5,): pytest.approx(0.4, abs=0.03),
        **dict.fromkeys([(3,), (1,), (7,)], pytest.approx(0.2, abs=0.03)),
    }


def test_splits_know_what_is_above_them():
    forest = RandomForestClassifier(n_estimators=7, random_state=0).fit(X, Y)
    found, number = _splits(forest, np.zeros(4), np.ones(4)), 0
    for one in forest.estimators_:
        tree, above = one.tree_, {0: -1}
        for node in range(tree.node_count):
            if tree.children_left[node] < 0:
                continue
            assert (found.column[number], found.threshold[number]) == (tree.feature[node], tree.threshold[node])
            assert found.above[number] == above[node]
            above |= dict.fromkeys([tree.children_left[node], tree.children_right[node]], number)
            number += 1
    assert number == len(found.above)


def test_rows_give_kinks_where_there_is_no_forest():
    found = at_rows(KEY, X, 500, 2, 3)
    assert ((found.columns < 4).sum(axis=1) == 2).all()
    assert (found.columns[:, 2] == NOTHING).all()
    assert np.bincount(found.columns[:, :2].ravel()).min() > 200  # of 250: each column as often
    out = (X[:, found.columns[:, :2]] * found.weights[:, :2]).sum(axis=2) + found.bias
    np.testing.assert_allclose(np.abs(out).min(axis=0), 0.0, atol=1e-6)
    assert (at_rows(KEY, X[:, :1], 5, 2, 2).columns == [0, NOTHING]).all()


@pytest.mark.parametrize("kind", ["standard", "mixed", "signs"])
def test_single_values_are_scaled_like_rows(kind):
    table = np.column_stack([X, X[:, 0] ** 3, np.arange(300) % 2, np.ones(300)])
    scaling = Scaling.fit(table, kind)
    rows, columns = RNG.integers(300, size=50), RNG.integers(7, size=50)
    found = scaling.at(columns, table[rows, columns])
    np.testing.assert_array_equal(found, scaling.transform(table)[rows, columns])


def test_networks_start_at_the_forests_thresholds_as_they_read_them():
    """Every kink of a neuron that reads one column lies between two rows that the forest told apart there."""
    model = SparseMLPClassifier(random_state=0, init_sparsity=1)
    prepared = model._prepare(X * [1.0, 50.0, 0.01, 1.0] + [0.0, 3.0, 0.0, -9.0], Y)
    made = attempt(prepared, prepared.recipe)
    job = made.parts[0].job
    assert job.splits is not None
    assert made.guide is not None
    for number in RNG.integers(len(job.splits.column), size=50).tolist():
        column = made.guide.splits.column[number]
        below = prepared.X[:, column] <= made.guide.splits.threshold[number]
        assert below.any()
        assert not below.all()
        assert job.table.x[below, column].max() <= job.splits.threshold[number] <= job.table.x[~below, column].min()
    assert made.parts[1].job.splits is None


def test_a_table_without_a_split_starts_at_rows():
    prepared = SparseMLPClassifier(random_state=0)._prepare(np.ones((40, 3)), np.arange(40) % 2)
    assert attempt(prepared, prepared.recipe).parts[0].job.splits is None
    model = SparseMLPClassifier(8, epochs=2, random_state=0).fit(np.ones((40, 3)), np.arange(40) % 2)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), 0.5, atol=0.1)


def test_a_column_that_comes_back_on_a_path_is_read_once():
    back = Splits(np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0]), np.array([-1, 0, 1]))
    shares, found = paths(3, 50, back)
    assert shares == {(0, 1): 1.0}
    assert set(np.abs(found.bias)) == {1.0, 5.0}  # 3 and 2, not the 1 of its upper split


def test_kinks_of_unguided_networks_lie_at_rows_that_they_learn():
    model = SparseMLPClassifier(64, guided=False, cuts=0, n_ensemble=3, random_state=0)
    prepared = model._prepare(X, Y)
    job = attempt(prepared, prepared.recipe).parts[0].job
    for member, held in enumerate(job.held_out):
        lane = lane_values(job.shape(), job, 0, member)
        z = (job.table.x[:, lane["columns"]] * lane["weights"]).sum(axis=2) + lane["bias"]
        assert np.abs(np.delete(z, held, axis=0)).min(axis=0).max() < 1e-5
        assert np.abs(z[held]).min(axis=0).max() > 1e-3


@pytest.mark.parametrize("unit", [1e-300, 1e-310, 1e-315])
def test_columns_of_the_smallest_numbers_are_learnt(unit):
    model = SparseMLPClassifier(16, epochs=3, n_ensemble=3, early_stopping=False, random_state=0).fit(X * unit, Y)
    assert np.isfinite(model.predict_proba(X * unit)).all()


def test_the_farthest_value_stays_the_farthest_and_a_huge_constant_is_no_obstacle():
    column = np.sort(np.concatenate([X[:, 0], [1e100, 1e160]]))
    scaled = Scaling.fit(column[:, None], "mixed").transform(column[:, None])[:, 0]
    assert (np.diff(scaled) >= 0).all()
    table = np.column_stack([X, np.full(300, 1e39)])
    model = SparseMLPClassifier(16, epochs=3, n_ensemble=2, early_stopping=False, random_state=0).fit(table, Y)
    assert model.feature_importances_[4] < 0.2


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scikit-learn adds them up
def test_columns_of_the_largest_numbers_are_learnt():
    sign = np.where(X[:, :1] > 0, 1.7e308, -1.7e308)
    for table in (X * [1e307, 1.0, 1.0, 1.0], np.hstack([sign, X[:, 1:]])):
        model = SparseMLPClassifier(16, epochs=20, n_ensemble=3, early_stopping=False, random_state=0)
        assert model.fit(table, X[:, 0] > 0).score(table, X[:, 0] > 0) > 0.9
