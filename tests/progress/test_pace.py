import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassware.progress.pace import Pace
from tests.helpers import tiny
from tests.progress.made import chunk, plan_of, row, seeds


def test_a_run_that_stops_early_counts_in_full():
    plan = seeds(4)
    pace = Pace(plan, limit=10.0)
    pace.on_chunk(chunk(40))
    assert pace.steps == 40
    pace.on_row(row(plan, 0, steps=10, success=True))
    assert pace.steps == 90
    pace.on_chunk(chunk(150))
    for i in (1, 2, 3):
        pace.on_row(row(plan, i, steps=60))
    assert pace.steps == 240
    assert pace.seconds_left(5.0) == pytest.approx(0)


def test_time_left_follows_the_limit_first_and_the_speed_later():
    plan = seeds(100)
    pace = Pace(plan, limit=200.0)
    for elapsed in (0.0, 5.0):  # compiling: nothing done, nothing learned
        assert pace.seconds_left(elapsed) == 200
        assert pace.rests_on_limit
    for i in range(50):
        pace.on_chunk(chunk(60))
        pace.on_row(row(plan, i, steps=60))
    assert pace.seconds_left(30.0) == pytest.approx(30)
    assert not pace.rests_on_limit


def test_time_left_shrinks_as_runs_stop_early():
    plan = seeds(100)
    patient, hasty = Pace(plan, limit=100.0), Pace(plan, limit=100.0)
    for i in range(5):
        patient.on_row(row(plan, i, steps=60))
        hasty.on_row(row(plan, i, steps=10, success=True))
    assert hasty.seconds_left(0.0) < patient.seconds_left(0.0) / 4


def test_time_left_weighs_runs_by_their_work():
    plan = plan_of(*(tiny(seed=seed, model={"width": width}) for width in (8, 5000) for seed in range(10)))
    pace = Pace(plan)
    for i in range(10):  # the narrow half
        pace.on_row(row(plan, i, steps=60))
    left = pace.seconds_left(10.0)
    assert left is None or left > 50


def test_without_a_limit_nothing_is_said_too_soon():
    plan = seeds(4)
    pace = Pace(plan)
    assert pace.seconds_left(9.0) is None
    pace.on_row(row(plan, 0, steps=60))
    assert pace.seconds_left(1.0) is None
    assert pace.seconds_left(4.0) == pytest.approx(12)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.floats(0, 30)), max_size=8),
    st.one_of(st.none(), st.floats(0, 1e6)),
)
def test_counts_stay_within_bounds(events, limit):
    plan, elapsed = seeds(8), 0.0
    pace = Pace(plan, limit)
    for i, (rounds, success, seconds) in enumerate(events):
        elapsed += seconds
        pace.on_chunk(chunk(10 * rounds))
        pace.on_row(row(plan, i, steps=10 * rounds, success=success))
        left = pace.seconds_left(elapsed)
        assert 0 <= pace.steps <= plan.steps
        assert left is None or left >= -1e-6
