"""The frontier at paper scale is a search: narrow networks first, runs of the grid, and claims that know of gaps."""

import random

import polars as pl
import pytest

from glassware.charts.save import specification
from glassware.foundation.specs import seedless
from glassware.luck.frontier import advance, cells
from glassware.studies import find, part
from glassware.studies.pareto.panels import CERTAIN, from_none_to_all, full_grid, inferred, panels, panels_of
from glassware.sweeps import run_id
from glassware.sweeps.identity import spec_json
from tests.charts.made import data
from tests.studies.made import check, pretend

STUDY = find("pareto/success-frontier")
ONE = part(STUDY, {"task.n": [50], "task.k": [3], "init.scheme": ["dense"], "evaluation.train": [0]})


def learned():
    """Half of the runs succeed at 1,200 examples times 1 + 100/r, which chance moves by up to a half."""
    dice = random.Random(0)
    return lambda run: (run.m or 10**7) > 1200 * (1 + 100 / run.network.width) * 1.5 ** dice.uniform(-1, 1)


@pytest.fixture(scope="module")
def searched():
    """A panel as the search leaves it, and the widest network of each round."""
    rounds, passed = list[int](), learned()

    def rows_of(_, runs):
        rounds.append(max(run.network.width for run in runs))
        work = pl.col("width") * pl.when("success").then(1e6).otherwise(1e7)
        return pretend(runs, passed).with_columns(flops=work), True

    return ONE.follow("paper", None, rows_of), rounds


def test_narrow_networks_come_first_and_all_runs_are_those_of_the_grid(searched):
    rows, rounds = searched
    assert rounds[0] == 1000
    assert rounds.index(3000) < rounds.index(10_000) < rounds.index(100_000)
    grid = {spec_json(run) for run in ONE.runs("paper", 1)}  # seed 0 is left out
    assert set(rows.select(seedless()).to_series()) <= grid
    assert rows["id"].n_unique() == len(rows) < 0.2 * 50 * len(grid)
    assert rows["seed"].max() < 50
    assert advance([panel for panel in panels_of(rows) if panel.counts(rows)], rows) == []


def test_a_stopped_search_goes_on_from_any_of_its_rows(searched):
    rows, _ = searched
    half = rows.filter(pl.col("width") <= 3000)
    more = ONE.stages[0]("paper", None, half)
    assert more
    assert {run_id(run) for run in more} <= set(rows["id"])
    assert {run.network.width for run in more} == {10_000}


def test_width_alone_is_made_sure_of_in_one_column(searched):
    rows, _ = searched
    counts = rows.group_by("m", "width").agg(pl.col("success").sum(), pl.len()).filter(pl.col("len") >= CERTAIN)
    none, every = (set(counts.filter(pl.col("success") == won)["m"]) for won in (0, pl.col("len")))
    assert none & every
    (panel,) = [panel for panel in panels("paper") if panel.counts(rows)]
    assert from_none_to_all(panel, rows) == []
    few = rows.filter(pl.col("seed") < 4)
    more = from_none_to_all(panel, few)
    assert {run.seed for run in more} == set(range(4, CERTAIN))
    assert len({run.m for run in more}) == 1


def test_inferred_cells_are_drawn_pale_and_are_no_runs(searched):
    rows, _ = searched
    pale = inferred(rows)
    known = cells([panel for panel in panels("paper") if panel.counts(rows)], rows)
    assert len(pale) == len(known.filter(known="inferred")) > 40
    assert not pale.join(rows, on=["m", "width"], how="semi", nulls_equal=True).height
    spec = specification(STUDY.figures["frontier"](rows.drop("curve_step")))
    drawn = data(spec, "known")
    assert len([cell for cell in drawn if cell.get("known") == "inferred"]) == len(pale)
    assert "pale: inferred, not measured" in str(spec["title"])
    laptop = pretend(full_grid("laptop", 2), learned())
    assert not len(inferred(laptop))


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("1-frontier-panels", "2 of 24 panels"),
        ("2-width-columns", "of 2 panels 2 by their counts, 2 surely"),
        ("2-width-monotone", "2 of 24 panels, 18 of 216 rows of them have runs"),
        ("3-sparse-region", "(50, 3) 0."),
        ("4-more-data-hurts", "no row"),
    ],
)
def test_one_place_of_twelve_is_not_enough(searched, claim, said):
    """And cells without runs are not taken for failures: sparse networks here lack those of half the samples."""
    rows, _ = searched
    sparse = rows.with_columns(init=pl.lit("sparse"), m=(pl.col("m") * 0.5).cast(pl.Int64), s=pl.lit(2, pl.Int64))
    finding = check(STUDY, claim, pl.concat([rows, sparse]))
    assert finding.verdict == "not enough runs"
    assert said in finding.detail
