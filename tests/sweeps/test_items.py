import polars as pl
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Pieces, Store
from glassware.tabular.benchmark.plan import Job


@pytest.fixture
def pieces(tmp_path):
    return Pieces(Store(tmp_path / "store"), "paper/figure/table", 1)


def rows(value):
    return pl.DataFrame({"value": [value, value + 1]})


def jobs(*keys):
    return [Job(key, 1.0, lambda: rows(0)) for key in keys]


def test_items_are_kept_and_not_asked_for_again(pieces):
    assert [job.key for job in pieces.missing(jobs("a", "b"))] == ["a", "b"]
    with pieces.writing() as add:
        add("a", rows(1))
        add("a", rows(5))  # there already
        add("empty", pl.DataFrame())
    assert pieces.read().filter(item="a")["value"].to_list() == [1, 2]
    assert [job.key for job in pieces.missing(jobs("a", "b", "empty"))] == ["b"]


def test_what_was_added_survives_an_interruption(pieces):
    def interrupted():
        with pieces.writing() as add:
            add("a", rows(1))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert pieces.read()["item"].unique().to_list() == ["a"]


def test_columns_may_differ_between_items(pieces):
    with pieces.writing() as add:
        add("a", rows(1))
        add("b", pl.DataFrame({"other": ["x"]}))
    assert set(pieces.read().columns) == {"item", "value", "other"}


def test_another_version_starts_anew(pieces):
    with pieces.writing() as add:
        add("a", rows(1))
    newer = Pieces(pieces.store, pieces.name, 2)
    assert len(newer.read()) == 0
    with newer.writing() as add:
        add("a", rows(3))
    assert newer.read()["value"].to_list() == [3, 4]


def test_one_table_takes_over_what_another_has(pieces, tmp_path):
    other = Pieces(Store(tmp_path / "other"), pieces.name, 1)
    with pieces.writing() as add:
        add("a", rows(1))
    with other.writing() as add:
        add("a", rows(100))
        add("b", rows(7))
    assert pieces.adopt(other) == 1
    assert pieces.adopt(other) == 0
    assert pieces.read().sort("value")["value"].to_list() == [1, 2, 7, 8]


def test_a_second_writer_is_refused(pieces):
    with pieces.writing(), pytest.raises(GlasswareError, match="being written by another process"), pieces.writing():
        pass
