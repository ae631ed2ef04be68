"""A part of a study's runs: the runs of the study, no others; and rounds that follow one another."""

from dataclasses import replace

import polars as pl
import pytest

import glassware as gw
from glassware import studies
from glassware.foundation.errors import GlasswareError
from glassware.studies import Rounds, parse_part, part, results
from glassware.sweeps import grid, run_id
from tests.calls import call, sentence
from tests.helpers import TINY
from tests.tiny_study import STUDY


def rounds(scale, seeds, rows):
    """One more seed per round, four in all; asks for all seeds so far, as a search does that knows of no rows."""
    done = 0 if not len(rows) else int(rows["seed"].max()) + 1
    return grid(TINY, {"model.width": [4, 8]}, seeds=done + 1) if done < 4 else []


SEARCH = replace(STUDY, name="test/search", stages=(Rounds(rounds),))


@pytest.fixture
def known(monkeypatch):
    for study in (STUDY, SEARCH):
        monkeypatch.setitem(studies.STUDIES, study.name, study)


def test_a_part_has_runs_of_the_study_and_no_others():
    every = {run_id(run): run for run in STUDY.runs("smoke")}
    narrow = part(STUDY, {"model.width": [4], "m": ["online", 30]}).runs("smoke")
    assert {run_id(run) for run in narrow} == {key for key, run in every.items() if run.network.width == 4}
    assert not part(STUDY, {"model.width": [5]}).runs("smoke")
    assert part(STUDY, {}) is STUDY
    assert parse_part(["model.width=4,8", "m=online", "evaluation.stop=false"]) == {
        "model.width": [4, 8],
        "m": ["online"],
        "evaluation.stop": [False],
    }


def test_parts_add_up_to_the_study_and_are_not_judged(known, folder):
    words = ["reproduce", "test/search", "--scale", "smoke", "--store", "store", "--figures", "figures"]
    said = call(*words, "--only", "model.width=4")
    assert "4 of 8 results are in store; the same command without --only does the rest" in said.stdout
    assert not (folder / "figures").exists()
    whole = call(*words)
    assert "8 runs: 7 done before, 1 to train" in whole.stdout  # the last round asks for all seeds so far
    assert len(gw.Store("store").read()) == 8
    assert (folder / "figures/test/search/smoke/widths.png").exists()


def test_rounds_go_on_until_none_is_wanted_and_rows_count_once(known, folder):
    report = gw.reproduce(SEARCH, "smoke", store="store", figures=None)
    assert sorted(report.frame["seed"]) == [0, 0, 1, 1, 2, 2, 3, 3]
    store = gw.Store("store")
    assert results(SEARCH, "smoke", store).sort("id").equals(report.frame.sort("id"), null_equal=True)
    assert gw.estimate(SEARCH, "smoke", store="store").left.runs == 0
    # A share waits for the others before the next round.
    shared = gw.reproduce(SEARCH, "smoke", store="shared", share="1/2", figures=None)
    assert len(shared.frame) == 1


def test_rounds_that_lack_rows_end():
    asked = []
    SEARCH.follow("smoke", None, lambda number, runs: (asked.append(len(runs)), (pl.DataFrame(), True))[1])
    assert asked == [2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["model.width"], "a part is written FIELD=VALUE,VALUE, as model.width=10,30, not 'model.width'"),
        (["width=4"], "no run has a field 'width'; its fields are task.name"),
    ],
)
def test_bad_input_is_one_sentence(known, folder, words, said):
    result = call("reproduce", "test/tiny", "--scale", "smoke", *(part for one in words for part in ("--only", one)))
    assert said in sentence(result)


def test_what_is_computed_has_no_parts():
    with pytest.raises(GlasswareError, match="test/tiny is computed, not trained"):
        part(replace(STUDY, stages=()), {"m": [3]})
