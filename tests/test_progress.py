import io
import re
import sys

import jax
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from glassware import progress
from glassware.engine import Chunk
from glassware.progress import Progress, Tally, about, clock_text, short
from glassware.sweeps import Plan, make_plan, sweep
from tests.helpers import tiny


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def plan_of(*runs):
    return make_plan(runs, None)


def row(plan, i, steps, success=False, diverged=None):
    return {"id": list(plan.todo)[i], "steps_taken": steps, "success": success, "diverged_step": diverged}


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_run_that_stops_early_counts_in_full():
    plan = plan_of(*(tiny(seed=seed) for seed in range(4)))  # 60 steps each
    tally = Tally(plan, limit=10.0)
    tally.on_chunk(Chunk(steps=40, active=4, seconds=0.1))
    assert (tally.steps, tally.all_steps) == (40, 240)
    tally.on_row(row(plan, 0, steps=10, success=True))
    assert (tally.steps, tally.runs, tally.successes) == (90, 1, 1)
    tally.on_chunk(Chunk(steps=150, active=3, seconds=0.1))
    for i in (1, 2, 3):
        tally.on_row(row(plan, i, steps=60, diverged=7 if i == 3 else None))
    assert (tally.steps, tally.runs, tally.successes, tally.diverged) == (240, 4, 1, 1)
    assert tally.remaining() == pytest.approx(0)


def test_time_left_follows_the_limit_first_and_the_speed_later():
    clock = Clock()
    plan = plan_of(*(tiny(seed=seed) for seed in range(100)))
    tally = Tally(plan, limit=200.0, clock=clock)
    assert tally.remaining() == 200
    clock.now = 5.0  # compiling: nothing done, nothing learned
    assert tally.remaining() == 200
    assert "at most about 3:20 left" in tally.text()
    for i in range(50):
        tally.on_chunk(Chunk(steps=60, active=1, seconds=0.1))
        tally.on_row(row(plan, i, steps=60))
    clock.now = 30.0
    assert tally.remaining() == pytest.approx(30)
    assert "elapsed · about 0:30 left" in tally.text()


def test_time_left_shrinks_as_runs_stop_early():
    plan = plan_of(*(tiny(seed=seed) for seed in range(100)))
    patient, hasty = Tally(plan, limit=100.0, clock=Clock()), Tally(plan, limit=100.0, clock=Clock())
    for i in range(5):
        patient.on_row(row(plan, i, steps=60))
        hasty.on_row(row(plan, i, steps=10, success=True))
    assert hasty.remaining() < patient.remaining() / 4


def test_time_left_weighs_runs_by_their_work():
    clock = Clock()
    plan = plan_of(*(tiny(seed=seed, model={"width": width}) for width in (8, 5000) for seed in range(10)))
    tally = Tally(plan, clock=clock)
    for i in range(10):  # the narrow half
        tally.on_row(row(plan, i, steps=60))
    clock.now = 10.0
    assert tally.remaining() is None or tally.remaining() > 50


def test_without_a_limit_nothing_is_said_too_soon():
    clock = Clock()
    plan = plan_of(*(tiny(seed=seed) for seed in range(4)))
    tally = Tally(plan, clock=clock)
    assert tally.remaining() is None
    tally.on_row(row(plan, 0, steps=60))
    clock.now = 1.0
    assert tally.remaining() is None
    clock.now = 4.0
    assert tally.remaining() == pytest.approx(12)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.floats(0, 30)), max_size=8),
    st.one_of(st.none(), st.floats(0, 1e6)),
)
def test_counts_stay_within_bounds(events, limit):
    clock = Clock()
    plan = plan_of(*(tiny(seed=seed) for seed in range(8)))
    tally = Tally(plan, limit, clock)
    for i, (rounds, success, seconds) in enumerate(events):
        clock.now += seconds
        tally.on_chunk(Chunk(steps=10 * rounds, active=1, seconds=seconds))
        tally.on_row(row(plan, i, steps=10 * rounds, success=success))
        left = tally.remaining()
        assert 0 <= tally.steps <= tally.all_steps
        assert left is None or left >= -1e-6
        assert tally.text()


def test_solved_models_have_no_steps():
    solved = tiny(model={"name": "kernel-ridge", "kernel": "rbf"}, m=20)
    said = io.StringIO()
    frame = sweep([solved], reporter=Progress(Console(file=said)))
    assert len(frame) == 1
    assert "trained 1 run in 0:0" in said.getvalue()


def test_plain_lines_for_a_file(monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    said = io.StringIO()
    watcher = Progress(Console(file=said, width=20), title="A title that is longer than twenty columns")
    sweep([tiny(seed=seed) for seed in range(3)], reporter=watcher)
    lines = said.getvalue().splitlines()
    assert lines[0] == "A title that is longer than twenty columns"
    assert lines[1] == "3 runs: 0 done before, 3 to train"
    assert re.fullmatch(r"at most about \d+ s; less when runs succeed early", lines[2])
    assert re.fullmatch(r"\d of 3 runs · \d+% of steps · .*0:\d\d elapsed.*", lines[3])
    assert re.fullmatch(r"3 of 3 runs · 100% of steps · \S+ runs/s · 0 succeeded · 0:\d\d elapsed", lines[-2])
    assert re.fullmatch(r"trained 3 runs in 0:\d\d: 0 succeeded", lines[-1])
    assert "\x1b" not in said.getvalue()


def test_forced_colour_draws_no_bars_in_a_file(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    said = io.StringIO()
    sweep([tiny()], reporter=Progress(Console(file=said)))
    assert "\x1b" not in said.getvalue()


def test_bars_on_a_terminal():
    said = Terminal()
    console = Console(file=said, force_terminal=True, width=80)
    watcher = Progress(console)
    plan = plan_of(*(tiny(seed=seed) for seed in range(4)))
    watcher.on_plan(plan)
    watcher.on_chunk(Chunk(steps=120, active=4, seconds=0.1))
    watcher.on_row(row(plan, 0, steps=60, success=True))
    watcher._live.refresh()
    drawn = plain(said.getvalue())
    assert re.search(r"runs +━+.* 1/4 +25%", drawn)
    assert re.search(r"steps +━+.* 120/240 +50%", drawn)
    assert "1 succeeded" in drawn
    watcher.on_end()
    assert "trained 1 of 4 runs" in plain(said.getvalue())
    assert said.getvalue().count("\x1b[?25l") == said.getvalue().count("\x1b[?25h")  # the cursor is shown again
    assert watcher.kept == 1


def test_stages_are_announced_and_what_is_kept_adds_up():
    said = io.StringIO()
    watcher = Progress(Console(file=said), stages=2)
    one, two = tiny(seed=0), tiny(seed=1)
    sweep([one, two], reporter=watcher)
    finished = make_plan([one], None)
    watcher.on_plan(Plan(finished.wanted, {}))
    watcher.on_end()
    assert "stage 1 of 2: 2 runs: 0 done before, 2 to train" in said.getvalue()
    assert said.getvalue().splitlines()[-1] == "stage 2 of 2: 1 run: 1 done before, 0 to train"
    assert watcher.kept == 3


def test_a_network_too_large_to_measure_is_left_to_the_engine(monkeypatch):
    def exhausted(*_):
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED")

    monkeypatch.setattr(sys.modules["glassware.sweeps.estimate"], "measure_speed", exhausted)
    said = io.StringIO()
    sweep([tiny()], reporter=Progress(Console(file=said)))
    assert "at most" not in said.getvalue()


def test_a_store_that_knows_makes_the_outlook_better(tmp_path):
    """Runs that pass at their first evaluation: the next ones are expected to do the same."""
    easy = {"every": 10, "test": 100, "success": 1.0}
    runs = [tiny(seed=seed, steps=600_000, evaluation=easy) for seed in range(4)]
    outlooks = []
    for some in (runs[:2], runs):
        said = io.StringIO()
        sweep(some, tmp_path, reporter=Progress(Console(file=said, width=200)))
        outlooks.append(said.getvalue().splitlines()[1])
    assert re.fullmatch(r"at most about \d+ \w+; less when runs succeed early", outlooks[0])
    assert re.fullmatch(r"about 1 s if runs succeed as in the store; at most about \d+ \w+", outlooks[1])


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1 s"), (39.2, "40 s"), (90, "90 s"), (91, "2 min"), (5400, "90 min"), (5401, "2 h"), (10**6, "12 days")],
)
def test_about(seconds, text):
    assert about(seconds) == text


def test_clock_text():
    assert [clock_text(s) for s in (0, 59.6, 61, 3600, 100_000)] == ["0:00", "1:00", "1:01", "1:00:00", "27:46:40"]


def test_short():
    numbers = (0, 999, 1000, 12_345, 999_949, 999_950, 2_700_000, 19_440_000_000)
    assert [short(n) for n in numbers] == ["0", "999", "1k", "12.3k", "1M", "1M", "2.7M", "19.4G"]
