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


def made_xor(narrow=0.3, wide=0.2, forest=0.25, sgd=0.45):
    """Errors on the made table, three trials each: of sparse networks by width, of a forest, of SGD; dense ones 30%."""
    networks = [
        {"method": "network", "width": r, "init": init, "optimiser": rule,
         "error": sgd if rule == "sgd" else 0.3 if init == "dense" else {30: narrow, 300: wide}[r]}
        for r in (30, 300) for init in ("dense", "s=2") for rule in ("adam", "sgd")
    ]  # fmt: skip
    return pl.DataFrame(
        [
            {"family": "xor", "train_rows": rows, "trial": i, **one, "error": one["error"] + 0.001 * i}
            for rows in (300, 1000)
            for one in [*networks, {"method": "forest", "error": forest}]
            for i in range(3)
        ]
    )


@pytest.mark.parametrize(
    ("claim", "changes", "holds"),
    [
        ("xor-width", {}, True),
        ("xor-width", {"wide": 0.26}, False),
        ("xor-width", {"wide": 0.5}, False),
        ("xor-forest", {}, True),
        ("xor-forest", {"forest": 0.19}, False),
        ("xor-sgd", {"sgd": 0.41}, True),
        ("xor-sgd", {"sgd": 0.39}, False),
    ],
)
def test_claims_on_the_made_table(claim, changes, holds):
    frame = made_xor(**changes)
    assert check(STUDY, claim, frame).holds is holds
    lacking = frame.filter(pl.col("train_rows") == 300)
    assert check(STUDY, claim, lacking).holds is (holds if claim == "xor-width" else None)


def test_a_forest_that_wins_at_one_size_wins():
    better = pl.when((pl.col("method") == "forest") & (pl.col("train_rows") == 1000)).then(0.1).otherwise("error")
    assert check(STUDY, "xor-forest", made_xor().with_columns(error=better)).holds is False


def test_rows_of_other_families_are_not_enough():
    for claim in STUDY.claims:
        if claim.scales == ("paper",):
            assert claim.check(pl.DataFrame({"family": ["xor"], "error": [0.5]})).holds is None, claim.id


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
