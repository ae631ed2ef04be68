import io
import re

import pytest
from rich.console import Console

from glassware.progress.bars import Bars
from tests.helpers import tiny
from tests.progress.made import chunk, plan_of, row, seeds


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def drawn(bars, width=80):
    """What a terminal of this width shows now."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="truecolor")
    console.print(bars)
    return re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue()).splitlines()


def test_the_line_says_how_far_it_is_and_how_long_it_takes(clock):
    plan = seeds(100)
    bars = Bars(plan, 200.0, disable=True, clock=clock)
    clock.now = 5.0
    assert bars.line() == "0 of 100 runs · 0% of steps · 0:05 elapsed · at most about 3:20 left"
    for i in range(50):
        bars.on_chunk(chunk(60))
        bars.on_row(row(plan, i, steps=60, success=i < 20, diverged=7 if i == 30 else None))
    clock.now = 30.0
    facts = "1.67 runs/s · 20 succeeded · 1 diverged · 0:30 elapsed · about 0:30 left"
    assert bars.facts() == facts
    assert bars.line() == f"50 of 100 runs · 50% of steps · {facts}"
    assert bars.outcome() == "trained 50 of 100 runs in 0:30: 20 succeeded, 1 diverged"


def test_a_finished_sweep_has_no_time_left(clock):
    plan = seeds(1)
    bars = Bars(plan, 200.0, disable=True, clock=clock)
    clock.now = 2.0
    bars.on_row(row(plan, 0, steps=60))
    assert bars.line() == "1 of 1 run · 100% of steps · 0.5 runs/s · 0 succeeded · 0:02 elapsed"
    assert bars.outcome() == "trained 1 run in 0:02: 0 succeeded"


@pytest.mark.parametrize(("width", "bar"), [(120, 60), (80, 58), (40, 18)])
def test_bars_fit_the_terminal_and_their_counts_are_never_cut(clock, width, bar):
    bars = Bars(seeds(4, steps=2_700_000), None, disable=True, clock=clock)
    bars.on_chunk(chunk(5_400_000))
    runs, steps, facts = drawn(bars, width)
    assert runs.split() == ["runs", "━" * bar, "0/4", "0%"]
    assert steps.split()[-2:] == ["5.4M/10.8M", "50%"]
    assert facts == "0:00 elapsed"  # not padded: the ^C of a terminal follows it


def test_models_that_are_solved_have_no_bar_of_steps(clock):
    plan = plan_of(tiny(model={"name": "kernel-ridge", "kernel": "rbf"}, m=20))
    bars = Bars(plan, None, disable=True, clock=clock)
    assert [line.split()[0] for line in drawn(bars)] == ["runs", "0:00"]
    assert bars.line() == "0 of 1 run · 0:00 elapsed"
