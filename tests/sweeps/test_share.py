import functools

import pytest

from glassware.foundation.errors import GlasswareError, StoreError
from glassware.sweeps import Share, Store, grid, make_plan, parse_share, run_id
from glassware.sweeps import store as store_module
from glassware.sweeps import sweep as sweep_
from tests.helpers import TINY, same_findings
from tests.sweeps.lives import made_rows

sweep = functools.partial(sweep_, lanes=8)  # one program for all tests here

RUNS = grid(TINY, {"m": [30, None]}, seeds=5)
FIRST, SECOND = Share(1, 2), Share(2, 2)


def add(writer, batch):
    """A part of its own."""
    for row in made_rows(batch):
        writer.add(row)
    writer.flush()


def ids(*batches):
    return {row["id"] for batch in batches for row in made_rows(batch)}


@pytest.mark.parametrize(("text", "share"), [("2/8", Share(2, 8)), (" 1/1", Share(1, 1)), ("16/16", Share(16, 16))])
def test_shares(text, share):
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["", "0/8", "9/8", "2", "2/", "-1/8", "2/0", "1.0/2", "2 of 8", "1/99999999"])
def test_shares_that_are_none(text):
    with pytest.raises(GlasswareError, match="is no share; the second of eight is 2/8"):
        parse_share(text)


def test_every_run_is_in_exactly_one_share_and_shares_are_equal():
    names = [run_id(run) for run in grid(TINY, {}, seeds=402)]
    shares = [Share(i, 5).of(names) for i in range(1, 6)]
    assert sorted(name for share in shares for name in share) == sorted(names)
    assert sorted(map(len, shares)) == [80, 80, 80, 81, 81]


def test_shares_write_one_store_at_the_same_time(tmp_path):
    with Store(tmp_path).writing(FIRST) as one, Store(tmp_path).writing(SECOND) as two:
        add(one, 0)
        add(two, 1)
        add(one, 2)
        assert Store(tmp_path).ids() == ids(0, 1, 2)
    assert Store(tmp_path).ids() == ids(0, 1, 2)
    with Store(tmp_path).writing():
        pass  # all have let go


@pytest.mark.parametrize(("holder", "other"), [(FIRST, FIRST), (FIRST, None), (None, FIRST)])
def test_who_must_wait(tmp_path, holder, other):
    """The same share twice, one who wants to be alone, and one who comes to somebody who is."""
    with (
        Store(tmp_path).writing(holder),
        pytest.raises(StoreError, match=r"being written by another process \(pid \d+ on .+\)"),
        Store(tmp_path).writing(other),
    ):
        pytest.fail("two writers")


def test_shares_of_different_counts_do_not_go_together(tmp_path):
    """A half and two thirds overlap: some runs would be trained twice."""
    with (
        Store(tmp_path).writing(FIRST),
        pytest.raises(StoreError, match=r"share 1 of 2 is being trained .*; give a share of 2, or wait"),
        Store(tmp_path).writing(Share(2, 3)),
    ):
        pytest.fail("two ways to share")
    with Store(tmp_path).writing(Share(2, 3)):
        pass


def test_a_share_leaves_alone_what_others_are_writing(tmp_path, monkeypatch):
    """Their unfinished files, and their parts, which they may be merging themselves."""
    monkeypatch.setattr(store_module, "MERGE_PARTS", 2)
    with Store(tmp_path).writing(FIRST) as one:
        add(one, 0)
        unfinished = tmp_path / "parts" / ".tmp-theirs"
        unfinished.touch()
        with Store(tmp_path).writing(SECOND) as two:
            add(two, 1)
            add(two, 2)
        assert unfinished.exists()
        assert set(one.parts) < set(Store(tmp_path).parts())
        assert len(Store(tmp_path).parts()) == 2  # theirs, and ours merged
    assert Store(tmp_path).ids() == ids(0, 1, 2)
    with Store(tmp_path).writing():
        assert not unfinished.exists()


def test_shares_together_are_the_sweep(tmp_path):
    whole = sweep(RUNS)
    parts = [sweep(RUNS, tmp_path, share=share) for share in (FIRST, SECOND)]
    assert all(0 < len(part) < len(RUNS) for part in parts)
    assert {*parts[0]["id"]} | {*parts[1]["id"]} == {*whole["id"]}
    assert not make_plan(RUNS, Store(tmp_path)).todo
    assert same_findings(sweep(RUNS, tmp_path), whole)
    assert len(Store(tmp_path).read()) == len(RUNS)
