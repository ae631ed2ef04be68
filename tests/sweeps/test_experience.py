import pytest

from glassware.sweeps import Experience, Store, sweep
from glassware.sweeps.experience import Expected
from tests.helpers import TINY, tiny

EASY = {**TINY["evaluation"], "success": 1.0}  # the first evaluation, at step 0, is a success
HARD = {**TINY["evaluation"], "success": 0.0}


def run(m=None, width=8, **changes):
    return tiny(m=m, model={"width": width}, evaluation=changes.pop("evaluation", HARD), **changes)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """Real runs at three places: two fail, one pair succeeds at once. ``success`` is a field, so it is a family."""
    path = tmp_path_factory.mktemp("known")
    runs = [run(m, width, seed=seed) for m, width in ((30, 8), (None, 8)) for seed in range(2)]
    rows = sweep([*runs, *(run(30, 8, seed=seed, evaluation=EASY) for seed in range(2))], path, lanes=8)
    assert rows["success"].to_list() == [False] * 4 + [True] * 2
    assert rows["steps_to_success"].to_list()[4:] == [0, 0]
    return Experience(Store(path))


def test_rows_of_the_same_cell_count_first(known):
    assert known.expected(run(30)) == Expected(60, 0, "cell")
    assert known.expected(run(30, seed=7, probes=["neuron_norms"])) == Expected(60, 0, "cell")
    assert known.expected(run(30, evaluation=EASY)) == Expected(0, 0, "cell")


def test_then_those_of_the_nearest_in_m_and_width(known):
    assert known.expected(run(40, 9)).basis == "neighbour"
    assert known.expected(run(40, 9, evaluation=EASY)) == Expected(0, 0, "neighbour")


def test_a_row_of_another_task_initialisation_or_optimiser_says_nothing(known):
    for change in (
        {"task": {"n": 20, "k": 2}}, {"task": {"n": 21, "k": 3}}, {"init": {"scheme": "sparse"}}, {"batch": 4},
        {"optimiser": {"name": "sgd", "lr": 0.2}}, {"evaluation": {**EASY, "success": 0.5}}, {"loss": "square"},
    ):  # fmt: skip
        assert known.expected(run(30, **change)) == Expected(60, 1, "nothing"), change


def test_failing_early_says_nothing_about_later(known):
    assert known.expected(run(30, steps=20)) == Expected(20, 0, "cell")  # it failed for longer than that
    assert known.expected(run(30, steps=600)) == Expected(600, 1, "cell")
    assert known.expected(run(30, steps=600, evaluation=EASY)) == Expected(0, 0, "cell")


def test_what_never_stops_is_certain(known):
    assert known.expected(run(30, evaluation={**EASY, "stop": False})) == Expected(60, 0, "certain")
    solved = tiny(m=30, model={"name": "kernel-ridge", "kernel": "rbf"})
    assert known.expected(solved) == Expected(0, 0, "certain")


def test_nothing_is_known_without_a_store(tmp_path):
    for empty in (None, Store(tmp_path / "new")):
        assert Experience(empty).expected(run(30)) == Expected(60, 1, "nothing")


def test_the_mean_of_a_mixed_cell(tmp_path):
    """Runs that learn at different steps: the expectation is the mean of what they took."""
    learner = {"task": {"n": 20, "k": 1}, "steps": 2000, "m": 1000}
    rows = sweep([tiny(seed=seed, **learner) for seed in range(12)], tmp_path, lanes=8)
    assert rows["success"].any()
    assert rows["steps_taken"].n_unique() > 1
    expected = Experience(Store(tmp_path)).expected(tiny(seed=99, **learner))
    assert expected == Expected(pytest.approx(rows["steps_taken"].mean()), 0, "cell")
