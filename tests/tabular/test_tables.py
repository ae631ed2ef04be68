"""Tables as people have them: text, categories, dates, gaps, sparse arrays, several targets."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.inspection import partial_dependence
from sklearn.multioutput import MultiOutputClassifier

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, columns
from glassware.tabular.encoding import Encoding

RNG = np.random.default_rng(0)
ROWS = 400
SMALL = {"hidden_layer_sizes": 32, "epochs": 40, "n_ensemble": 2, "learning_rate": 0.02, "random_state": 0,
         "guided": False, "early_stopping": False}  # fmt: skip
STREETS = [f"street {i}" for i in range(30)]
STREET = RNG.integers(0, 30, ROWS)
TOWN, SIZE = RNG.integers(0, 3, ROWS), RNG.integers(0, 3, ROWS)
HOUR = RNG.integers(0, 24, ROWS)
AGE = np.where(np.arange(ROWS) % 7 == 0, np.nan, RNG.normal(size=ROWS))
FLAG = RNG.integers(0, 2, ROWS) == 1
WHEN = np.datetime64("2024-03-01", "us") + (HOUR + 24 * RNG.integers(0, 60, ROWS)).astype("timedelta64[h]")
PRICE = RNG.normal(size=30)[STREET] + (TOWN == 1) + (HOUR > 12) + SIZE / 2 + 2.0 * np.isnan(AGE) + FLAG
TRAIN, TEST = slice(0, 300), slice(300, ROWS)


def pandas_frame():
    return pd.DataFrame({
        "town": pd.Categorical.from_codes(TOWN, ["Ulm", "Bonn", "Jena"]),
        "street": [STREETS[i] for i in STREET],
        "size": pd.Categorical.from_codes(SIZE, ["S", "M", "L"], ordered=True),
        "when": WHEN,
        "age": AGE,
        "flag": pd.array(FLAG, dtype="boolean"),
        "rooms": pd.array([None if i % 9 == 0 else i % 4 for i in range(ROWS)], dtype="Int64"),
    })  # fmt: skip


def polars_frame():
    return pl.DataFrame({
        "town": pl.Series([["Ulm", "Bonn", "Jena"][i] for i in TOWN], dtype=pl.Categorical),
        "street": [STREETS[i] for i in STREET],
        "size": pl.Series(["SML"[i] for i in SIZE], dtype=pl.Enum(["S", "M", "L"])),
        "when": WHEN,
        "age": pl.Series(AGE).fill_nan(None),
        "flag": FLAG,
        "rooms": [None if i % 9 == 0 else i % 4 for i in range(ROWS)],
    })  # fmt: skip


@pytest.fixture(scope="module")
def fitted():
    return SparseMLPRegressor(**SMALL).fit(pandas_frame()[TRAIN], PRICE[TRAIN])


def test_a_table_of_every_kind_of_column_is_learnt_and_read_by_its_names(fitted):
    frame = pandas_frame()
    assert fitted.score(frame[TEST], PRICE[TEST]) > 0.8
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert dict(zip(frame.columns, fitted.feature_importances_, strict=True))["street"] > 0.1
    pairs = fitted.interactions(2, frame[TEST], PRICE[TEST], top=3)
    assert set(pairs["features"].explode()) <= set(frame.columns)
    single = fitted.interactions(1, frame[TEST], PRICE[TEST], top=7).sort("score_drop")
    assert single["features"][-1].to_list() == ["street"]
    assert single["score_drop"][-1] > 0.2
    grid = partial_dependence(fitted, frame[TEST].astype({"age": float}), ["age"], grid_resolution=5)
    assert grid["average"].shape == (1, 5)


def test_predictions_follow_single_columns(fitted):
    frame = pandas_frame()[TEST]
    table = fitted.dependence(frame, ["age", "size", "town"], points=5)
    assert table.columns == ["column", "value", "level", "output", "prediction"]
    assert table.filter(column="size")["level"].to_list() == ["S", "M", "L"]  # in their order
    assert table.filter(column="size")["prediction"].is_sorted()
    assert table.filter(column="town").sort("prediction")["level"][-1] == "Bonn"
    for value, mean in table.filter(column="age").select("value", "prediction").iter_rows():
        assert fitted.predict(frame.assign(age=value)).mean() == pytest.approx(mean)
    with pytest.raises(ValueError, match="There is no column 'price'; columns are town, street"):
        fitted.dependence(frame, ["price"])
    with pytest.raises(ValueError, match="Column 'when' holds dates"):
        fitted.dependence(frame, ["when"])


def test_polars_pandas_and_arrays_of_objects_are_one_table(fitted):
    frame = polars_frame()
    other = clone(fitted).fit(frame[TRAIN], PRICE[TRAIN])
    expected = fitted.predict(pandas_frame()[TEST])
    np.testing.assert_allclose(other.predict(frame[TEST]), expected, rtol=1e-9)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(pandas_frame()[TEST]), expected)
    named = ["street", "flag", "age"]
    plain = pandas_frame()[named].astype(object)
    array = clone(fitted).fit(plain.to_numpy()[TRAIN], PRICE[TRAIN])
    framed = clone(fitted).fit(plain[TRAIN], PRICE[TRAIN])
    np.testing.assert_array_equal(array.predict(plain.to_numpy()[TEST]), framed.predict(plain[TEST]))


def test_levels_nobody_saw_and_missing_ones_are_predicted(fitted):
    frame = pandas_frame()[TEST].copy()
    frame["street"], frame["town"], frame["when"] = "elsewhere", None, pd.NaT
    unseen = fitted.predict(frame)
    assert np.isfinite(unseen).all()
    assert 0 < np.corrcoef(unseen, PRICE[TEST])[0, 1] < 0.95  # the other columns still say something
    frame["age"] = "old"
    with pytest.raises(ValueError, match="Column age held numbers when the model was fitted, and holds text now"):
        fitted.predict(frame)


def test_a_rows_own_target_does_not_enter_its_code():
    """With a level for every two rows the target is noise; codes that leaked would predict it in training."""
    noise = RNG.integers(0, 2, ROWS)
    names = [f"name {i // 2}" for i in range(ROWS)]
    column = columns.Column("name", "word", np.array(names, object))
    encoding, codes = Encoding.fit([column], np.eye(2)[noise], np.ones(ROWS), "native", 0)
    assert abs(np.corrcoef(codes[:, 0], noise)[0, 1]) < 0.2
    whole = encoding.transform([column])[:, 0]
    assert np.corrcoef(whole, noise)[0, 1] > 0.6  # for later rows all rows count
    expected = (noise.reshape(-1, 2).sum(axis=1).repeat(2) + 10 * noise.mean()) / 12
    np.testing.assert_allclose(whole, expected)


def test_each_kind_of_column_has_one_rule():
    frame = pandas_frame()[["town", "size", "when", "age", "flag"]]
    encoding, rows = Encoding.fit(columns.typed(frame), PRICE[:, None], np.ones(ROWS), "native", 0)
    assert encoding.source.tolist() == [0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 3]
    np.testing.assert_array_equal(rows[:, 0], TOWN == 1)  # levels in the order of their names: Bonn, Jena, Ulm
    np.testing.assert_array_equal(rows[:, 3], SIZE)
    np.testing.assert_array_equal(rows[:, 7], HOUR)
    np.testing.assert_array_equal(rows[:, 10], np.isnan(AGE))
    np.testing.assert_array_equal(encoding.transform(columns.typed(frame)), rows)


def test_missing_values_are_flagged_filled_or_refused():
    rows = RNG.normal(size=(400, 4))
    absent = RNG.random(400) < 0.4
    rows[:, 2] = RNG.random(400) < 0.2
    rows[absent, 2] = np.nan  # the median, 0, is what most others are
    model = SparseMLPClassifier(**SMALL)
    assert (
        model.fit(rows[TRAIN], absent[TRAIN]).score(rows[TEST], absent[TEST]) == 1.0
    )  # that a value is missing can be all there is to learn
    median = clone(model).set_params(missing="median").fit(rows[TRAIN], absent[TRAIN])
    assert median.score(rows[TEST], absent[TEST]) < 0.8
    filled = np.where(np.isnan(rows), np.nanmedian(rows[TRAIN], axis=0), rows)
    np.testing.assert_allclose(median.predict_proba(rows), median.predict_proba(filled))
    refusing = clone(model).set_params(missing="refuse")
    for table in (rows, pl.DataFrame(rows, schema=list("abcd"))):
        name = "'c'" if isinstance(table, pl.DataFrame) else "2"
        with pytest.raises(ValueError, match=rf"Column {name} contains NaN in {absent.sum()} of 400 rows: impute it"):
            refusing.fit(table, absent)
    with pytest.raises(ValueError, match="Column 'town' contains NaN in 1 of 3 rows"):
        refusing.fit(pd.DataFrame({"town": ["a", None, "b"]}), [0, 1, 0])


def test_sparse_tables_are_made_dense_while_they_fit(monkeypatch):
    rows = sparse.random_array((200, 30), density=0.2, rng=0, format="csr")
    label = rows.toarray()[:, 0] > 0
    model = SparseMLPClassifier(**SMALL).fit(rows, label)
    assert model.score(rows.tocsc(), label) > 0.9
    np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(rows.toarray()))
    monkeypatch.setattr(columns, "MOST_DENSE", 1000)
    with pytest.raises(ValueError, match=r"A sparse table of 200 x 30 is made dense, which takes more than"):
        model.fit(rows, label)


def test_classes_are_weighed():
    """Half of the rows are 0 whatever the column says; weights decide what is predicted."""
    rows, label = np.zeros((200, 1)), (np.arange(200) < 40).astype(int)
    model = SparseMLPClassifier(**{**SMALL, "preset": "paper", "epochs": 100})
    for weight, share in ((None, 0.2), ("balanced", 0.5), ({0: 1.0, 1: 12.0}, 0.75)):
        found = clone(model).set_params(class_weight=weight).fit(rows, label).predict_proba(rows[:1])
        assert found[0, 1] == pytest.approx(share, abs=0.06)
    with pytest.raises(ValueError, match="class_weight leaves no row"):
        clone(model).set_params(class_weight={0: 0.0, 1: 0.0}).fit(rows, label)


def test_several_numbers_at_once_and_one_label():
    rows = RNG.normal(size=(300, 4))
    targets = np.column_stack([rows[:, 0], 100 * rows[:, 1] + 7, rows[:, 2] > 0])
    model = SparseMLPRegressor(**{**SMALL, "guided": True}).fit(rows[:200], targets[:200])
    assert model.predict(rows).shape == targets.shape
    assert model.score(rows[200:], targets[200:]) > 0.7
    labels = targets[:, :2] > 0
    with pytest.raises(ValueError, match="y has 2 columns, and the classifier learns one label per row"):
        SparseMLPClassifier(**SMALL).fit(rows, labels)
    both = MultiOutputClassifier(SparseMLPClassifier(**{**SMALL, "epochs": 5})).fit(rows, labels)
    assert both.predict(rows).shape == (300, 2)


def test_columns_that_are_nothing_of_the_kind_get_a_sentence():
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [[1], [2]]})
    with pytest.raises(ValueError, match=r"Column 'b' is of type List\(Int64\), neither numbers nor text nor dates"):
        SparseMLPClassifier(**SMALL).fit(frame, [0, 1])
    with pytest.raises(ValueError, match=r"A LazyFrame has no rows yet: collect\(\) it first"):
        SparseMLPClassifier(**SMALL).fit(frame.lazy(), [0, 1])
    with pytest.raises(ValueError, match=r"Input X contains infinity in column 'a'"):
        SparseMLPClassifier(**SMALL).fit(pd.DataFrame({"a": [1.0, np.inf], "b": ["x", "y"]}), [0, 1])


def test_plain_numbers_are_the_same_in_any_container_and_two_rows_are_a_table():
    rows = RNG.normal(size=(60, 3)).round(1)
    model = SparseMLPClassifier(**{**SMALL, "epochs": 5})
    expected = model.fit(rows, rows[:, 0] > 0).predict_proba(rows)
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pd.DataFrame(rows).convert_dtypes(), rows.tolist()):
        np.testing.assert_array_equal(clone(model).fit(frame, rows[:, 0] > 0).predict_proba(frame), expected)
    two = SparseMLPClassifier(8, epochs=2).fit([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    assert set(two.predict([[0.0, 1.0], [1.0, 0.0]])) <= {"no", "yes"}
