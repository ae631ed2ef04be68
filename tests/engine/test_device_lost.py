"""A device that fails in the middle of a sweep: one sentence, what is finished is kept, the same command goes on."""

import functools
import itertools

import jax
import pytest
from typer.testing import CliRunner

from glassware.cli import app
from glassware.engine import lanes as lanes_module
from glassware.engine import train
from glassware.engine.program import Program
from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Store, read_sweep, sweep
from tests.helpers import findings, same_findings, tiny

LOST = "INTERNAL: CUDA error: device-side assert triggered: an illegal memory access was encountered\n  at line 9"
FULL = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes."

# Lengths differ, so that some runs finish before others; more runs than lanes, so that some have not begun.
RUNS = [tiny(seed=seed, steps=20 * (1 + seed % 3)) for seed in range(24)]
SWEEP = """
seeds = 12
[run]
task = { n = 20, k = 3 }
model = { width = 8 }
batch = 8
steps = 60
evaluation = { every = 10, test = 100 }
[grid]
m = [30, "online"]
"""

train_all = functools.partial(sweep, lanes=8, engine="xla")  # the path that ends there: kernels would fall back to it


class Device:
    """The real program on a device that fails at the given chunks, counted from 1, with the state already consumed."""

    def __init__(self, monkeypatch, message, *fatal, for_ever=False):
        self.chunks, self.lanes = 0, []
        whole = Program.advance

        def advance(program, values, state, fresh, evaluations):
            self.chunks += 1
            self.lanes.append(program.lanes)
            found = whole(program, values, state, fresh, evaluations)  # consumes the state, as a failing chunk does
            if self.chunks in fatal or (for_ever and self.chunks >= min(fatal)):
                raise jax.errors.JaxRuntimeError(message)
            return found

        monkeypatch.setattr(Program, "advance", advance)
        monkeypatch.setattr(lanes_module, "CHUNK_SECONDS", 0.0)  # one round a chunk


@pytest.fixture(scope="module")
def whole():
    """What an undisturbed sweep finds."""
    return train_all(RUNS)


def test_a_lost_device_ends_the_sweep_with_a_sentence_and_keeps_what_is_finished(whole, tmp_path, monkeypatch):
    Device(monkeypatch, LOST, 8)
    with pytest.raises(GlasswareError) as caught:
        train_all(RUNS, tmp_path)
    said = str(caught.value)
    assert said.startswith(
        "the device failed at mlp of width 8 on parity with 20 inputs, batch 8 (INTERNAL: CUDA error"
    )
    assert said.endswith("; what is finished is kept")
    assert "\n" not in said
    assert "line 9" not in said  # the first line tells enough
    kept = Store(tmp_path).read()
    assert 0 < len(kept) < len(RUNS)
    monkeypatch.undo()
    device = Device(monkeypatch, LOST)
    rows = train_all(RUNS, tmp_path)
    assert same_findings(rows, whole)
    assert device.chunks > 0
    assert len(Store(tmp_path).read()) == len(RUNS)  # none twice
    # What was kept is not touched again, its circumstances included.
    assert rows.join(kept.select("id"), on="id").sort("id")["seconds"].to_list() == kept.sort("id")["seconds"].to_list()


def test_a_device_lost_again_and_again_loses_no_more_than_what_was_in_flight(whole, tmp_path, monkeypatch):
    held = []
    for attempt in itertools.count():  # the first runs to finish take six chunks
        assert attempt < 20
        with monkeypatch.context() as patch:
            Device(patch, LOST, 8)
            try:
                train_all(RUNS, tmp_path, lanes=4)
                break
            except GlasswareError:
                held.append(len(Store(tmp_path).ids()))
    assert held == sorted(held)
    assert len(held) >= 2
    assert same_findings(Store(tmp_path).read(), whole)


def test_memory_that_runs_out_midway_costs_lanes_and_no_rows(whole, tmp_path, monkeypatch):
    device = Device(monkeypatch, FULL, 3, 9)
    rows = train_all(RUNS, tmp_path)
    assert same_findings(rows, whole)
    assert len(Store(tmp_path).read()) == len(RUNS)
    assert [lanes for lanes, _ in itertools.groupby(device.lanes)] == [8, 4, 2]


def test_memory_that_never_suffices_ends_with_a_sentence_and_keeps_what_is_finished(whole, tmp_path, monkeypatch):
    device = Device(monkeypatch, FULL, 8, for_ever=True)
    sentence = r"^a single mlp of width 8 on parity .* does not fit in the device's memory; what is finished is kept$"
    with pytest.raises(GlasswareError, match=sentence):
        train_all(RUNS, tmp_path)
    assert min(device.lanes) == len(lanes_module.devices())
    assert 0 < len(Store(tmp_path).ids()) < len(RUNS)
    monkeypatch.undo()
    assert same_findings(train_all(RUNS, tmp_path), whole)


def test_without_a_store_the_rows_so_far_have_been_given_out(whole, monkeypatch):
    Device(monkeypatch, LOST, 8)
    given = []
    with pytest.raises(GlasswareError):
        given.extend(given.append(outcome) or outcome for outcome in train(RUNS, lanes=8, engine="xla"))
    assert 0 < len(given) < len(RUNS)
    monkeypatch.undo()
    alone = findings(train([outcome.run for outcome in given], lanes=8, engine="xla"))
    assert findings(given) == alone


@pytest.mark.parametrize("message", [LOST, FULL])
def test_on_the_command_line_it_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.toml").write_text(SWEEP)
    words = ["sweep", "good.toml", "--store", "store", "--lanes", "8", "--engine", "xla"]
    runs = read_sweep("good.toml")
    undisturbed = train_all(runs)
    with monkeypatch.context() as patch:
        Device(patch, message, 15, for_ever=True)  # some chunks go into measuring the speed
        result = CliRunner().invoke(app, words, prog_name="glassware")
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("glassware: ")
    assert "Traceback" not in result.output
    kept = len(Store("store").ids())
    assert 0 < kept < len(runs)
    assert f"trained {kept} of {len(runs)} runs" in result.stdout
    again = CliRunner().invoke(app, words, prog_name="glassware")
    assert (again.exit_code, again.stderr) == (0, "")
    assert f"{len(runs)} runs: {kept} done before, {len(runs) - kept} to train" in again.stdout
    assert same_findings(Store("store").read(), undisturbed)
