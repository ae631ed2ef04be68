import time

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import log_loss

from benchmarks import tabular, tabular_ours
from glassware.sweeps import Pieces, Store
from glassware.tabular import SparseMLPClassifier
from glassware.tabular.benchmark import baselines, plan
from glassware.tabular.benchmark.baselines import installed, make, method_rows
from glassware.tabular.benchmark.best import mean_errors
from glassware.tabular.benchmark.protocol import Cell, split
from glassware.tabular.benchmark.suite import Suite337


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("tables"), np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    frame = pl.DataFrame({f"x{i}": X[:, i] for i in range(3)} | {"target": (X[:, 0] > 0).astype(int)})
    frame.write_parquet(folder / "pol.parquet")
    return str(folder)


def test_every_method_sees_the_rows_of_the_trial(folder):
    cell = Cell("pol", 0.3)
    for method in ("forest", "HistGradientBoosting"):
        rows = method_rows(folder, cell, method, (0, 2))
        assert rows["trial"].to_list() == [0, 2]
        assert rows.row(0, named=True)["train_rows"] == 108
        part = split(Suite337(folder).load("pol"), cell, 2)
        alone = make(method, 2).fit(part.X, part.y)
        assert rows["error"][1] == pytest.approx(np.mean(alone.predict(part.X_test) != part.y_test))
        assert rows["log_loss"][1] == pytest.approx(log_loss(part.y_test, alone.predict_proba(part.X_test)))
    assert not len(method_rows(folder, Cell("pol", 0.01), "forest", (0,)))  # 3 rows: dropped (A11)


def test_our_own_are_the_estimator_as_it_comes_and_its_dense_twin():
    assert {k for k, v in make("sparse", 3).get_params().items() if v != make("dense", 3).get_params()[k]} == {
        "init_sparsity"
    }
    assert make("dense", 3).init_sparsity is None
    assert make("sparse", 3).random_state == 3


# RealMLP's import takes seconds.
@pytest.mark.parametrize("method", [method for method in installed() if method != "RealMLP"])
def test_every_baseline_that_is_installed_can_be_made(method):
    model = make(method, 1)
    assert hasattr(model, "fit")
    assert hasattr(model, "predict")


def test_a_baseline_that_is_not_installed_is_left_out(monkeypatch):
    monkeypatch.setattr(baselines, "find_spec", lambda name: object() if name == "sklearn" else None)
    assert installed() == ["MLPClassifier", "forest", "HistGradientBoosting"]


def test_jobs_begin_with_few_rows_and_first_trials(folder):
    jobs = plan.our_jobs(folder, ["pol"], (1.0, 0.1))
    assert jobs[0].key == "dense pol 10% trials 0 to 4"
    assert [job.key.split("trials ")[1] for job in jobs[4:8]] == ["0 to 0", "0 to 0", "1 to 1", "1 to 1"]
    assert plan.our_jobs(folder) == []  # a table that is not the paper's is left out unless named
    reduced = plan.reduced_network_jobs(folder, ["pol"], (0.1,))
    assert len(reduced) == 8
    assert all("5 trials" in job.key and job.seconds < plan.CORE_SECONDS for job in reduced)


def _rows(seconds):
    time.sleep(seconds)
    return pl.DataFrame({"task": ["t"], "fraction": [1.0], "method": ["m"], "error": [seconds]})


def test_what_would_not_end_in_time_is_not_begun(tmp_path):
    from functools import partial

    pieces = Pieces(Store(tmp_path), "made", 1)
    jobs = [plan.Job(f"job {s}", s, partial(_rows, min(s, 0.01))) for s in (0.01, 1e6, 0.02)]
    assert tabular.compute(jobs, pieces, 1, time.monotonic() + 60) == 1
    assert set(pieces.read()["item"]) == {"job 0.01", "job 0.02"}
    assert tabular.compute(jobs[:1], pieces, 1, time.monotonic() + 60) == 0
    assert mean_errors(pieces.read())["m"].to_list() == [pytest.approx(1.0)]


def test_on_an_accelerator_all_trials_are_fitted_at_once_and_come_out_the_same(folder, monkeypatch):
    small = lambda method, seed: SparseMLPClassifier(
        16, epochs=3, n_ensemble=2, init_sparsity=2 if method == "sparse" else None, random_state=seed
    )
    for module in (baselines, tabular_ours):
        monkeypatch.setattr(module, "make", small)
    jobs = plan.our_jobs(folder, ["pol"], (0.1,))
    todo = tabular_ours.fits(jobs)
    assert [(fit.method, fit.trial) for fit in todo[:4]] == [("dense", 0), ("sparse", 0), ("dense", 1), ("sparse", 1)]
    assert len(todo) == 20
    some = [fit for fit in todo if fit.job in (jobs[0].key, jobs[1].key)]
    grown = {(fit.cell, fit.trial): tabular_ours.grow((folder, fit.cell, fit.trial)) for fit in some}
    together = tabular_ours.compute(folder, some, grown)
    assert together.keys() == {jobs[0].key, jobs[1].key}
    for job in jobs[:2]:
        assert together[job.key].drop("seconds").equals(job.compute().drop("seconds"))
    rest = tabular_ours.compute(folder, [some[0]._replace(cell=Cell("pol", 0.01))], {})
    assert not len(rest[some[0].job])  # 3 rows: dropped, and not asked for again
