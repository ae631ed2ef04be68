import jax
import numpy as np
import polars as pl
import pytest

from glassware.tabular import SparseMLPClassifier
from glassware.tabular.benchmark import grid, trainer
from glassware.tabular.benchmark.grid import network_rows, stacked
from glassware.tabular.benchmark.plan import NETWORKS, network_jobs
from glassware.tabular.benchmark.protocol import Cell, Split, split
from glassware.tabular.benchmark.suite import Suite337
from glassware.tabular.benchmark.trainer import Config, train_errors

CONFIGS = [Config(2, 24), Config(2, 24, 2, 0.01)]


def made(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows + 200, 5)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


@pytest.fixture(scope="module")
def errors():
    tables = [made(300, seed) for seed in (1, 2)]
    return tables, train_errors(stacked(tables), [7, 8], CONFIGS)


def test_a_lane_is_the_estimator_with_the_papers_preset(errors):
    tables, found = errors
    for config, line in zip(CONFIGS, found, strict=True):
        for part, seed, error in zip(tables, [7, 8], line, strict=True):
            alone = SparseMLPClassifier(
                (24, 24), preset="paper", random_state=seed, init_sparsity=config.sparsity or None,
                weight_decay=config.weight_decay,
            ).fit(part.X, part.y)  # fmt: skip
            wrong = alone.predict(part.X_test) != part.y_test
            assert abs(wrong.sum() - 200 * error) < 3  # sums in another order, a hundred epochs of it
            assert error < 0.4


def test_side_by_side_and_with_more_padding_nothing_changes(errors, monkeypatch):
    tables, found = errors
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(trainer, "DEVICE_SLOTS", 1024)
    together = train_errors(stacked(tables), [7, 8], CONFIGS)
    assert trainer.program_of(stacked(tables), CONFIGS[0]).shape.sizes[0] == trainer.DEVICE_COLUMNS
    np.testing.assert_allclose(together, found, atol=0.015)


def test_plain_sgd_at_the_papers_rate_has_hardly_begun_where_adam_has_learnt(errors):
    tables, found = errors
    slow = train_errors(stacked(tables[:1]), [7], [Config(2, 24, optimiser="sgd")])
    assert slow[0, 0] > 0.1 + found[0, 0]


def test_configurations_of_one_call_have_one_size(errors):
    with pytest.raises(ValueError, match="share depth and width"):
        train_errors(stacked(errors[0]), [7, 8], [Config(2, 24), Config(2, 25)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, part = tmp_path_factory.mktemp("tables"), made(300, 3)
    columns = {f"x{i}": np.concatenate([part.X, part.X_test])[:, i] for i in range(5)}
    pl.DataFrame(columns | {"target": np.concatenate([part.y, part.y_test])}).write_parquet(folder / "pol.parquet")
    return str(folder)


def test_rows_of_a_cell(folder):
    rows = network_rows(folder, Cell("pol", 0.1), (0, 3), (Config(1, 8), Config(1, 8, 2)))
    assert rows.select("init", "trial").rows() == [("dense", 0), ("dense", 3), ("s=2", 0), ("s=2", 3)]
    assert rows.select("train_rows", "test_rows", "columns", "family").unique().row(0) == (45, 50, 5, "networks")
    part = split(Suite337(folder).load("pol"), Cell("pol", 0.1), 3)
    direct = train_errors(stacked([part]), [3], [Config(1, 8, 2)])
    assert rows["error"][3] == pytest.approx(direct[0, 0], abs=0.021)


def test_jobs_at_one_percent_come_first_and_the_dearest_last(folder):
    jobs = network_jobs(folder, ["pol"], (1.0, 0.1))
    assert [job.order for job in jobs] == sorted(job.order for job in jobs)
    assert len({job.key for job in jobs}) == len(jobs) == 2 * len(NETWORKS)
    assert "10%" in jobs[0].key
    assert "100%" in jobs[-1].key
    assert network_jobs(folder) == []  # a table that is not the paper's is left out unless named
    # 6 operations a weight and example, 4 in the first layer: its inputs need no gradient. One batch of 256.
    assert grid.flops(200, 10, Config(1, 100)) == 100 * 256 * (4 * 1000 + 6 * 200)
