"""The tabular study: its made table, figures and pieces."""

import numpy as np
import polars as pl
import pytest

from glassware.studies import claims, figures, left_in_pieces, missing, train
from glassware.studies.pareto.tabular import STUDY
from glassware.studies.pareto.tabular_figures import beside_printed_table, by_rows_table
from glassware.sweeps import Store
from tests.calls import call
from tests.studies.made import check
from tests.studies.pareto.tabular_rows import EXACT, forest, method, network, together


def made_xor(narrow=0.3, wide=0.2, forest=0.25, sgd=0.45, spread=0.001, trials=6):
    """Errors on the made table: of sparse networks by width, of a forest, of SGD; of dense ones 28%.

    Tables differ, by ``spread`` from one to the next, and all methods alike: their differences have no spread.
    """
    networks = [
        {"method": "network", "width": r, "init": init, "optimiser": rule,
         "error": sgd if rule == "sgd" else 0.28 if init == "dense" else {30: narrow, 300: wide}[r]}
        for r in (30, 300) for init in ("dense", "s=2") for rule in ("adam", "sgd")
    ]  # fmt: skip
    return pl.DataFrame(
        [
            {"family": "xor", "train_rows": rows, "trial": i, **one, "error": one["error"] + spread * i}
            for rows in (300, 1000)
            for one in [*networks, {"method": "forest", "error": forest}]
            for i in range(trials)
        ]
    )


def unpaired(frame, method, spread):
    """The same rows, but the errors of one method vary by themselves."""
    noise = pl.when(pl.col("trial") % 2 == 0).then(spread).otherwise(-spread)
    return frame.with_columns(error=pl.col("error") + pl.when(pl.col("method") == method).then(noise).otherwise(0.0))


@pytest.mark.parametrize(
    ("claim", "frame", "said"),
    [
        ("xor-width", made_xor(), "holds"),
        ("xor-width", made_xor(spread=0.05), "holds"),  # in pairs: hard tables are hard for all
        ("xor-width", made_xor(wide=0.26), "fails"),
        ("xor-width", made_xor(narrow=0.5, wide=0.5), "fails"),
        ("xor-forest", made_xor(), "holds"),
        ("xor-forest", unpaired(made_xor(), "forest", 0.05), "too close to call"),
        ("xor-forest", made_xor(forest=0.19), "fails"),
        ("xor-sgd", made_xor(), "holds"),
        ("xor-sgd", made_xor(narrow=0.28, sgd=0.39, spread=0.005), "too close to call"),
        ("xor-sgd", made_xor(sgd=0.3), "fails"),
        ("xor-sgd", made_xor(0.5, 0.5, sgd=0.5), "fails"),  # Adam does not learn it either
    ],
)
def test_claims_on_the_made_table(claim, frame, said):
    assert check(STUDY, claim, frame).verdict == said
    lacking = check(STUDY, claim, frame.filter(pl.col("train_rows") == 300)).verdict
    assert lacking == (said if claim == "xor-width" else "not enough runs")


def test_a_forest_that_wins_at_one_size_wins():
    better = pl.when((pl.col("method") == "forest") & (pl.col("train_rows") == 1000)).then(0.1).otherwise("error")
    assert check(STUDY, "xor-forest", made_xor().with_columns(error=better)).verdict == "fails"


def test_a_second_block_of_trials_extends_the_first():
    from glassware.tabular.benchmark.synthetic import xor_jobs

    first, second = (xor_jobs([70], [4], 1, first=start) for start in (0, 1))
    assert not {job.key for job in first} & {job.key for job in second}
    both = [pl.concat([job.compute() for job in jobs], how="diagonal_relaxed") for jobs in (first, second)]
    assert [set(rows["trial"]) for rows in both] == [{0}, {1}]
    assert both[1]["error"].to_list() == _of_trial(xor_jobs([70], [4], 2), 1)


def _of_trial(jobs, trial):
    rows = pl.concat([job.compute() for job in jobs], how="diagonal_relaxed")
    return rows.filter(pl.col("trial") == trial)["error"].to_list()


def test_rows_of_other_families_are_not_enough():
    for claim in STUDY.claims:
        if claim.scales == ("paper",):
            assert claim.check(pl.DataFrame({"family": ["xor"], "error": [0.5]})).verdict == "not enough runs", claim.id


def test_the_table_of_the_figure_has_every_task_and_fraction():
    table = beside_printed_table(together(forest(1), network()))
    assert len(table) == 2 * 3 * len(EXACT)
    assert table["column"].unique(maintain_order=True).to_list() == ["all rows", "10%", "1%"]
    assert np.allclose(table.filter(pl.col("panel") == "forests")["value"], 1.0)
    curves = by_rows_table(together(forest(), network(), method("sparse")))
    assert curves["kind"].n_unique() == 5
    assert curves["panel"].n_unique() == len(EXACT)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


def test_smoke_is_computed_once_piece_by_piece(store, tmp_path):
    told = []

    class Teller:
        def on_message(self, line):
            told.append(line)

    ((name, left, every, seconds),) = left_in_pieces(STUDY, "smoke", store)
    assert (name, left, every) == ("pareto/tabular/smoke", 6, 6)
    assert seconds > 0
    before = call("estimate", "pareto/tabular", "--scale", "smoke", "--store", store.path).stdout
    assert "pareto/tabular/smoke: 6 of 6 pieces left, about " in before
    frame = train(STUDY, "smoke", store, reporter=Teller())
    assert left_in_pieces(STUDY, "smoke", store) == [("pareto/tabular/smoke", 0, 6, 0)]
    assert missing(STUDY, "smoke", store) == (0, 1)
    assert set(frame["method"]) == {"network", "forest"}
    assert any("6 of 6 pieces" in line for line in told)
    told.clear()
    assert train(STUDY, "smoke", store, reporter=Teller()).equals(frame)
    assert told == ["pareto/tabular/smoke: 6 pieces, 6 there before"]
    assert {j.verdict for j in claims(STUDY, "smoke", frame)} == {"not judged at this scale"}
    assert [path.stem for path in figures(STUDY, "smoke", frame, tmp_path)] == ["xor", "xor"]


def test_a_stop_keeps_the_pieces_that_are_done(tmp_path, monkeypatch):
    from glassware.tabular.benchmark import synthetic

    def stop(*_):
        raise KeyboardInterrupt

    store = Store(tmp_path / "store")
    monkeypatch.setattr(synthetic, "forest_errors", stop)
    with pytest.raises(KeyboardInterrupt):
        train(STUDY, "smoke", store)
    monkeypatch.undo()
    monkeypatch.setattr(synthetic, "network_errors", stop)  # those before the first forest are there
    with pytest.raises(KeyboardInterrupt):
        train(STUDY, "smoke", store)
    monkeypatch.undo()
    assert len(train(STUDY, "smoke", store)) == 2 * (2 * 4 * 2 + 2)
