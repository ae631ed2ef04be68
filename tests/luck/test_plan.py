import json
import re

import pytest

import glassware
from glassware import GlasswareError
from glassware.models import ACTIVATIONS, Activation
from glassware.sweeps import Store
from tests.calls import call, sentence, snapshot
from tests.luck.made import NEVER, made

TASK, SMALL = {"n": 20, "k": 3}, {"task": "parity", "n": 10, "k": 2}
SPARSE = {"scheme": "sparse", "s": 2}
CELLS = [
    made([50] * 20, m=30),  # sure and dear
    made([10] * 10 + [NEVER] * 10, m=60, init=SPARSE),  # two tries of 10
    made([10] + [NEVER] * 39, m=60),  # one lucky run: no price
    made([NEVER] * 12, m=60, model={"width": 4}),
    made([10] * 5, m=60, model={"width": 16}),
    made([10] * 20, m=100),
    made([10] * 20, m=20, task={"n": 20, "k": 3, "noise": 0.1}),
    made([10] * 20, m=20, evaluation={"every": 10, "test": 100, "success": 0.3}),
    made([30] * 20, task={"n": 10, "k": 2}),
]


@pytest.fixture
def store(folder):
    with Store(folder / "store").writing() as writer:
        for row in (row for cell in CELLS for row in cell):
            writer.add(row)
    return folder / "store"


def test_the_cheapest_that_fits(store):
    plan = glassware.plan(TASK, 70, store=store)
    assert [(cell.run.m, cell.run.init.scheme) for cell in plan.cells] == [(60, "sparse"), (30, "dense")]
    assert (plan.best.attempt.steps, plan.best.restart.tries) == (10, pytest.approx(2))
    assert plan.chance is None
    assert [cell.restart.tells for cell in plan.unmeasured] == ["too few successes", "no success", "too few runs"]
    notes = plan.notes()
    assert notes[0] == "it uses 60 of the 70 examples: one can always use fewer"
    for words in ("1 cell (40 runs) that succeeded less than 3 times; a success there costs more than", "that never",
                  "1 cell left aside: more than 70 examples", "2 cells left aside: they differ in noise or success_at",
                  "1 cell (5 runs) that have less than 10 runs", "tries count as independent"):  # fmt: skip
        assert any(words in note for note in notes), (words, notes)
    assert glassware.plan(TASK, store=store).best.run.m == 100
    assert glassware.plan(TASK, 40, store=store).best.run.m == 30
    assert glassware.plan(SMALL, store=store).best.run.m is None  # online
    assert glassware.plan(SMALL, 30 * 8, store=store).best.examples == 30 * 8
    with pytest.raises(GlasswareError, match=r"no cell for parity, n = 10, k = 2 with 239 examples; .* needs 240"):
        glassware.plan(SMALL, 30 * 8 - 1, store=store)


def test_models_that_only_the_trainer_knew_are_left_aside(folder, monkeypatch):
    monkeypatch.setitem(ACTIVATIONS, "bent", Activation(lambda z, degree: z))
    rows = made([10] * 10, model={"width": 8, "activation": "bent"})
    monkeypatch.delitem(ACTIVATIONS, "bent")
    for name, more in (("mixed", made([10] * 20, m=30)), ("strange", [])):
        with Store(name).writing() as writer:
            for row in [*rows, *more]:
                writer.add(row)
    plan = glassware.plan(TASK, store="mixed")
    assert [cell.run.m for cell in plan.cells] == [30]
    assert "1 cell left aside: a model or activation that is not known here" in plan.notes()
    with pytest.raises(GlasswareError, match="no run of n = 20, k = 3 whose model is known here"):
        glassware.plan(TASK, store="strange")
    counted = glassware.summary(Store("strange").read())  # needs no model to count what succeeded
    assert counted["runs"].max() == 10


def test_other_problems_are_asked_for_by_name(store):
    noisy = glassware.plan({**TASK, "noise": 0.1}, store=store)
    assert ([cell.run.task.noise for cell in noisy.cells], noisy.others) == ([0.1], 0)
    lax = glassware.plan({**TASK, "success_at": 0.3}, store=store)
    assert [cell.run.evaluation.success for cell in lax.cells] == [0.3]
    assert (lax.others, lax.apart) == (0, ())
    assert len(glassware.plan({**TASK, "init": "sparse"}, store=store).cells) == 1


def test_the_only_problem_of_a_store_needs_no_name(folder):
    with Store("store").writing() as writer:
        for row in made([10] * 20, m=30, task={"n": 20, "k": 3, "noise": 0.1}):
            writer.add(row)
    assert glassware.plan(store="store").where == {"n": 20, "k": 3, "noise": 0.1}
    assert "n = 20, k = 3, noise = 0.1, any number of examples: width 8" in call("plan", "--store", "store").stdout


def test_a_lucky_cell_is_not_recommended(folder):
    """Three of sixty look cheaper than twenty of twenty, but may as well be dearer: the safe price counts."""
    with Store("store").writing() as writer:
        for row in [*made([10] * 3 + [NEVER] * 57, m=30), *made([600] * 20, m=60, steps=600)]:
            writer.add(row)
    plan = glassware.plan(TASK, store="store")
    assert [cell.run.m for cell in plan.cells] == [60, 30]
    assert plan.cells[1].flops.value < plan.best.flops.value < plan.cells[1].flops.high
    assert "1 cell may be cheaper: the intervals overlap" in plan.notes()
    assert "runs end at 600 steps, close to the cut-off: a later one may be cheaper" in plan.notes()


def test_a_budget_decides(folder):
    """With little to spend the cell that may succeed at once is best; with enough, the cheapest."""
    with Store("store").writing() as writer:
        for row in [*made([20] * 6 + [NEVER] * 14, m=30), *made([40] * 20, m=60)]:
            writer.add(row)
    rich = glassware.plan(TASK, budget=1e9, store="store")
    poor = glassware.plan(TASK, budget=rich.cells[1].try_flops * 1.01, store="store")
    assert ([cell.run.m for cell in rich.cells], [cell.run.m for cell in poor.cells]) == ([60, 30], [30, 60])
    assert (poor.chance.value, poor.cells[1].chance(poor.budget).value) == (pytest.approx(0.3), 0)
    assert rich.chance.value == pytest.approx(1)


# -- the command ------------------------------------------------------------------------------------------------------


def test_what_is_printed(store):
    before = snapshot(store)
    result = call("plan", "n=20", "k=3", "--m", 60, "--budget", "1e7", "--store", store)
    assert (result.exit_code, result.stderr) == (0, "")
    said = result.stdout
    assert said.startswith("n = 20, k = 3, 60 examples: width 8, 2-sparse, m = 60\n")
    assert re.search(r"give up and restart +after 10 steps", said)
    assert re.search(r"a try succeeds +50% \[30%, 70%\] \(of 20 runs\)", said)
    assert re.search(r"tries +2 on average; 5 tries for 95%", said)
    assert re.search(r"one success +\d\.\de\d FLOPs \[\d\.\de\d, \d\.\de\d\]", said)
    assert re.search(r"within 1\.0e7 FLOPs +\S+ \[\S+, \S+\] to succeed", said)
    assert re.search(r"width 8, dense, m = 30 +50 +100% +1 +\d\.\de\d +\d\.\de\d to \d\.\de\d +\S+%", said)
    assert "- no price for 1 cell (12 runs) that never succeeded" in said
    assert snapshot(store) == before


def test_json(store):
    result = call("plan", "n=20", "k=3", "--m", 60, "--json", "--store", store)
    found = json.loads(result.stdout)
    assert (found["where"], found["m"], found["budget"]) == (TASK, 60, None)
    assert found["best"]["cutoff"] == found["best"]["run"]["steps"] == 10
    assert found["best"]["flops"]["low"] < found["best"]["flops"]["value"] < found["best"]["flops"]["high"]
    assert glassware.Run.model_validate(found["best"]["run"]).init.s == 2
    assert [cell["run"]["m"] for cell in found["runners_up"]] == [30]
    assert found["notes"]


def test_when_the_store_cannot_tell(folder):
    with Store("store").writing() as writer:
        for row in made([NEVER] * 12, m=60):
            writer.add(row)
    words = ["plan", "n=20", "k=3", "--store", "store"]
    said = call(*words).stdout
    assert said.startswith("n = 20, k = 3, any number of examples: the store cannot tell what to train\n")
    assert "no price for 1 cell (12 runs) that never succeeded; run to its end, a success there costs more than" in said
    assert json.loads(call(*words, "--json").stdout)["best"] is None
    assert sentence(call(*words, "--figure", "x.png")).startswith("there is nothing to draw")


def test_a_figure(store):
    result = call("plan", "n=20", "k=3", "--m", 60, "--store", store, "--figure", "drawn/front.png")
    assert (result.exit_code, result.stderr) == (0, "")
    for kind in ("png", "html"):
        assert f"figure drawn/front.{kind}" in result.stdout
        assert (store.parent / "drawn" / f"front.{kind}").stat().st_size


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["k=3", "nn=20"], "unknown column 'nn'; did you mean 'n'?"),
        (["n", "k=3"], "give columns and their values, as n=50, not 'n'"),
        ([], "runs of any task in store store differ in n (10, 20): say which, as n=10"),
        (["n=20", "k=3", "--m", "few"], "invalid value for '--m'"),
        (["n=20", "k=3", "--m", "0"], "m must be at least 1, not 0"),
        (["n=20", "k=3", "--m", "10"], "store store has no cell for n = 20, k = 3 with 10 examples; "),
        (
            ["n=0", "k=3"],
            "store store has no trained run of n = 0, k = 3; nearest are (n = 10, k = 2), (n = 20, k = 3)",
        ),
        (
            ["n=20", "k=4"],
            "store store has no trained run of n = 20, k = 4; nearest are (n = 20, k = 3), (n = 10, k = 2)",
        ),
        (["n=20", "k=3", "--budget", "-1"], "budget must be a positive number of FLOPs, not -1"),
        (["n=20", "k=3", "--budget", "nan"], "budget must be a positive number of FLOPs, not nan"),
        (["n=20", "k=3", "--store", "other"], "there is no store at other; 'glassware reproduce' and"),
        (["n=20", "k=3", "--figure", "x.pdf"], "a figure is PNG and HTML: name it .png or .html, not x.pdf"),
    ],
)
def test_what_is_refused(store, words, said):
    before = snapshot(store.parent)
    given = words if "--store" in words else [*words, "--store", "store"]
    assert sentence(call("plan", *given)).startswith(said)
    assert snapshot(store.parent) == before
