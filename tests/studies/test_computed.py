"""Studies that are computed instead of trained, and those that do both."""

from dataclasses import replace

import altair as alt
import polars as pl
import pytest

import glassware
from glassware import studies
from glassware.foundation.errors import StoreError
from glassware.foundation.statistics import Estimate
from glassware.studies import Claim, Finding, Study
from glassware.studies.verdict import between
from glassware.sweeps import Store, keep_computed
from tests import calls
from tests.helpers import TINY, tiny

CALLS: list[tuple[str, int | None]] = []


def compute(scale, seeds):
    CALLS.append((scale, seeds))
    return pl.DataFrame({"value": [float(i) for i in range(seeds or 3)], "kind": "computed"})


def largest(frame):
    return Finding(Estimate.exact(frame["value"].max()), between(2.0, 2.0))


CLAIM = Claim("two", "The largest is two", "Section 1", "= 2", largest, ("smoke", "laptop"))
FIGURES = {"values": lambda frame: alt.Chart(frame.select("value")).mark_point().encode(x="value:Q")}
STUDY = Study("test/computed", "Three numbers", "About.", (), (CLAIM,), FIGURES, compute=compute)
BOTH = replace(STUDY, name="test/both", stages=(lambda scale, seeds, rows: [tiny(seed=i) for i in range(2)],))


@pytest.fixture(autouse=True)
def _count():
    CALLS.clear()


class Listener:
    def __init__(self):
        self.lines = []

    def on_message(self, line):
        self.lines.append(line)


def test_it_is_computed_once_and_read_afterwards(tmp_path):
    places = {"store": tmp_path / "store", "figures": tmp_path / "figures"}
    report = glassware.reproduce(STUDY, "smoke", **places)
    assert report.frame.columns == ["value", "kind"]
    assert [j.verdict for j in report.judgements] == ["holds"]
    assert len(report.figures) == 2
    assert glassware.reproduce(STUDY, "smoke", **places).frame.equals(report.frame)
    assert glassware.claims(STUDY, "smoke", store=places["store"]) == report.judgements
    assert len(glassware.figures(STUDY, "smoke", store=places["store"], folder=tmp_path)) == 2
    assert CALLS == [("smoke", None)]
    assert len(list((tmp_path / "store/computed/test/computed").glob("smoke-*.parquet"))) == 1


def test_scales_and_seeds_are_kept_apart(tmp_path):
    store = Store(tmp_path / "store")
    assert studies.missing(STUDY, "smoke", store) == (1, 1)
    assert len(studies.results(STUDY, "smoke", store)) == 0
    studies.train(STUDY, "smoke", store)
    assert studies.missing(STUDY, "smoke", store) == (0, 1)
    assert studies.missing(STUDY, "laptop", store) == (1, 1)
    assert len(studies.train(STUDY, "smoke", store, 5)) == 5
    assert len(studies.results(STUDY, "smoke", store, 5)) == 5
    assert len(studies.results(STUDY, "smoke", store)) == 3
    assert CALLS == [("smoke", None), ("smoke", 5)]


def test_another_version_is_computed_again(tmp_path):
    store = Store(tmp_path / "store")
    studies.train(STUDY, "smoke", store)
    newer = replace(STUDY, version=2)
    assert studies.missing(newer, "smoke", store) == (1, 1)
    assert len(studies.results(newer, "smoke", store)) == 0
    assert len(studies.train(newer, "smoke", store)) == 3
    assert len(CALLS) == 2
    assert studies.missing(STUDY, "smoke", store) == (1, 1)


def test_a_damaged_table_is_named(tmp_path):
    store = Store(tmp_path / "store")
    studies.train(STUDY, "smoke", store)
    (path,) = (tmp_path / "store/computed/test/computed").glob("smoke-*.parquet")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(StoreError, match=r"smoke-\w+\.parquet is damaged .* 'glassware store repair' moves it aside"):
        studies.results(STUDY, "smoke", store)


def test_a_failed_computation_leaves_nothing(tmp_path):
    def broken(scale, seeds):
        raise ZeroDivisionError

    store = Store(tmp_path / "store")
    with pytest.raises(ZeroDivisionError):
        studies.train(replace(STUDY, compute=broken), "smoke", store)
    assert studies.missing(STUDY, "smoke", store) == (1, 1)
    assert len(studies.train(STUDY, "smoke", Store(tmp_path / "store"))) == 3


def test_computed_and_trained_rows_together(tmp_path):
    store = Store(tmp_path / "store")
    assert studies.missing(BOTH, "smoke", store) == (3, 3)
    frame = studies.train(BOTH, "smoke", store)
    assert frame["kind"].to_list() == ["computed"] * 3 + [None] * 2
    assert frame["n"].to_list() == [None] * 3 + [TINY["task"]["n"]] * 2
    assert studies.missing(BOTH, "smoke", store) == (0, 3)
    assert studies.results(BOTH, "smoke", store).equals(frame)
    assert len(CALLS) == 1


def test_half_of_a_study_is_not_judged(tmp_path, monkeypatch):
    """Studies share runs: after another one the store has the trained rows of this one, and nothing computed."""
    monkeypatch.setattr(studies, "STUDIES", {BOTH.name: BOTH})
    glassware.sweep(BOTH.runs("smoke"), tmp_path / "trained")
    keep_computed(Store(tmp_path / "computed"), "test/both/smoke", 1, lambda: compute("smoke", None))
    for half, lacking in (("trained", 1), ("computed", 2)):
        where = ("--scale", "smoke", "--store", tmp_path / half)
        said = calls.call("claims", *where)
        assert (said.exit_code, "not enough runs for any of 1 claims" in said.stdout) == (0, True), said.output
        assert f"{lacking} of 3 runs are missing" in said.stdout
        drawn = calls.call("figures", "test/both", *where, "--figures", tmp_path / "figures")
        assert calls.sentence(drawn).startswith("no results of test/both at scale smoke yet")


def test_without_a_store_nothing_is_kept(folder):
    assert len(glassware.reproduce(STUDY, "smoke", store=None, figures=None).frame) == 3
    assert not list(folder.iterdir())


def test_the_reporter_is_told(tmp_path):
    store, listener = Store(tmp_path / "store"), Listener()
    studies.train(STUDY, "smoke", store, reporter=listener)
    assert listener.lines[0] == "computing (no training)"
    assert listener.lines[1].startswith("computed 3 rows in ")
    studies.train(STUDY, "smoke", store, reporter=listener)
    assert listener.lines[2:] == ["computed before"]


def test_the_commands(folder, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", {STUDY.name: STUDY, BOTH.name: BOTH})
    call = lambda *words: calls.call(*words).stdout
    said = call("run", "test/computed", "--scale", "smoke")
    assert (
        said.index("Three numbers")
        < said.index("computing (no training)")
        < said.index("1 of 1 claims of the paper hold")
    )
    assert "computed before" in call("run", "test/computed", "--scale", "smoke")
    assert "1 of 1 claims of the paper hold" in call("claims", "test/computed", "--scale", "smoke")
    assert "values.png" in call("figures", "test/computed", "--scale", "smoke")
    assert "computed, not trained" in call("estimate", "test/computed", "--scale", "smoke")
    assert '"runs": 0' in call("estimate", "test/computed", "--scale", "smoke", "--json")
    assert "not counted: what the study computes besides" in call("estimate", "test/both", "--scale", "smoke")
    listed = call("studies")
    assert "0 *" in listed
    assert "* means that the study computes" in listed
