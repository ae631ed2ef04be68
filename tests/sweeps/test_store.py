import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import time

import numpy as np
import polars as pl
import pytest

from glassware.foundation.errors import GlasswareError, StoreError
from glassware.sweeps import SEMANTICS, Store, sweep
from glassware.sweeps import store as store_module
from glassware.sweeps.formats import FORMAT
from glassware.sweeps.kept import find
from glassware.sweeps.rows import SCHEMA, frame
from glassware.sweeps.store import Writer
from tests.helpers import same_findings, tiny
from tests.sweeps.lives import BATCH, BATCHES, KEEPING, made_rows, made_weights


def fill(path, batches=range(BATCHES)):
    """A store with one part per batch."""
    with Store(path).writing() as writer:
        for batch in batches:
            for row in made_rows(batch):
                writer.add(row)
            writer.flush()
    return Store(path)


def every_id(batches=range(BATCHES)):
    return [row["id"] for batch in batches for row in made_rows(batch)]


def snapshot(path):
    """All files and what is in them."""
    return {p: p.read_bytes() if p.is_file() else None for p in [path, *path.rglob("*")]}


def refuses(path, words, file):
    """Whether opening and sweeping the store is refused in one line that names the file, and nothing is touched."""
    before = snapshot(path)
    with pytest.raises(StoreError, match=words) as caught:
        sweep([tiny()], path)
    assert len(str(caught.value).splitlines()) == 1
    assert str(file) in str(caught.value)
    assert snapshot(path) == before


# -- reading what was written -------------------------------------------------------------------------------------


def test_rows_come_back_as_they_went_in(tmp_path):
    rows = [{**made_rows(0)[0], "seed": 2**64 - 1, "curve_step": [0, 10], "lr": 0.1, "own_probe": [1.0, 2.0]}]
    with Store(tmp_path).writing() as writer:
        writer.add(rows[0])
    table = Store(tmp_path).read()
    assert table.equals(frame(rows), null_equal=True)
    assert {name: table.schema[name] for name in SCHEMA} == frame([]).schema


def test_columns_are_read_alone_and_absent_ones_left_out(tmp_path):
    store = fill(tmp_path)
    assert store.read(["m", "seed"]).columns == ["m", "seed"]
    assert store.read(["n", "neuron_norms"]).columns == ["n"]
    assert Store(tmp_path / "new").read(["m", "neuron_norms"]).columns == ["m"]
    assert len(Store(tmp_path / "new").read()) == 0
    assert not (tmp_path / "new").exists()


def test_a_reader_that_loses_a_part_to_a_merge_looks_again(tmp_path, monkeypatch):
    store = fill(tmp_path)
    gone, whole = [[tmp_path / "parts" / "merged-away.parquet"]], store.parts
    monkeypatch.setattr(store, "parts", lambda: gone.pop() if gone else whole())
    assert store.read()["id"].to_list() == every_id()
    monkeypatch.setattr(store, "parts", lambda: [tmp_path / "parts" / "merged-away.parquet"])
    with pytest.raises(StoreError, match="vanish while they are read"):
        store.read()


def test_two_hundred_thousand_rows_open_at_once(tmp_path):
    size, curve = 20_000, [0.5] * 60
    base = frame([{**made_rows(0)[0], "m": 1000, "width": 100, "success": True, "curve_test_error": curve}])
    store = fill(tmp_path, [])
    for part in range(10):
        ids = pl.int_range(part * size, (part + 1) * size, eager=True).cast(pl.String).str.zfill(20)
        rows = pl.concat([base] * size).with_columns(id=ids, width=pl.int_range(size) % 50, m=pl.int_range(size) % 40)
        store.append(rows)
    started = time.monotonic()
    table = Store(tmp_path).read(["n", "m", "width", "seed", "success", "steps_to_success"])
    seconds = time.monotonic() - started
    assert len(table) == 10 * size
    assert seconds < 3


# -- writing ------------------------------------------------------------------------------------------------------


def test_rows_are_written_when_their_number_or_their_age_asks_for_it(tmp_path):
    store = fill(tmp_path, [])
    many, old = Writer(store, seconds=1e9, rows=3), Writer(store, seconds=0.0, rows=10**9)
    for row in made_rows(0):
        many.add(row)
    assert len(store.read()) == 3
    old.add(made_rows(1)[0])
    assert len(store.read()) == 4
    waiting = Writer(store, seconds=0.05, rows=10**9)
    waiting.add(made_rows(2)[0])
    time.sleep(0.1)
    waiting.tick()  # nothing new has finished, and still the row does not wait
    assert len(store.read()) == 5


def test_what_was_added_is_kept_however_the_block_ends(tmp_path):
    def write_and_fail(batch, error):
        with Store(tmp_path).writing() as writer:
            for row in made_rows(batch):
                writer.add(row)
            raise error

    for batch, error in enumerate((RuntimeError, KeyboardInterrupt, SystemExit)):
        with pytest.raises(error):
            write_and_fail(batch, error)
        assert Store(tmp_path).read()["id"].to_list() == every_id(range(batch + 1))


def test_a_second_writer_is_refused_while_the_first_holds_the_lock(tmp_path):
    with (
        Store(tmp_path).writing(),
        pytest.raises(StoreError, match=f"another process \\(pid {os.getpid()} on .+\\)"),
        Store(tmp_path).writing(),
    ):
        pass
    with Store(tmp_path).writing():
        pass


def test_merging_keeps_every_row_in_one_part(tmp_path, monkeypatch):
    before = fill(tmp_path).read()
    monkeypatch.setattr(store_module, "MERGE_PARTS", 3)
    fill(tmp_path, [])
    assert len(Store(tmp_path).parts()) == 1
    assert Store(tmp_path).read().equals(before, null_equal=True)


def test_large_parts_are_left_alone_by_merging(tmp_path, monkeypatch):
    fill(tmp_path)
    monkeypatch.setattr(store_module, "MERGE_PARTS", 3)
    monkeypatch.setattr(store_module, "SMALL_PART", 1)
    fill(tmp_path, [])
    assert len(Store(tmp_path).parts()) == BATCHES


def test_rows_left_twice_by_a_crash_in_a_merge_are_read_once(tmp_path):
    store = fill(tmp_path)
    store.append(store.read())
    assert store.read()["id"].to_list() == every_id()
    assert len(store.ids()) == BATCHES * BATCH


def test_a_writer_killed_at_any_call_loses_nothing_it_had_written(lives, tmp_path):
    for fatal in range(1, 200):
        path = tmp_path / str(fatal)
        _, working = lives.start("writing", path, fatal)
        status, reports = lives.end()
        written = BATCH * reports if working else 0
        ids = Store(path).read()["id"].to_list()
        assert len(set(ids)) == len(ids)
        assert len(ids) - written in (0, BATCH), f"killed at call {fatal}"  # at most the part in the making
        for batch in range(KEEPING):
            row = made_rows(batch)[0]["id"]
            there = find(path, row) is not None
            assert row not in ids or there  # on disk before its row
            if there:
                np.testing.assert_array_equal(Store(path).weights(row)["0.w"], made_weights(batch)["final/0.w"])
        missing = [row for batch in range(BATCHES) for row in made_rows(batch) if row["id"] not in ids]
        with Store(path).writing() as writer:
            for row in missing:
                writer.add(row)
        assert sorted(Store(path).read()["id"]) == every_id()
        assert not list(path.rglob(".tmp-*"))
        if status == 0:
            break
        assert status == -signal.SIGKILL
        shutil.rmtree(path)
    assert 30 < fatal < 199, "the kills did not cover the writing"


# -- stores that cannot be used -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0, 3, 4, 11, 12, 100, -1, -4, -8])
def test_a_truncated_part_is_refused(tmp_path, keep):
    part = fill(tmp_path).parts()[2]
    part.write_bytes(part.read_bytes()[:keep])
    refuses(tmp_path, "cut short or not Parquet", part)


def test_a_part_damaged_inside_is_refused(tmp_path):
    part = fill(tmp_path).parts()[2]
    data = bytearray(part.read_bytes())
    data[-60:-8] = bytes(52)
    part.write_bytes(data)
    refuses(tmp_path, "damaged", part)


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    fill(tmp_path)
    part = tmp_path / "parts" / "00000.parquet"
    part.write_text("id,success\n1,true\n" * 10)
    refuses(tmp_path, "cut short or not Parquet", part)


@pytest.mark.parametrize("name", ["notes.txt", "00000.parquet.crdownload", "README"])
def test_a_file_that_does_not_belong_is_refused(tmp_path, name):
    fill(tmp_path)
    (tmp_path / "parts" / name).write_text("hello")
    refuses(tmp_path, "does not belong in a glassware store", tmp_path / "parts" / name)


def test_a_folder_among_the_parts_is_refused(tmp_path):
    fill(tmp_path)
    (tmp_path / "parts" / "old.parquet").mkdir()
    refuses(tmp_path, "is a folder and does not belong", tmp_path / "parts" / "old.parquet")


@pytest.mark.parametrize(
    "columns", [{"x": [1.0]}, {"id": ["a"]}, {"id": [7], "spec": ["{}"]}, {"id": ["a"], "spec": ["{}"], "m": ["many"]}]
)
def test_a_foreign_parquet_file_is_refused(tmp_path, columns):
    fill(tmp_path)
    part = tmp_path / "parts" / "99999.parquet"
    pl.DataFrame(columns).write_parquet(part)
    refuses(tmp_path, "not a part of a glassware store", part)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", "{}", '{"format": 1}', '{"format": "one", "semantics": 1}', '{"format": 1e999}',
     '{"format": null, "semantics": 1}', "[" * 100_000, b"\xff\xfe"],
    ids=range(12),
)  # fmt: skip
def test_a_damaged_marker_is_refused(tmp_path, text):
    fill(tmp_path)
    (tmp_path / "store.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    refuses(tmp_path, "damaged", tmp_path / "store.json")


@pytest.mark.parametrize(
    ("format_", "semantics", "words"),
    [
        (FORMAT, SEMANTICS + 1, "newer glassware"),
        (FORMAT + 1, SEMANTICS, "newer glassware"),
        (FORMAT, SEMANTICS - 1, "older glassware"),
    ],
)
def test_a_store_of_another_version_is_refused(tmp_path, format_, semantics, words):
    fill(tmp_path)
    (tmp_path / "store.json").write_text(json.dumps({"format": format_, "semantics": semantics}))
    refuses(tmp_path, words, tmp_path)


def test_a_path_that_is_a_file_is_refused(tmp_path):
    path = tmp_path / "results"
    path.write_text("precious")
    refuses(path, "is a file, not a store folder", path)
    with pytest.raises(StoreError, match=r"cannot write to store .*: Not a directory"):
        sweep([tiny()], path / "store")
    assert path.read_text() == "precious"


def test_a_folder_with_other_things_in_it_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    refuses(tmp_path, "has files in it and is not a glassware store", tmp_path)


def test_a_path_that_cannot_be_looked_at_is_refused(tmp_path):
    with pytest.raises(GlasswareError, match="is too long for a file system"):
        Store(tmp_path / ("x" * 300))


# -- full disks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["fsync", "write", "ftruncate", "open"])
def test_a_full_disk_is_a_sentence_and_what_was_there_stays(tmp_path, monkeypatch, call):
    fill(tmp_path, [0, 1])
    before = {path: data for path, data in snapshot(tmp_path).items() if not path.name.startswith("lock")}

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(StoreError, match=r"No space left on device; .* intact"):
            fill(tmp_path, [2])
    assert {path: data for path, data in snapshot(tmp_path).items() if not path.name.startswith("lock")} == before
    assert fill(tmp_path, [2]).read()["id"].to_list() == every_id(range(3))


@pytest.fixture
def small_disk(tmp_path):
    path = tmp_path / "disk"
    path.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", path], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting is not permitted here")
    yield path
    subprocess.run(["umount", path], check=True)


def test_a_sweep_on_a_disk_that_fills_up_can_go_on_later(small_disk):
    path, filler = small_disk / "store", small_disk / "filler"
    runs = [tiny(seed=seed) for seed in range(6)]
    kept = sweep(runs[:3], path, lanes=8)
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1024))
    with pytest.raises(StoreError, match="No space left on device"):
        sweep(runs, path, lanes=8)
    assert same_findings(Store(path).read(), kept)
    filler.unlink()
    assert len(sweep(runs, path, lanes=8)) == 6
