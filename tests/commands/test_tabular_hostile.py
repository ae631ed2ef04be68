"""`glassware tabular` on files nobody should have: one sentence, or a result, never a traceback."""

import numpy as np
import polars as pl
import pytest

from glassware.tabular import SparseMLPClassifier
from glassware.tabular.benchmark import baselines, contest
from tests.calls import call, sentence

RNG = np.random.default_rng(0)
QUICK = ("--methods", "forest", "--folds", 2)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    usual = baselines.make
    ours = lambda seed: SparseMLPClassifier(8, epochs=3, n_ensemble=1, preset="paper", random_state=seed)
    make = lambda method, seed: ours(seed) if method in baselines.OURS else usual(method, seed)
    monkeypatch.setattr(baselines, "make", make)
    monkeypatch.setattr(contest, "make", make)


def frame(**more):
    found = pl.DataFrame({"u": RNG.normal(size=40), "v": RNG.normal(size=40), **more})
    return found.with_columns(kind=pl.when(pl.col("u") > 0).then(pl.lit("yes")).otherwise(pl.lit("no")))


def test_text_beside_a_column_that_is_called_as_its_value(folder):
    frame(**{"a": ["x", "y"] * 20, "a=x": range(40)}).write_csv(folder / "t.csv")
    done = call("tabular", "t.csv", "--target", "kind", *QUICK)
    assert done.exit_code == 0, done.output
    assert "a=x (2)" in done.stdout


@pytest.mark.parametrize("name", ["red\x1b[31m\x01.csv", "line\u2028and\u2029.csv"])
def test_names_that_would_steer_a_terminal_or_end_the_drawing(folder, name):
    names = {"a\x1b[2J": "u", "b\u2028": "v", "kind\x07": "kind"}
    frame().rename({old: new for new, old in names.items()}).write_csv(folder / name)
    done = call("tabular", name, "--target", "kind\x07", *QUICK)
    assert done.exit_code == 0, done.output
    assert not {*"\x1b\x01\x07\u2028\u2029"} & {*done.output}
    assert len(list((folder / "results" / "figures" / "tabular").glob("*.png"))) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t.arff cannot be read: it ends before a line @data."),
        ("hello\nthere\n", "t.arff cannot be read: it ends before a line @data."),
        ("@relation t\n@attribute u numeric\n@attribute kind {yes,no}\n", "t.arff cannot be read: it ends before"),
        ("@relation t\n@attribute u numeric\n@attribute kind {yes,no}\n@data\n", "t.arff has no rows."),
        ("@relation t\n@attribute u numeric\n@attribute v numeric\n@attribute kind {yes,no}\n@data\n1,2,yes\n1,no\n",
         "t.arff cannot be read: could not convert string to float"),
    ],
)  # fmt: skip
def test_files_that_are_hardly_arff(folder, text, said):
    (folder / "t.arff").write_text(text)
    assert sentence(call("tabular", "t.arff", "--target", "kind")).startswith(said)


def test_targets_that_are_no_classes(folder):
    for kind, values in (("List(Int64)", [[1], [2]]), ("Binary", [b"a", b"b"])):
        frame().with_columns(kind=pl.Series(values * 20)).write_parquet(folder / "t.parquet")
        said = sentence(call("tabular", "t.parquet", "--target", "kind"))
        assert said.startswith(f"The target 'kind' is of type {kind}: a class is a number or a word.")


def test_a_path_of_five_thousand_characters():
    for path in ("x" * 5000, "a/" * 2500 + "t.csv"):
        said = sentence(call("tabular", path, "--target", "kind"))
        assert "is too long for a file system" in said
        assert len(said) < 400


def test_ctrl_c_keeps_the_methods_that_are_finished(folder, monkeypatch):
    frame().write_csv(folder / "t.csv")
    usual = contest.fitted

    def fitted(method, *given):
        if method == "HistGradientBoosting":
            raise KeyboardInterrupt
        return usual(method, *given)

    monkeypatch.setattr(contest, "fitted", fitted)
    words = ("tabular", "t.csv", "--target", "kind", "--folds", 2, "--methods")
    done = call(*words, "forest,HistGradientBoosting,MLPClassifier")
    assert done.exit_code == 130
    assert "forest " in done.stdout
    assert "HistGradientBoosting" not in done.stdout
    assert done.stderr.splitlines()[-1] == "stopped: 2 methods kept, without HistGradientBoosting, MLPClassifier"
    monkeypatch.setattr(contest, "_reading", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
    done = call(*words, "forest")
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1] == "stopped: 2 methods kept, our networks were not read"


def test_progress_says_how_far_it_is_and_how_long_it_takes(folder):
    frame().write_csv(folder / "t.csv")
    from glassware.tabular.benchmark.own_table import read_table

    said, steps = [], []
    contest.contest(read_table(folder / "t.csv", "kind"), ["forest"], folds=2, k=1, tell=said.append, step=steps.append)
    assert said[0] == "method 1 of 2: sparse, 2 fits"
    assert said[1].startswith("method 2 of 2: forest, 2 fits, about ")
    assert len(steps) == 4  # a network for each fold, a forest for each fold
    assert all(" left" in line for line in steps)
