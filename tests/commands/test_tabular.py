import json

import numpy as np
import polars as pl
import pytest

from glassware.tabular import SparseMLPClassifier
from glassware.tabular.benchmark import baselines, contest
from tests.calls import call, sentence


@pytest.fixture
def small(monkeypatch):
    """Our estimator, but small."""
    usual = baselines.make

    def make(method, seed):
        if method not in baselines.OURS:
            return usual(method, seed)
        return SparseMLPClassifier(
            8, init_sparsity=2 if method == "sparse" else None, epochs=30, n_ensemble=1, random_state=seed,
            preset="paper", batch_size=32, learning_rate=0.03,
        )  # fmt: skip

    monkeypatch.setattr(baselines, "make", make)
    monkeypatch.setattr(contest, "make", make)


@pytest.fixture
def file(folder):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    frame = pl.DataFrame(X, schema=["left", "right", "noise", "more"], orient="row")
    kind = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    frame = frame.with_columns(kind=pl.Series(kind), more=pl.when(pl.col("more") < 2).then("more"))
    frame.write_csv(folder / "mine.csv")
    return folder / "mine.csv"


def test_methods_on_a_table_of_your_own(small, file, folder):
    words = ("tabular", file.name, "--target", "kind", "--methods", "dense,MLPClassifier", "--folds", 2)
    refused = call(*words)
    assert sentence(refused).startswith("Column 'more' is missing in")
    assert not (folder / "results").exists()
    done = call(*words, "--missing", "median")
    assert done.exit_code == 0, done.output
    assert "mine.csv: 90 rows, 4 inputs, 2 classes of kind" in done.stdout
    assert "Cross-validated in 2 folds." in done.stdout
    assert "method 3 of 3: MLPClassifier, 2 fits" in done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert {"sparse", "dense", "MLPClassifier"} <= set(lines)
    assert "left × right: " in done.stdout
    assert (folder / "results" / "figures" / "tabular" / "mine.png").stat().st_size > 1000


def test_help_names_the_extra_that_brings_baselines():
    assert "glassware[bench]" in call("tabular", "--help").stdout


def test_as_json(small, file):
    done = call(
        "tabular", file.name, "--target", "kind", "--drop", "more", "--methods", "dense", "--folds", 2, "--json"
    )
    found = json.loads(done.stdout)
    assert done.stderr == ""
    assert {row["method"] for row in found["table"]} == {"sparse", "dense"}
    ours = next(row for row in found["table"] if row["method"] == "sparse")
    folds = [row["error"] for row in found["folds"] if row["method"] == "sparse"]
    assert ours["error"] == pytest.approx(np.mean(folds))
    assert ours["more"] == 0.0
    other = next(row for row in found["table"] if row["method"] == "dense")
    assert other["more_low"] < other["more"] < other["more_high"]
    assert 0 <= other["low"] < other["error"] < other["high"] <= 1
    assert len(found["interactions"]) == 3  # of three columns, two at a time


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["absent.csv", "--target", "kind"], "invalid value for 'FILE': path 'absent.csv' does not exist"),
        (["mine.csv"], "missing option '--target'"),
        (["mine.csv", "--target", "kin"], "mine.csv has no column 'kin' (target); did you mean 'kind'?"),
        (["mine.csv", "--target", "kind", "--drop", "z"], "mine.csv has no column 'z' (column to drop)"),
        (["mine.csv", "--target", "kind", "--methods", "magic"], "there is no method 'magic'; methods are sparse"),
        (["mine.csv", "--target", "kind", "--drop", "more", "--folds", "1"], "folds must be at least 2"),
        (["mine.csv", "--target", "kind", "--rows", "1"], "at least 4 rows are needed, not 1."),
        (["mine.csv", "--target", "kind", "--figures", "mine.csv"], "cannot write figures to mine.csv"),
    ],
)  # fmt: skip
def test_bad_calls(file, words, said):
    assert sentence(call("tabular", *words)).startswith(said)
