import numpy as np
import polars as pl
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.tabular.benchmark.printed import BY_NAME, TASKS
from glassware.tabular.benchmark.protocol import FEWEST_ROWS, FRACTIONS, Cell, split
from glassware.tabular.benchmark.suite import Suite337, deviation, exact
from glassware.tabular.benchmark.tables import Table, make_table, read_frame


def beaten(fraction):
    """Tasks on which the printed MLP is better than the printed forest, and those where they tie."""
    better = {t.number for t in TASKS if t.mlp.at(fraction) < t.forest.at(fraction)}
    return better, {t.number for t in TASKS if t.mlp.at(fraction) == t.forest.at(fraction)}


def test_the_printed_table_is_the_paper_s():
    assert [task.number for task in TASKS] == list(range(1, 17))
    assert beaten(1.0) == ({3, 4, 6, 8, 9, 14, 16}, {11})
    assert beaten(0.1) == ({3, 6, 11, 14, 16}, {9})
    assert beaten(0.01) == ({10, 14}, set())
    means = [(np.mean([t.mlp.at(f) for t in TASKS]), np.mean([t.forest.at(f) for t in TASKS])) for f in (1, 0.1, 0.01)]
    np.testing.assert_allclose(means, [(20.09, 20.50), (23.24, 22.49), (28.18, 26.30)], atol=0.0051)
    cells = [Cell(t.name, fraction, None).rows(t.rows) for t in TASKS for fraction in FRACTIONS]
    assert (len(cells), sum(rows >= FEWEST_ROWS for rows in cells)) == (272, 203)  # A11
    assert {t.number for t in TASKS if t.mlp[0] < t.reference_best[0]} == {3, 4, 9, 11, 14, 16}
    assert BY_NAME["heloc"].reference_best == (27.4, "ResNet")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    return pl.DataFrame({f"x{i}": X[:, i] for i in range(3)} | {"kind": np.where(X[:, 0] > 0, "P", "N")})


def write_arff(frame, path):
    lines = ["@relation made", *(f"@attribute x{i} numeric" for i in range(3)), "@attribute kind {N,P}", "@data"]
    path.write_text("\n".join([*lines, *(",".join(str(v) for v in row) for row in frame.iter_rows())]) + "\n")


@pytest.mark.parametrize("kind", ["parquet", "csv", "arff"])
def test_tables_come_from_any_of_three_kinds_of_file(frame, kind, tmp_path):
    path = tmp_path / f"pol.{kind}"
    {"parquet": frame.write_parquet, "csv": frame.write_csv, "arff": lambda p: write_arff(frame, p)}[kind](path)
    suite = Suite337(tmp_path)
    assert suite.names() == ["pol"]
    table = suite.load("pol")
    np.testing.assert_allclose(table.X, frame.drop("kind").to_numpy(), rtol=1e-6)
    assert table.classes == ("N", "P")
    assert (table.y == (frame["kind"] == "P").to_numpy()).all()


def test_deviations_from_the_printed_sizes_are_told(frame, tmp_path):
    frame.write_parquet(tmp_path / "pol.parquet")
    row = Suite337(tmp_path).check().row(0, named=True)
    assert row["exact"] is False
    assert row["deviation"] == "3 of 26 inputs, 50 of 10,082 rows"
    assert exact("pol", 26, 10_082)
    assert "as printed" in deviation(BY_NAME["pol"], 27, 10_082)


def test_the_variable_names_the_folder(frame, tmp_path, monkeypatch):
    frame.write_parquet(tmp_path / "heloc.parquet")
    monkeypatch.setenv("GLASSWARE_DATA", str(tmp_path))
    assert Suite337().names() == ["heloc"]


def test_without_folder_and_network_one_sentence_says_what_to_do(monkeypatch):
    def offline(**_):
        raise OSError("name or service not known")

    monkeypatch.delenv("GLASSWARE_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(GlasswareError, match=r"no tables: give a folder .* --data, variable GLASSWARE_DATA.*OpenML"):
        Suite337().load("credit")


def test_openml_is_asked_by_id(monkeypatch):
    class Bunch:
        data, target, feature_names = np.ones((4, 2)), np.array(["b", "a", "b", "a"]), ["u", "v"]

    asked = {}
    monkeypatch.delenv("GLASSWARE_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **given: asked.update(given) or Bunch)
    table = Suite337().load("jannis")
    assert asked["data_id"] == 45021
    assert table.y.tolist() == [1, 0, 1, 0]
    assert table.X.dtype == np.float32


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: Suite337(folder / "none"), "there is no folder .*--data"),
        (lambda folder: Suite337(folder).names(), "no table of the suite in"),
        (lambda folder: Suite337(folder).load("iris"), "unknown task 'iris'"),
        (lambda folder: Suite337(folder).load("credit"), r"no file of task credit in .*credit\.parquet"),
        (lambda folder: read_frame(folder / "a.parquet"), "There is no file"),
    ],
)
def test_what_is_missing_is_named(make, sentence, tmp_path):
    with pytest.raises(GlasswareError, match=sentence):
        make(tmp_path)


def test_damaged_files_and_words_among_the_inputs_are_refused(frame, tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    with pytest.raises(GlasswareError, match=r"a\.parquet cannot be read"):
        read_frame(tmp_path / "a.parquet")
    with pytest.raises(GlasswareError, match="Column 'kind' of pol is of type String"):
        make_table("pol", frame, target="x0")
    with pytest.raises(GlasswareError, match="target of pol has missing values"):
        make_table("pol", frame.with_columns(kind=pl.when(pl.int_range(50) > 0).then("kind")))


@pytest.fixture
def table():
    X = np.arange(1000, dtype=np.float32)[:, None]
    return Table("pol", X, np.arange(1000) % 2, ("x",), ("0", "1"))


def test_a_trial_holds_a_tenth_out_and_nests_fractions(table):
    whole, tenth = split(table, Cell("pol", 1.0), 0), split(table, Cell("pol", 0.1), 0)
    assert (len(whole.y), len(tenth.y), len(whole.y_test)) == (900, 90, 100)
    np.testing.assert_array_equal(whole.X_test, tenth.X_test)
    np.testing.assert_array_equal(whole.X[:90], tenth.X)
    assert not set(whole.X.ravel()) & set(whole.X_test.ravel())
    np.testing.assert_array_equal(whole.X[:50], split(table, Cell("pol", 1.0, 50), 0).X)


def test_trials_and_tasks_draw_for_themselves(table):
    other = split(table, Cell("pol", 1.0), 1)
    assert len(set(other.X_test.ravel()) & set(split(table, Cell("pol", 1.0), 0).X_test.ravel())) < 40
    again = split(Table("heloc", *(getattr(table, f) for f in ("X", "y", "columns", "classes"))), Cell("heloc", 1.0), 1)
    assert not np.array_equal(other.X_test, again.X_test)


def test_cells_with_few_rows_or_one_class_are_dropped(table):
    assert split(table, Cell("pol", 0.02), 0) is None
    alike = Table("pol", table.X, np.zeros(1000, int), ("x",), ("0",))
    assert split(alike, Cell("pol", 0.1), 0) is None
