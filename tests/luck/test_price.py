import math

import polars as pl
import pytest

from glassware.engine import evaluation_flops, step_flops
from glassware.luck import cells, pareto_front, price
from tests.helpers import tiny
from tests.luck.made import NEVER, made, table

SPARSE = {"scheme": "sparse", "s": 2}
WON = [20] * 10 + [NEVER] * 10  # restarted at 20: two tries


def test_work_is_counted_as_in_the_table_of_results():
    """A cell in which all succeed costs the mean of its rows' own operations: steps, evaluations, the first one too."""
    frame = table(made([20, 30, 40, 20, 30, 40, 30, 30, 30, 30]))
    (cell,) = cells(frame)
    assert cell.restart.observed_steps * cell.step_flops == pytest.approx(frame["flops"].mean())
    assert cell.try_flops == pytest.approx(frame["flops"].max())


def test_evaluations_cost():
    rarely, often = (
        made(WON, evaluation={"every": every, "test": 10_000}, steps=60, m=30) for every in (20, 10)
    )  # the same successes, looked for twice as often
    (a, b) = cells(table(rarely, often))
    extra = b.restart.observed_steps * b.step_flops - a.restart.observed_steps * a.step_flops
    assert extra == pytest.approx(2 * evaluation_flops(b.run))  # one more a try, two tries
    assert a.step_flops == pytest.approx(step_flops(a.run) + evaluation_flops(a.run) / 20)


def test_cells_are_runs_that_differ_in_luck_alone():
    frame = table(
        made(WON, m=30),
        made([10] * 2, m=30, steps=100),  # another budget: the same cell
        made(WON, m=30, optimiser={"name": "sgd", "lr": 0.5}),
        made(WON, m=30, init=SPARSE),
        made(WON, m=30, batch=4),
        made(WON, m=30, evaluation={"every": 20, "test": 100}),
    )
    found = cells(frame)
    assert [cell.restart.runs for cell in found] == [22, 20, 20, 20, 20]
    assert found[0].run.steps == 100
    apart = found[1].apart_from(found[0])
    assert apart == {"optimiser.lr": 0.5, "optimiser.weight_decay": 0.0}
    assert found[2].apart_from(found[0]) == {}  # its name tells
    assert found[3].apart_from(found[0]) == {"batch": 4}


def test_what_is_not_trained_from_scratch_has_no_price():
    ticket = made(WON, model={"width": 2}, init={"neurons": [1, 4], "parent_width": 8})
    assert cells(table(ticket)) == []


def test_a_table_of_prices():
    frame = table(made(WON, m=30), made([NEVER] * 12, m=60), made([10] * 5, m=90), made([10] + [NEVER] * 30, m=120))
    prices = price(frame)
    assert prices["tells"].to_list() == ["price", "no success", "too few runs", "too few successes"]
    assert prices["runs"].to_list() == [20, 12, 5, 31]
    assert prices["flops"].is_null().to_list() == [False, True, True, True]
    assert prices["flops_low"].is_null().to_list() == [False, False, True, False]
    first = prices.row(0, named=True)
    assert (first["cutoff"], first["tries"], first["examples"]) == (20, pytest.approx(2), 30)
    assert first["flops_low"] < first["flops"] < first["flops_high"]
    assert (first["task"], first["n"], first["k"], first["momentum"]) == ("parity", 20, 3, None)
    empty = price(frame.clear())
    assert empty.schema.items() <= prices.schema.items()
    assert {"m", "width", "init", "tells", "cutoff", "examples", "flops"} <= set(empty.columns)


def test_the_front_has_what_nothing_beats():
    quick, slow = [10] * 20, [50] * 20
    frame = table(
        made(slow, m=30),
        made(quick, m=60),
        made(slow, m=90),  # more data and dearer than m = 60
        made(quick, m=30, model={"width": 80}),  # the same data as the first, dearer: ten times the work
        made(quick, m=100, model={"width": 4}),  # cheapest of all
        made([*quick, NEVER], m=None),  # online: a try draws 10 x 8 examples
    )
    front = pareto_front(price(frame))
    assert list(zip(front["m"], front["width"], strict=True)) == [(30, 8), (60, 8), (100, 4)]
    assert front["examples"].to_list() == [30, 60, 100]
    assert price(frame).filter(pl.col("m").is_null())["examples"].item() == 80


def test_the_chance_within_a_budget():
    (cell,) = cells(table(made([20] * 5 + [10] * 5 + [NEVER] * 10, m=30, steps=1000)))
    assert cell.restart.cutoff == 20
    one = cell.try_flops
    short = cell.start_flops + 10 * cell.step_flops
    for budget, chance in ((one, 0.5), (3 * one, 1 - 0.5**3), (short, 0.25), (one + short, 1 - 0.5 * 0.75)):
        found = cell.chance(budget * (1 + 1e-9))
        assert found.value == pytest.approx(chance)
        assert found.low < chance < found.high
    assert cell.chance(short * 0.9).value == 0
    (hopeless,) = cells(table(made([NEVER] * 10)))
    assert hopeless.chance(1e30).value == 0


def test_a_try_is_a_run():
    (cell,) = cells(
        table(made([20] * 10, m=30, probes=["movement"], evaluation={"every": 10, "test": 100, "stop": False}))
    )
    assert cell.attempt == tiny(m=30, steps=20)
    assert math.isclose(cell.flops.value / cell.restart.expected_steps.value, cell.step_flops)
