"""What is wrong with a store is seen, named, and mended without harm to the rest."""

import contextlib
import json
import os
import random
import shutil
import signal
import time

import numpy as np
import polars as pl
import pytest

from glassware.foundation.errors import StoreError
from glassware.sweeps import SEMANTICS, Share, Store, grid, run_id, sweep
from glassware.sweeps.check import check
from glassware.sweeps.checked import DIGITS, check_footer, digest_in
from glassware.sweeps.computed import keep_computed, read_computed
from glassware.sweeps.joining import compact, merge
from glassware.sweeps.kept import find, keep, kept_files
from glassware.sweeps.lock import locked
from glassware.sweeps.repair import repair
from glassware.sweeps.rows import frame
from glassware.sweeps.status import status
from tests.calls import call, snapshot
from tests.helpers import TINY, same_findings, tiny
from tests.sweeps.lives import BATCH, made_rows

KEEPING = {"keep": ("final",), "evaluation": {**TINY["evaluation"], "stop": False}}
RUNS = grid({**TINY, **KEEPING}, {"m": [30, None]}, seeds=3)
FLIPS = 40


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A store of two parts and a computed table, trained once."""
    path = tmp_path_factory.mktemp("swept") / "store"
    sweep(RUNS[:3], path, lanes=8)
    sweep(RUNS, path, lanes=8)
    keep_computed(Store(path), "theory/table", 1, lambda: pl.DataFrame({"x": np.arange(100.0)}))
    return path


@pytest.fixture
def path(swept, tmp_path):
    return shutil.copytree(swept, tmp_path / "store")


def flip(path, rng):
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def rewrite(path, **columns):
    """The first part again, with columns changed, under a name without a digest."""
    part = Store(path).parts()[0]
    table = pl.read_parquet(part).with_columns(**columns)
    part.unlink()
    other = part.with_name("0.parquet")
    table.write_parquet(other)
    return other


# -- damage -------------------------------------------------------------------------------------------------------


def test_every_flipped_bit_is_seen(path):
    rng, store = random.Random(0), Store(path)
    reads = [
        (store.parts()[0], lambda: store.read()),
        (store.parts()[1], lambda: store.read(["m"])),
        (find(path, run_id(RUNS[0])), lambda: store.weights(run_id(RUNS[0]))),
        (next((path / "computed").rglob("*.parquet")), lambda: read_computed(store, "theory/table", 1)),
    ]
    for file, read in reads:
        whole = file.read_bytes()
        for _ in range(FLIPS):
            flip(file, rng)
            with pytest.raises(StoreError, match=file.name) as caught:
                read()
            assert len(str(caught.value).splitlines()) == 1
            assert [fault.path for fault in check(store).faults if not fault.runs] == [file]
            file.write_bytes(whole)
    assert check(store).faults == []


def test_a_footer_is_verified_before_anything_parses_it(path, monkeypatch):
    part = Store(path).parts()[0]
    data = bytearray(part.read_bytes())
    data[-20] ^= 1
    part.write_bytes(data)
    for name in ("read_parquet", "read_parquet_schema", "scan_parquet"):
        monkeypatch.setattr(pl, name, lambda *_, **__: pytest.fail("parsed"))
    for read in (Store(path).read, lambda: status(Store(path)), lambda: check_footer(part)):
        with pytest.raises(StoreError, match="damaged"):
            read()


def test_what_was_repaired_is_trained_again_to_the_same_rows(path):
    before, kept = Store(path).read(), Store(path).weights(run_id(RUNS[5]))
    flip(Store(path).parts()[0], random.Random(1))
    find(path, run_id(RUNS[5])).write_bytes(b"nothing")
    assert call("store", "check", path).exit_code == 2
    said = call("store", "repair", path)
    assert said.exit_code == 0, said.output
    assert "2 faults" in said.stdout
    assert "4 runs will be trained again" in said.stdout
    assert len(Store(path).ids()) == 2
    assert len([file for file in (path / "damaged").rglob("*") if file.is_file()]) == 3  # two parts, one of weights
    assert call("store", "check", path).exit_code == 0
    after = sweep(RUNS, path, lanes=8)
    assert same_findings(after, before)
    for name, array in Store(path).weights(run_id(RUNS[5])).items():
        np.testing.assert_array_equal(array, kept[name])


def test_a_store_that_is_sound_is_left_alone(path):
    before = {file: data for file, data in snapshot(path).items() if not file.name.startswith("lock")}
    assert "0 faults" in call("store", "check", path).stdout
    assert repair(Store(path)).moved == ()
    assert {file: data for file, data in snapshot(path).items() if not file.name.startswith("lock")} == before


def test_a_part_with_an_old_name_cannot_be_verified_and_that_is_said(path):
    part = Store(path).parts()[0]
    part.rename(part.with_name(part.stem[: -DIGITS - 1] + ".parquet"))
    said = call("store", "check", path)
    assert said.exit_code == 0
    assert "1 file written by an earlier version, without a digest" in said.stdout
    assert call("store", "compact", path).exit_code == 0
    assert "without a digest" not in call("store", "check", path).stdout


def test_an_old_part_with_flipped_bits_is_read_or_refused_but_never_more(path):
    part = Store(path).parts()[0]
    old, rng = part.rename(part.with_name("0.parquet")), random.Random(2)
    whole = old.read_bytes()
    for _ in range(FLIPS):
        flip(old, rng)
        with contextlib.suppress(StoreError):
            Store(path).read()
        with contextlib.suppress(StoreError):
            status(Store(path))
        old.write_bytes(whole)


# -- rows that cannot be ------------------------------------------------------------------------------------------

DEEP = '{"a":' * 5000 + "0" + "}" * 5000


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"spec": pl.lit("{nonsense}")}, "specification that is not JSON"),
        ({"spec": pl.lit("null")}, "specification that is no JSON object"),
        ({"spec": pl.lit("[1]")}, "specification that is no JSON object"),
        ({"spec": pl.lit(DEEP)}, "specification that is nested too deeply"),
        ({"spec": pl.lit("[" * 100_000)}, "specification that is nested too deeply"),
        ({"spec": pl.lit(None, pl.String)}, "row without spec"),
        ({"id": pl.lit("0" * 20)}, "row whose id is not that of its specification"),
        ({"id": pl.lit(None, pl.String)}, "row without id"),
        ({"success": pl.lit(None, pl.Boolean)}, "row without success"),
        ({"success": pl.lit("yes")}, "column 'success' has type String, not Boolean"),
        ({"n": pl.lit(None, pl.Int64)}, "row without n, which its specification has"),
        ({"n": pl.lit("many")}, "column 'n' holds"),
        ({"semantics": pl.lit(SEMANTICS + 1, pl.Int32)}, "rows of a newer glassware"),
        ({"semantics": pl.lit(SEMANTICS - 1, pl.Int32)}, "rows of an older glassware"),
    ],
)
def test_rows_that_cannot_be_are_named_whatever_is_read(path, columns, said):
    part = rewrite(path, **columns)
    for wanted in (None, ["m"], ["id"]):
        with pytest.raises(StoreError, match=said) as caught:
            Store(path).read(wanted)
        assert str(part) in str(caught.value)
        assert len(str(caught.value)) < 600
    repair(Store(path))
    assert len(Store(path).read()) == 3


def test_a_part_without_success_is_refused(path):
    part = rewrite(path)
    pl.read_parquet(part).drop("success").write_parquet(part)
    with pytest.raises(StoreError, match="it has no column 'success'"):
        Store(path).read(["m"])


def test_what_a_seed_has_drawn_and_lists_are_no_contradiction(tmp_path):
    """Samples that a junta rejects differ from seed to seed; a support may be given or not."""
    task = {"name": "junta", "length": 8, "relevant": 2, "unique": True}
    swept = sweep(grid({**TINY, "task": task, "m": 6, "steps": 10}, {}, seeds=8), tmp_path, lanes=8)
    assert swept["rejected"].n_unique() > 1
    store = Store(tmp_path)
    assert check(store).faults == []


def test_columns_that_contradict_the_specification_are_found_by_a_check(path):
    rewrite(path, n=pl.lit(21, pl.Int64))
    assert len(Store(path).read()) == 6
    (fault,) = check(Store(path)).faults
    assert "n is 21 in run" in fault.why
    assert len(fault.runs) == 3
    assert repair(Store(path)).runs == 3
    assert len(Store(path).read()) == 3


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_run_with_different_results_is_refused_however_often_it_is_there(path, times):
    store = Store(path)
    row = store.read().head(1)
    for _ in range(times):
        store.append(row)
    assert len(store.read()) == len(RUNS)  # the same again is no contradiction
    store.append(row.with_columns(steps_taken=pl.col("steps_taken") + 1))
    for wanted in (None, ["m"]):
        with pytest.raises(StoreError, match=f"run {row['id'][0]} has two rows .* with different results"):
            store.read(wanted)
    assert repair(store).runs == 1
    assert row["id"][0] not in store.ids()
    assert len(store.ids()) == len(RUNS) - 1


def test_how_a_row_came_about_is_no_contradiction_but_a_curve_is(path):
    store = Store(path)
    row = store.read().head(1)
    store.append(row.with_columns(seconds=pl.lit(9.0), device=pl.lit("other")).drop("curve_loss"))
    assert len(store.read()) == len(RUNS)
    store.append(row.with_columns(curve_loss=pl.col("curve_loss") * 2))
    with pytest.raises(StoreError, match="different results"):
        store.read()


# -- files that do not belong -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_not_a_file_does_not_hang(path, make):
    strange = path / "parts" / "strange.parquet"
    make(strange)
    started = time.monotonic()
    with pytest.raises(StoreError, match=r"strange\.parquet is (a folder|not a file)"):
        Store(path).read()
    assert [fault.path for fault in check(Store(path)).faults] == [strange]
    repair(Store(path))
    assert len(Store(path).read()) == len(RUNS)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("name", ["lock", "lock-gate", "lock-1-of-2"])
def test_a_lock_that_is_a_link_leads_nowhere(tmp_path, name):
    precious = tmp_path / "thesis.tex"
    precious.write_text("precious")
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / name).symlink_to(precious)
    for share in (Share(1, 2), None):
        with pytest.raises(StoreError, match="is a link"), locked(folder, share):
            pytest.fail("through a link")
    assert precious.read_text() == "precious"


def test_weights_that_are_kept_again_replace_the_others(tmp_path):
    for value in (1.0, 2.0):
        keep(tmp_path, "a" * 20, {"final/w": np.full(3, value)})
    (path,) = kept_files(tmp_path)["a" * 20]
    other = path.with_name(f"{'a' * 20}.safetensors")  # of an earlier version, and older
    shutil.copy(path, other)
    os.utime(other, (0, 0))
    assert kept_files(tmp_path)["a" * 20] == [path, other]
    assert find(tmp_path, "a" * 20) == path


# -- merging and compacting ---------------------------------------------------------------------------------------


def test_merging_adds_what_is_new_and_refuses_what_contradicts(path, tmp_path):
    other = tmp_path / "other"
    sweep([*RUNS[:2], tiny(seed=9, **KEEPING)], other, lanes=8)
    said = call("store", "merge", path, other)
    assert "1 run added" in said.stdout
    assert ", 2 were there" in said.stdout
    assert len(Store(path).ids()) == len(RUNS) + 1
    assert Store(path).weights(run_id(tiny(seed=9, **KEEPING)))
    assert merge(Store(path), Store(other)).added == 0
    new = tmp_path / "new"
    assert merge(Store(new), Store(path)).computed == 1
    assert same_findings(Store(new).read(), Store(path).read())
    rewrite(other, steps_taken=pl.col("steps_taken") + 1)
    before = Store(path).parts()
    with pytest.raises(StoreError, match=r"has different results in .*; nothing was merged"):
        merge(Store(path), Store(other))
    assert Store(path).parts() == before
    with pytest.raises(StoreError, match="are the same store"):
        merge(Store(path), Store(path))


def test_compacting_loses_and_doubles_nothing_wherever_it_is_killed(lives, tmp_path):
    full = tmp_path / "full"
    with Store(full).writing() as writer:
        for batch in range(4):
            for row in made_rows(batch):
                writer.add(row)
            writer.flush()
    ids = Store(full).ids()
    assert len(ids) == 4 * BATCH
    for fatal in range(1, 60):
        path = shutil.copytree(full, tmp_path / str(fatal))
        lives.start("compacting", path, fatal)
        ended, _ = lives.end()
        found = Store(path).read()["id"].to_list()
        assert (len(found), set(found)) == (len(ids), ids), f"killed at call {fatal}"
        compact(Store(path))
        assert len(Store(path).parts()) == 1
        assert pl.read_parquet(Store(path).parts()[0])["id"].is_unique().all()
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
    assert 8 < fatal < 59, "the kills did not cover the compacting"


# -- status -------------------------------------------------------------------------------------------------------


def test_status_says_what_is_there_and_who_writes(path):
    said = json.loads(call("status", path, "--json").stdout)
    assert said["runs"] == len(RUNS)
    assert [(one["task"], one["n"], one["model"], one["runs"]) for one in said["shapes"]] == [("parity", 20, "mlp", 6)]
    assert said["writing"] == []
    with Store(path).writing(Share(1, 2)) as writer:
        writer.wanted = 10
        for row in made_rows(0):
            writer.add(row)
        writer.flush()
        (one,) = status(Store(path)).writing
        assert one.who.startswith(f"pid {os.getpid()} on ")
        assert one.who.endswith(", share 1 of 2")
        assert (one.written, one.left) == (BATCH, 10 - BATCH)
        assert "6 left" in call("status", path).stdout
    assert "nobody is writing" in call("status", path).stdout


def test_status_reads_no_more_than_it_must(tmp_path):
    """A million rows with curves; ten million take ten times as long."""
    with Store(tmp_path).writing():
        pass
    row, size = {**made_rows(0)[0], "task": "parity", "model": "mlp", "curve_loss": [0.5] * 20}, 250_000
    rows = pl.concat([pl.concat([frame([row])] * 500)] * 500)
    for part in range(4):
        ids = pl.int_range(part * size, (part + 1) * size, eager=True).cast(pl.String).str.zfill(20)
        Store(tmp_path).append(rows.with_columns(id=ids))
    started = time.monotonic()
    assert status(Store(tmp_path)).runs == 4 * size
    assert time.monotonic() - started < 1


def test_names_have_the_digest(path):
    assert all(digest_in(part) for part in Store(path).parts())
