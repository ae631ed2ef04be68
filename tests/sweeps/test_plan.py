from glassware.sweeps import Store, make_plan, run_id, sweep
from tests.helpers import tiny

RUNS = [tiny(seed=0), tiny(seed=1), tiny(seed=0), tiny(seed=2, steps=20)]


def test_a_plan_is_the_ids_wanted_without_those_finished(tmp_path):
    whole = make_plan(RUNS, None)
    assert list(whole.wanted) == [run_id(RUNS[i]) for i in (0, 1, 3)]
    assert whole.todo == whole.wanted
    assert (whole.finished, whole.steps) == (0, 140)
    sweep(RUNS[:1], tmp_path)
    rest = make_plan(RUNS, Store(tmp_path))
    assert list(rest.todo) == [run_id(RUNS[i]) for i in (1, 3)]
    assert (rest.finished, rest.steps) == (1, 80)


def test_a_store_that_does_not_exist_yet_is_empty(tmp_path):
    assert len(make_plan(RUNS, Store(tmp_path / "new")).todo) == 3
    assert not (tmp_path / "new").exists()
