"""The edge of success on a grid: where it is read, what is inferred, how the search moves, and that it goes on."""

import math
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.luck.crossing import crossing
from glassware.luck.curve import Cell
from glassware.luck.design import SURE, Design, explore
from glassware.luck.frontier import advance, cells, edges, frontiers
from glassware.luck.lattice import Count, Lattice, Line
from tests.helpers import TINY
from tests.luck.made import NEVER, made, table

X, Y = tuple(100.0 * 2**i for i in range(9)), (10.0, 100.0, 1000.0)


def search(lattice, chance, rng, cost=lambda place: 1.0, known=()):
    counts = dict(known)
    while todo := lattice.next(counts):
        for place, more in todo.items():
            won, trials, work = counts.get(place, Count())
            won += int(rng.binomial(more, chance(lattice.x[place[0]], lattice.y[place[1]])))
            counts[place] = Count(won, trials + more, work + more * cost(place))
    return counts


def slope(x, y):
    """m50 falls from 1,600 at y = 10 to 400 at y = 1,000."""
    return 1 / (1 + math.exp(-2.5 * math.log(x / (3200 / y**0.3))))


def truth(values, rates):
    for a, b, low, high in zip(values, values[1:], rates, rates[1:], strict=False):
        if low < 0.5 <= high:
            return a * (b / a) ** ((0.5 - low) / (high - low))
    return 0.0 if rates[0] >= 0.5 else math.inf


def test_an_edge_lies_on_the_line_between_two_rates():
    value, low, high = crossing([Cell(100, 0, 20), Cell(200, 5, 20), Cell(400, 15, 20), Cell(800, 20, 20)])
    assert value == pytest.approx(math.sqrt(200 * 400))
    assert 200 < low < value < high < 400
    assert crossing([Cell(10, 9, 9), Cell(20, 9, 9)]) == (0, 0, 10)
    assert crossing([Cell(10, 0, 9), Cell(20, 0, 9)]) == (math.inf, 20, math.inf)
    _, low, high = crossing([Cell(10, 0, 9), Cell(20, 0, 0), Cell(40, 9, 9)])  # untried between: anywhere there
    assert 10 < low < 15 < 27 < high < 40


def test_a_search_of_one_line_halves_the_grid():
    design = Design(X[0], X[-1], 0.5, budget=1000, values=X, most=20)
    assert design.next([Cell(x, 0, 0) for x in X]) == [(1600, 4)]
    found = explore(design, lambda value: value > 500)
    assert {cell.value for cell in found if cell.trials} <= {200, 400, 800, 1600}
    assert design.state(found) in ("found", "searching")  # the latter where every value has had its most trials


def test_intervals_contain_the_truth_although_the_search_stops_when_they_are_short():
    rng, lattice = np.random.default_rng(3), Lattice(X, Y, precision=1.2, seeds=40, work=0.2)
    inside = []
    for _ in range(25):
        counts = search(lattice, slope, rng, cost=lambda place: lattice.y[place[1]])
        states = lattice.states(counts)
        for line in lattice.lines:
            rates = [slope(x, y) for x in X for y in Y if (y == Y[line.at] if line.along == "x" else x == X[line.at])]
            value = truth(X if line.along == "x" else Y, rates)
            _, low, high = lattice.edge(line, counts, states[line])
            inside.append(low <= max(value, 0) <= high)
    assert np.mean(inside) >= 0.93
    assert sum(count.trials for count in counts.values()) < 0.5 * 40 * len(X) * len(Y)


def test_a_search_goes_on_until_a_wider_interval_than_the_printed_one_is_short():
    cells_ = [*(Cell(x, 0, 9) for x in X[:4]), Cell(1600, 4, 30), Cell(3200, 29, 30), *(Cell(x, 9, 9) for x in X[6:])]
    printed, wider = (high / low for _, low, high in (crossing(cells_), crossing(cells_, drop=SURE)))
    assert printed < wider
    state = lambda precision: Design(X[0], X[-1], 0.5, precision, budget=1000, values=X, most=100).state(cells_)
    assert state((printed + wider) / 2) == "searching"
    assert state(wider * 1.001) == "found"


def test_work_goes_to_the_edge_and_the_rest_is_inferred():
    lattice = Lattice(X, Y, work=0.5)
    counts = search(lattice, lambda x, y: float(x * y**0.5 > 5000), np.random.default_rng(0))
    guessed = lattice.inferred(counts, 0.5)
    assert all(right == (X[i] * Y[j] ** 0.5 > 5000) for (i, j), right in guessed.items())
    assert len(guessed) + len(counts) == len(X) * len(Y)
    assert set(lattice.states(counts).values()) >= {"found", "above the range"}


def test_success_that_falls_along_an_axis_is_noticed_and_nothing_is_inferred_across_it():
    lattice = Lattice(X, Y, work=0.5)
    counts = search(lattice, lambda x, y: float(x > 500 * y**0.4), np.random.default_rng(0))  # width hurts
    column = next(line for line in lattice.lines if lattice.turns(line, counts) and lattice.falls(line, counts))
    assert column.along == "y"
    assert "below the range" in lattice.states(counts)[column]  # the narrowest succeeds; wider ones fail
    inferred = {j for (i, j) in lattice.inferred({(4, 1): Count(0, 20), (4, 0): Count(20, 20)}, 0.5)}
    assert inferred == {0, 1}  # each row tells of itself alone
    assert lattice.falls(Line("x", 0, 0.5), {(0, 0): Count(6, 8), (3, 0): Count(5, 8)}) is None  # chance explains it


def test_where_success_ends_again_the_edge_is_its_first_rise():
    lattice = Lattice(X, Y, work=0.8)
    counts = search(lattice, lambda x, y: float(500 < x < 10_000), np.random.default_rng(0))
    for line in lattice.lines[: len(Y)]:
        value, low, high = lattice.edge(line, counts, lattice.states(counts)[line])
        assert 400 < low < value < high < 800
        assert lattice.falls(line, counts)
    assert not any(place[0] > 4 and right for place, right in lattice.inferred(counts, 0.5).items())


@pytest.mark.parametrize(("level", "rate"), [(0.5, 1.0), (0.5, 0.8), (0.8, 1.0)])
def test_a_row_that_fails_at_both_ends_is_looked_at_where_the_next_one_succeeds(level, rate):
    whole, rng = Lattice(X, Y, levels=(level,), work=1.0, columns=False), np.random.default_rng(0)
    band = lambda x, y: (rate if y > Y[0] else 1.0) * (1000 < x < 4000)
    narrow = search(replace(whole, y=Y[:1]), band, rng)
    wide = {(0, 1): Count(0, 8, 8), (8, 1): Count(0, 20, 20)}  # all that would be tried there otherwise
    counts = search(whole, band, rng, known={**narrow, **wide})
    for line in whole.lines:
        _, low, high = whole.edge(line, counts, whole.states(counts)[line])
        assert 800 <= low < high <= 1600
    failing = {place: count._replace(won=0) for place, count in {**narrow, **wide}.items()}
    assert all(place[1] != 1 for place in whole.next(failing))  # nothing tells of a success


def test_a_row_that_may_succeed_somewhere_is_not_left_in_doubt():
    lattice = Lattice(X, Y, work=1.0, columns=False)
    counts = {(i, j): Count(0, 8, 8) for i in (0, 4, 8) for j in range(3)}
    assert not lattice.next(counts)
    assert lattice.next({**counts, (3, 1): Count(2, 4, 4)}) == {(3, 1): 4}


def test_frontiers_from_a_grid():
    runs = gw.grid(
        TINY,
        {"m": [20, 40, "online"], "init": [gw.Init(), gw.Init(scheme="sparse", s=2)]},
        zips=[{"model.width": [4, 8], "steps": [60, 80]}],
    )
    dense, sparse = frontiers(runs)
    assert dense.lattice.x == (20, 40, 80)
    assert (dense.ends_online, dense.label("x", 80), sparse.fields["init.scheme"]) == (True, "online", "sparse")
    assert {(run.model.width, run.steps) for run in dense.runs.values()} == {(4, 60), (8, 80)}
    first = advance([dense, sparse], pl.DataFrame())
    assert {run.seed for run in first if run.m is not None} == {0, 1, 2, 3}
    rows = table(*(made([20, NEVER, 20, 20], m=m, model={"width": 8}, steps=80) for m in (20, 40)))
    assert dense.counts(rows)[0, 1][:2] == (3, 4)
    assert sparse.counts(rows) == {}
    assert edges([dense], rows).height == 2 + 3
    assert cells([dense], rows).filter(known="measured").select("m", "model.width", "runs").rows() == [
        (20, 8, 4),
        (40, 8, 4),
    ]


def test_layers_of_one_width_count_as_it_and_their_number_makes_panels():
    runs = gw.grid(TINY, {"m": [20, 40], "model.width": [4, 8, [4, 4], [8, 8]]})
    one, two = frontiers(runs, columns=False)
    assert (one.fields, two.fields) == ({"depth": 1}, {"depth": 2})
    assert one.lattice.y == two.lattice.y == (4, 8)
    assert {run.model.layers for run in two.runs.values()} == {3}
    assert {line.along for line in one.lattice.lines} == {"x"}
    rows = table(made([20, NEVER, 20], m=40, model={"width": [8, 8]}))
    assert two.counts(rows)[1, 1][:2] == (2, 3)
    assert len(two.own(rows)) == 3
    assert one.counts(rows) == {}
    assert not len(one.own(rows))
    with pytest.raises(gw.GlasswareError, match=r"must have positive numbers, not \(4, 8\)"):
        frontiers(gw.grid(TINY, {"m": [20, 40], "model.width": [[4, 8], [4, 4]]}))


KILLED = """
import os, signal, glassware as gw
from glassware.sweeps.sweep import Silent
from tests.luck.test_frontier import GRID

class Killer(Silent):
    def on_message(self, line):
        if line.startswith("round 3,"):
            os.kill(os.getpid(), signal.SIGKILL)

gw.frontier(gw.grid(GRID[0], GRID[1]), store="store", seeds=12, work=1.0, progress=Killer())
"""
GRID = (
    TINY | {"task": {"n": 10, "k": 2}, "batch": 32, "steps": 400, "evaluation": {"every": 50, "test": 200}},
    {"m": [10, 30, 90, 300], "model.width": [4, 16]},
)


def test_a_search_that_was_killed_goes_on_and_trains_nothing_twice(tmp_path):
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    ended = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, env=env, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    store = gw.Store(tmp_path / "store")
    before = store.read()
    again = gw.frontier(gw.grid(*GRID), store=store, seeds=12, work=1.0)
    after = store.read()
    assert 0 < len(before) < len(after) == again.rows["id"].n_unique()
    same = after.filter(pl.col("id").is_in(before["id"].implode()))
    assert same.sort("id").select("id", "seconds").equals(before.sort("id").select("id", "seconds"))
    whole = gw.frontier(gw.grid(*GRID), seeds=12, work=1.0)  # never stopped
    assert whole.edges.equals(again.edges)
    assert whole.cells.equals(again.cells)


@pytest.mark.parametrize(
    ("axes", "options", "said"),
    [
        ({"m": [30], "model.width": [4, 8]}, {}, "the axis 'm' needs two numbers or more, to look for the edge"),
        ({"m": [30, 60]}, {"axes": ("m", "mm")}, "the run has no field 'mm' to search"),
        ({"m": [30, 60]}, {"axes": ("m", "m")}, "a frontier has two different axes, not m, m"),
        (
            {"m": [30, 60]},
            {"axes": ("m", "model.activation")},
            "the axis 'model.activation' must have positive numbers",
        ),
        ({"m": [30, 60]}, {"work": 0}, "work must be a share above 0 and at most 1, as 0.1, not 0"),
        ({"m": [30, 60]}, {"seeds": 3}, "seeds must allow the first 4 runs of a cell, not 3"),
        ({"m": [30, 60]}, {"levels": (1.0,)}, "level must be between 0.05 and 0.95, not 1"),
        ({"m": [30, 60]}, {"levels": ()}, "levels must have at least one success rate, as 0.5"),
        ({"m": [30, 60]}, {"precision": 1}, "precision must be above 1, as 1.25, not 1"),
    ],
)
def test_bad_input_is_one_sentence(axes, options, said):
    with pytest.raises(gw.GlasswareError, match=said) as caught:
        gw.frontier(gw.grid(TINY, axes), **options)
    assert "\n" not in str(caught.value)


def test_a_grid_with_holes_is_refused():
    runs = gw.grid(TINY, {"m": [30, 60], "model.width": [4, 8]})[:-1]
    with pytest.raises(gw.GlasswareError, match="a frontier is searched on a whole grid"):
        gw.frontier(runs)
