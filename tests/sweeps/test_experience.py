import time

import polars as pl
import pytest

from glassware.sweeps import Experience, Store, sweep
from glassware.sweeps.experience import COLUMNS, Expected
from glassware.sweeps.rows import frame
from tests.helpers import TINY, tiny
from tests.luck.made import made

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


def test_then_those_of_the_nearest_in_any_number(known):
    lr = {"optimiser": {"name": "sgd", "lr": 0.2, "weight_decay": 0.01}}
    for change in ({"m": 40, "width": 9}, {"m": 30, "batch": 4}, {"m": 30, **lr}):
        assert known.expected(run(**change)).basis == "neighbour", change
        assert known.expected(run(**change, evaluation=EASY)) == Expected(0, 0, "neighbour"), change


def test_the_nearest_is_near_in_decades(tmp_path):
    """Twice the learning rate is nearer than a hundredth of the sample; half the sample is nearer than both."""
    lr = lambda rate: {"optimiser": {"name": "sgd", "lr": rate}, "steps": 600}
    with Store(tmp_path).writing() as writer:
        cells = [made([20], m=3000, **lr(0.1)), made([50], m=30, **lr(0.2)), made([80], m=1500, **lr(0.4))]
        for row in (row for cell in cells for row in cell):
            writer.add(row)
    experience = Experience(Store(tmp_path))
    for m, rate, steps in ((30, 0.1, 50), (3000, 0.2, 20), (1600, 0.4, 80), (None, 0.1, 20)):
        assert experience.expected(tiny(m=m, **lr(rate))) == Expected(steps, 0, "neighbour"), (m, rate)


def test_a_large_store_is_read_in_seconds(tmp_path):
    """The paper's grid: 200,000 rows of 4,000 cells. Specifications are parsed once per cell."""
    (row,) = made([20], m=30)
    before, after = row["spec"].split('"m":30,')
    assert '"steps"' in after
    after = after.replace('"steps"', '"seed":SEED,"steps"')
    cells = pl.DataFrame({"m": range(100, 4100)}).join(pl.DataFrame({"seed": range(1, 51)}), how="cross")
    parts = [pl.lit(before + '"m":'), "m", pl.lit(","), *_around(after)]
    rows = frame([row]).select({*COLUMNS, "spec", "success", "n", "k"} - {"cell"})
    table = rows.join(cells, how="cross").with_columns(spec=pl.concat_str(parts))
    store = Store(tmp_path)
    store.parts_path.mkdir(parents=True)
    store.append(table.drop("m", "seed").with_columns(id=pl.int_range(pl.len()).cast(pl.String)))
    started = time.process_time()
    assert Experience(store).expected(tiny(m=777, seed=99)) == Expected(20, 0, "cell")
    elapsed = time.process_time() - started
    print(f"{elapsed:.2f} s")
    assert elapsed < 5


def _around(after):
    first, last = after.split("SEED")
    return pl.lit(first), "seed", pl.lit(last)


def test_a_row_of_another_task_initialisation_or_optimiser_says_nothing(known):
    for change in (
        {"task": {"n": 20, "k": 2}}, {"task": {"n": 21, "k": 3}}, {"init": {"scheme": "sparse"}},
        {"optimiser": {"name": "adam", "lr": 0.1}}, {"optimiser": {"name": "sgd", "lr": 0.1, "momentum": 0.9}},
        {"evaluation": {**EASY, "success": 0.5}}, {"loss": "square"}, {"sampling": "epochs"},
        {"task": {"n": 20, "k": 3, "support": [0, 1, 2]}},
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
