import numpy as np
import polars as pl
import pytest

from glassware.tabular import DataError
from glassware.tabular.benchmark import own_table
from glassware.tabular.benchmark.own_table import read_table

ROWS = 12


def good(**more):
    """A table of two inputs and two classes, with more columns."""
    a = np.arange(ROWS, dtype=float)
    return pl.DataFrame({"a": a, "b": a % 3, **more, "kind": ["yes", "no"] * (ROWS // 2)})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


def written(path, frame):
    frame.write_csv(path) if isinstance(frame, pl.DataFrame) else path.write_text(frame)
    return path


def test_a_good_table(path):
    table = read_table(written(path, good()), "kind")
    assert table.X.shape == (ROWS, 2)
    assert (table.columns, table.classes, table.notes) == (("a", "b"), ("no", "yes"), ())
    np.testing.assert_array_equal(table.y, [1, 0] * (ROWS // 2))


@pytest.mark.parametrize(("mark", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_fields_need_not_be_separated_by_commas(path, mark, word):
    good().write_csv(path, separator=mark)
    table = read_table(path, "kind")
    assert table.columns == ("a", "b")
    assert table.notes == (f"Fields are taken to be separated by {word}.",)
    path.write_text(f"a{mark}a{mark}kind\n1{mark}2{mark}yes\n")
    with pytest.raises(DataError, match="more than one column named 'a'"):
        read_table(path, "kind")


def test_words_for_nothing_among_numbers_are_missing_values(path):
    frame = good(c=["NA", "?", " 3", *["1.5"] * (ROWS - 3)], d=["NA", "west", *["east"] * (ROWS - 2)])
    with pytest.raises(DataError, match="Column 'c' is missing in 2 of 12 rows"):
        read_table(written(path, frame), "kind")
    table = read_table(path, "kind", missing="median")
    assert table.columns == ("a", "b", "c", "d=NA", "d=east", "d=west")  # a word among words is one
    np.testing.assert_array_equal(table.X[:4, 2], [np.nan, np.nan, 3.0, 1.5])


def few(*values):
    return [*values, *[values[-1]] * (ROWS - len(values))]


WILD = [float("inf"), *map(float, range(ROWS - 1))]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ("", "table.csv cannot be read: empty"),
        ("a,b,kind\n", "table.csv has no rows."),
        ("kind\nyes\nno\n", "table.csv has 1 column: an input and a target are needed."),
        ("a,a,kind\n1,2,yes\n", "table.csv has more than one column named 'a': rename them."),
        ("a,kind\n1,yes\n2\n3,4,5\n", "table.csv cannot be read: "),
        (good().drop("kind"), "table.csv has no column 'kind' (target); its columns are a, b."),
        (good().rename({"kind": "kinds"}), "table.csv has no column 'kind' (target); did you mean 'kinds'?"),
        (good().with_columns(kind=pl.lit("yes")), "are of one class, 'yes': there is nothing to tell apart."),
        (good().with_columns(kind=pl.Series(few("rare", "yes"))), "Class 'rare' has a single row: to hold one out"),
        (good().with_columns(kind=pl.Series(few(0.5, 1.5))), "takes two; for numbers use glassware.tabular"),
        (good().with_columns(kind=pl.Series(few(None, "yes"))), "The target 'kind' is missing in 1 of 12 rows."),
        (good(c=WILD), "Column 'c' is infinite in 1 of 12 rows"),
        (good(c=few(None, 1.0, 2.0)), "Column 'c' is missing in 1 of 12 rows: --missing median fills them"),
        (good(c=few(float("nan"), 1.0, 2.0)), "Column 'c' is missing in 1 of 12 rows"),
        (good().select("kind", a=pl.lit(1), b=pl.lit("x")), "all columns but the target are constant."),
        ("a,kind\n" + "".join(f"w{i},{i % 2}\n" for i in range(30)), "Column 'a' is text with 30 different values"),
        ("a,kind\n" + "".join(f"{i},{i}.5\n" for i in range(60)), "has 60 different values, more than the 50 classes"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused_with_a_sentence(path, frame, said):
    with pytest.raises(DataError) as caught:
        read_table(written(path, frame), "kind")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_files_are_refused(tmp_path):
    for name, said in (("absent.csv", "There is no file"), (".", "is a folder"), ("file.txt", "is none of")):
        (tmp_path / "file.txt").write_text("a")
        with pytest.raises(DataError, match=said):
            read_table(tmp_path / name, "kind")
    good(when=pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, ROWS), eager=True)).write_parquet(
        tmp_path / "t.parquet"
    )
    with pytest.raises(DataError, match="Column 'when' is of type Date, neither number nor text: --drop when"):
        read_table(tmp_path / "t.parquet", "kind")
    assert read_table(tmp_path / "t.parquet", "kind", drop=["when"]).columns == ("a", "b")


def test_what_can_be_used_is_used_and_said(path):
    made = good(
        one=[1] * ROWS, none=[None] * ROWS, colour=["red", "blue", "green"] * (ROWS // 3), flag=[True, False] * 6
    )
    table = read_table(written(path, made), "kind")
    assert table.columns == ("a", "b", "colour=blue", "colour=green", "colour=red", "flag")
    assert table.X[0].tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    assert table.notes == (
        "Constant columns are left out: one, none.",
        "Text columns are coded, a column a value: colour.",
    )


def test_missing_values_stay_for_the_folds_to_fill(path):
    table = read_table(written(path, good(c=few(None, 1.0, 2.0))), "kind", missing="median")
    assert np.isnan(table.X[:, 2]).sum() == 1
    with pytest.raises(DataError, match="missing must be"):
        read_table(path, "kind", missing="mean")


def test_many_rows_are_cut_down(path):
    big = pl.concat([good()] * 20)
    table = read_table(written(path, big), "kind", most_rows=50)
    assert len(table.y) == 50
    assert table.notes == ("50 of 240 rows are used, drawn at random.",)
    again = read_table(path, "kind", most_rows=50)
    np.testing.assert_array_equal(table.X, again.X)


def test_a_huge_file_is_read_in_part(path, monkeypatch):
    huge = pl.DataFrame({"a": range(20_000), "b": [0.5, 1.5] * 10_000, "kind": ["yes", "no", "no", "yes"] * 5000})
    written(path, huge)
    monkeypatch.setattr(own_table, "BIG", 1000)
    monkeypatch.setattr(own_table, "HEAD", 5000)
    table = read_table(path, "kind", most_rows=1000)
    assert len(table.y) == 1000
    assert table.notes[0].startswith("The file has 0 MB: 1,")
    # From all over the file, not its head.
    assert table.X[:, 0].max() > 19_000
    assert abs(table.X[:, 0].mean() - 10_000) < 1000


def test_ten_thousand_columns(tmp_path):
    wide = np.random.default_rng(0).normal(size=(20, 10_000))
    frame = pl.DataFrame(wide, schema=[f"x{i}" for i in range(10_000)], orient="row")
    frame.with_columns(kind=pl.Series(["a", "b"] * 10)).write_csv(tmp_path / "wide.csv")
    assert read_table(tmp_path / "wide.csv", "kind").X.shape == (20, 10_000)
