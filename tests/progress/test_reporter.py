import io
import re
import sys

import jax
from rich.console import Console

from glassware.progress import Progress, reporter
from glassware.sweeps import Plan, make_plan, sweep
from tests.helpers import tiny
from tests.progress.made import chunk, row, seeds


class Terminal(io.StringIO):
    def isatty(self):
        return True


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_solved_models_have_no_steps():
    solved = tiny(model={"name": "kernel-ridge", "kernel": "rbf"}, m=20)
    said = io.StringIO()
    frame = sweep([solved], reporter=Progress(Console(file=said)))
    assert len(frame) == 1
    assert "trained 1 run in 0:0" in said.getvalue()


def test_plain_lines_for_a_file(monkeypatch):
    monkeypatch.setattr(reporter, "EVERY", 0.0)
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
    plan = seeds(4)
    watcher.on_plan(plan)
    watcher.on_chunk(chunk(120))
    watcher.on_row(row(plan, 0, steps=60, success=True))
    watcher._bars.refresh()
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
