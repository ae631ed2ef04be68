import functools
import os
import random
import signal
import time

import polars as pl
import pytest

from glassware.engine import lanes
from glassware.foundation.errors import StoreError
from glassware.sweeps import Store, grid, store
from glassware.sweeps import sweep as sweep_
from glassware.sweeps.store import Writer
from glassware.sweeps.sweep import Silent
from tests.helpers import TINY, same_findings, tiny
from tests.sweeps.lives import ENDLESS, MANY

KILLS = 12

sweep = functools.partial(sweep_, lanes=8)  # one program for all tests here

RUNS = grid(TINY, {"m": [30, None]}, seeds=5)


def raw_ids(path):
    """The ids of all rows on disk, before anything is read as one."""
    return [key for part in Store(path).parts() for key in pl.read_parquet(part, columns=["id"])["id"]]


@pytest.mark.slow
def test_a_sweep_killed_again_and_again_has_the_rows_of_one_that_was_not(lives, tmp_path):
    assert len(MANY) >= 500
    lives.start("many", tmp_path / "whole")
    status, chunks = lives.end()
    assert status == 0
    whole = Store(tmp_path / "whole").read()
    assert len(whole) == len(MANY)

    path, moments, held = tmp_path / "killed", random.Random(7), []
    for _ in range(KILLS):
        _, working = lives.start("many", path)
        reports, seconds = moments.randint(1, 2 * chunks // KILLS), moments.uniform(0, 0.01)
        status, _ = lives.end(signal.SIGKILL, reports, seconds)
        ids = raw_ids(path)
        assert len(set(ids)) == len(ids)
        if working and status == -signal.SIGKILL:
            held.append(len(ids))
    assert held == sorted(held), "rows were lost"
    assert len(held) >= KILLS // 2, "too few kills landed while it trained"
    assert len({count for count in held if count < len(MANY)}) >= 4, "too few kills landed between parts"

    lives.start("many", path)
    assert lives.end()[0] == 0
    assert len(set(raw_ids(path))) == len(raw_ids(path)) == len(MANY)
    assert same_findings(Store(path).read(), whole)


def test_a_second_process_is_refused_and_ctrl_c_keeps_what_is_finished(lives, tmp_path):
    path = tmp_path / "store"
    pid, working = lives.start("endless", path)
    assert working
    with pytest.raises(StoreError, match=f"being written by another process \\(pid {pid} on .+\\)"):
        sweep(RUNS, path)
    deadline = time.monotonic() + 60
    while len(Store(path).ids()) < 20:  # readers may come at any time
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert lives.end(signal.SIGINT)[0] == 130
    short = Store(path).read()
    assert len(short) == 20
    assert same_findings(short, sweep(MANY[:20], path))
    assert ENDLESS[0].steps > short["steps_taken"].max()


class Interrupted(Silent):
    """Ctrl-C after some rows."""

    def __init__(self, rows):
        self.left = rows
        self.ended_well = False

    def on_row(self, row):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt

    def on_end(self):
        self.ended_well = True


def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path):
    reporter = Interrupted(4)
    with pytest.raises(KeyboardInterrupt):
        sweep(RUNS, tmp_path, reporter=reporter)
    assert reporter.ended_well
    assert len(Store(tmp_path).ids()) == 4
    rows = sweep(RUNS, tmp_path)
    assert same_findings(rows, sweep(RUNS))
    assert raw_ids(tmp_path) == list(dict.fromkeys(raw_ids(tmp_path)))


class Looking(Silent):
    """Looks into the store after every chunk, and has seen enough some chunks after the first row."""

    def __init__(self, path):
        self.path, self.rows, self.seen = path, 0, []

    def on_row(self, row):
        self.rows += 1

    def on_chunk(self, chunk):
        self.seen += [len(Store(self.path).ids())] * self.rows
        if len(self.seen) == 3:
            raise KeyboardInterrupt


def test_a_finished_row_does_not_wait_in_memory_for_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(lanes, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(Writer, "add", lambda writer, row, arrays: writer._rows.append(row))  # as if just after a flush
    monkeypatch.setattr(store, "Writer", functools.partial(Writer, seconds=0.0))
    reporter = Looking(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        sweep([tiny(steps=20), *ENDLESS], tmp_path, reporter=reporter)
    assert reporter.seen == [1, 1, 1]


class Counting(Silent):
    def __init__(self):
        self.todo = self.rows = self.steps = 0

    def on_plan(self, plan):
        self.todo = len(plan.todo)

    def on_chunk(self, chunk):
        self.steps += chunk.steps

    def on_row(self, row):
        self.rows += 1


def test_a_finished_sweep_does_nothing(tmp_path):
    first = sweep(RUNS, tmp_path)
    before = {p: os.stat(p).st_mtime_ns for p in tmp_path.rglob("*")}
    again = Counting()
    assert sweep(RUNS, tmp_path, reporter=again).equals(first, null_equal=True)
    assert (again.todo, again.rows, again.steps) == (0, 0, 0)
    assert {p: os.stat(p).st_mtime_ns for p in tmp_path.rglob("*")} == before


def test_a_wider_sweep_trains_only_what_is_new(tmp_path):
    sweep(RUNS[:4], tmp_path)
    reporter = Counting()
    rows = sweep(RUNS, tmp_path, reporter=reporter)
    assert (reporter.todo, reporter.rows) == (6, 6)
    assert reporter.steps == sum(rows["steps_taken"][4:])


def test_rows_come_in_the_order_of_the_runs_each_once(tmp_path):
    asked = [RUNS[3], RUNS[0], RUNS[3], RUNS[7]]
    for table in (sweep(asked), sweep(asked, tmp_path), sweep(asked, Store(tmp_path))):
        assert [(m, seed) for m, seed in table.select("m", "seed").rows()] == [(30, 3), (30, 0), (None, 2)]


def test_a_sweep_file_is_a_sweep(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        "seeds = 2\n[run]\nbatch = 8\nsteps = 60\nm = 30\ntask = { n = 20, k = 3 }\nmodel = { width = 8 }\n"
        "evaluation = { every = 10, test = 100 }"
    )
    assert same_findings(sweep(path), sweep(RUNS[:2]))


def test_rows_with_and_without_probes_share_a_table(tmp_path):
    runs = [tiny(seed=1), tiny(seed=1, probes=["neuron_norms", "weight_norms"])]
    table = sweep(runs, tmp_path, engine="xla")  # one engine: a curve probe alone would send its run there
    own = ["id", "spec", "probes", "seconds", *(c for c in table.columns if "norm" in c)]
    plain, probed = table.drop(own)[:1], table.drop(own)[1:]
    assert plain.equals(probed)
    assert table["neuron_norms"].to_list()[0] is None
    assert len(table["neuron_norms"].to_list()[1]) == 8
    assert [len(curve) if curve is not None else None for curve in table["curve_norm_1"]] == [None, 7]
    assert same_findings(table, sweep(runs, engine="xla"))
