import jax
import numpy as np
import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.pareto.lottery_tickets import SETTINGS, STUDY, full_networks, small_networks
from glassware.studies.pareto.tickets import (
    BLOCK,
    GROUPS,
    SHOWN,
    children,
    curve_rows,
    parents,
    share_table,
    success_table,
)
from glassware.training import Loop
from tests.studies.made import check, pretend

NETS = 3


def group_of(run):
    """What the child's specification makes it."""
    return "rewound" if run.init.seed is not None else "sub-network" if run.init.neurons is not None else "re-drawn"


def make(won=None, failed=(), nets=NETS):
    """A study's rows: of each full network and group, the first so many runs succeed (of 12, 24 and 24)."""
    won = {"rewound": 11, "re-drawn": 4, "sub-network": 3, **(won or {})}
    full = pretend(full_networks("laptop", nets, pl.DataFrame()), lambda run: run.seed not in failed)
    small = pretend(small_networks("laptop", nets, full), lambda run: run.seed % 1000 < won[group_of(run)])
    return pl.concat([full, small], how="diagonal_relaxed")


def test_children_take_after_their_parent():
    full = make().filter(pl.col("width") == 100)
    runs = small_networks("laptop", NETS, full)
    assert len(runs) == NETS * sum(SETTINGS["laptop"].children)
    assert len({run.seed for run in runs}) == len(runs)
    for run in runs:
        parent = full.filter(pl.col("seed") == run.seed // BLOCK - 1).row(0, named=True)
        assert list(run.task.support) == parent["support"]
        if group_of(run) == "rewound":
            assert run.init.seed == parent["seed"]
            assert run.init.neurons == (95, 96, 97, 98, 99)  # norms rise with the index in made rows
            assert run.init.parent_width == 100


def test_a_rewound_child_starts_with_its_parents_weights():
    (full,) = full_networks("smoke", 1, pl.DataFrame())
    child = next(run for run in small_networks("smoke", 1, pretend([full], lambda _: True)) if run.init.seed == 0)
    first, last = jax.jit(Loop(full.shape()).init)(full.values()).params
    ours, output = jax.jit(Loop(child.shape()).init)(child.values()).params
    kept = np.array(child.init.neurons)
    np.testing.assert_array_equal(ours["w"], first["w"][:, kept])
    np.testing.assert_array_equal(ours["b"], first["b"][kept])
    np.testing.assert_array_equal(output["w"], last["w"][kept])
    np.testing.assert_array_equal(output["b"], last["b"])
    assert child.values()["keys"]["order"].tolist() != full.values()["keys"]["order"].tolist()


def test_a_network_that_did_not_learn_has_no_ticket():
    frame = make(failed=(1,))
    assert parents(frame)["seed"].to_list() == [0, 2]
    assert sorted(set(children(frame)["net"])) == [0, 2]
    assert len(small_networks("laptop", NETS, make(failed=(0, 1, 2)))) == 0
    assert small_networks("laptop", NETS, pl.DataFrame()) == []


def test_rows_fall_into_their_groups():
    found = children(make()).group_by("group").len()
    assert dict(found.iter_rows()) == {g: NETS * c for g, c in zip(GROUPS, SETTINGS["laptop"].children, strict=True)}


def losing(made, *nets):
    """The same rows, but the tickets of these full networks never learn."""
    found = children(made)
    lost = found.filter((pl.col("group") == "rewound") & pl.col("net").is_in(nets))["id"].to_list()
    this = pl.col("id").is_in(lost)
    return made.with_columns(
        success=pl.col("success") & ~this,
        steps_to_success=pl.when(this).then(None).otherwise("steps_to_success"),
    )


MANY = make(nets=12)


@pytest.mark.parametrize(
    ("claim", "made", "said"),
    [
        ("tickets", MANY, "holds"),
        ("tickets", losing(MANY, 0, 1, 2), "too close to call"),  # 9 of 12
        ("tickets", losing(MANY, *range(8)), "fails"),
        ("tickets", make({"re-drawn": 12}, nets=12), "fails"),  # 42 points everywhere
        ("tickets-pooled", MANY, "holds"),
        ("tickets-pooled", losing(MANY, *range(4)), "too close to call"),
        ("tickets-pooled", losing(MANY, *range(10)), "fails"),
        ("not-the-scale", MANY, "holds"),
        ("not-the-scale", make({"sub-network": 16}, nets=12), "fails"),
        ("draws-lose", MANY, "holds"),
        ("draws-lose", make({"re-drawn": 8}, nets=12), "fails"),
        ("draws-lose", make({"rewound": 0, "re-drawn": 0}, nets=12), "fails"),  # none learns
        ("support", MANY, "holds"),  # made shares rise with the norms
    ],
)
def test_claims(claim, made, said):
    assert check(STUDY, claim, made).verdict == said


@pytest.mark.parametrize("claim", STUDY.claims, ids=lambda claim: claim.id)
def test_neither_networks_that_never_learn_nor_coins_nor_a_constant_pass(claim):
    equal = pl.when(pl.col("support_share").is_not_null()).then(pl.lit([0.1] * 100))
    never, always, coin = (dict(zip(GROUPS, won, strict=True)) for won in ((0, 0, 0), (12, 24, 24), (6, 12, 12)))
    for won in (never, always, coin):
        made = make(won, nets=12).with_columns(support_share=equal)
        assert check(STUDY, claim.id, made).verdict != "holds"


def test_full_networks_are_what_is_drawn_independently():
    """Where they differ the interval is wide, however many runs each has; one alone says nothing."""
    found = check(STUDY, "tickets-pooled", losing(make(), 0)).measured
    assert found.low < 0 < 1 < found.high
    assert check(STUDY, "tickets-pooled", make(nets=1)).verdict == "not enough runs"


def test_those_that_did_not_learn_are_reported():
    assert check(STUDY, "tickets-pooled", make(failed=(1,))).detail.endswith("2 full networks learned of 3")


@pytest.mark.parametrize(("steps", "said"), [(500, "holds"), (200, "fails")])
def test_quick_compares_medians_with_failures_as_never(steps, said, monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    drawn = children(MANY).filter(pl.col("group") == "re-drawn")["id"].to_list()
    slower = pl.when(pl.col("id").is_in(drawn) & pl.col("success")).then(steps).otherwise(pl.col("steps_to_success"))
    made = MANY.with_columns(steps_to_success=slower)  # rewound ones take 100 steps
    assert check(STUDY, "quick", made).verdict == said
    if said == "holds":
        assert check(STUDY, "quick", losing(made, *range(5))).verdict == "too close to call"
        assert check(STUDY, "quick", losing(made, *range(12))).verdict == "fails"
    assert check(STUDY, "quick", make({"re-drawn": 0})).verdict == "not enough runs"


@pytest.mark.parametrize(("others", "said"), [(0.15, "holds"), (0.25, "fails")])
def test_the_share_on_the_support_of_ticket_and_others(others, said):
    share = pl.lit([others] * 95 + [0.5] * 5)  # the five largest come last
    made = MANY.with_columns(support_share=pl.when(pl.col("support_share").is_not_null()).then(share))
    finding = check(STUDY, "support", made)
    assert finding.verdict == said
    assert finding.measured.value == pytest.approx(0.5 - others)


def test_only_full_networks_are_not_enough_for_the_rest():
    full = make().filter(pl.col("width") == 100)
    waiting = {claim.id for claim in STUDY.claims if check(STUDY, claim.id, full).verdict == "not enough runs"}
    assert waiting == {claim.id for claim in STUDY.claims} - {"support"}


def test_the_papers_scale_has_the_papers_task():
    (run, *_) = runs = full_networks("paper", None, pl.DataFrame())
    assert (run.task.n, run.task.k, run.model.width, run.init.s, run.batch, run.optimiser.lr) == (
        50,
        5,
        100,
        2,
        32,
        0.1,
    )
    assert len(runs) == 30
    assert all("paper" in claim.scales for claim in STUDY.claims)


def test_tables_of_the_figures():
    made = make()
    assert set(success_table(made)["group"]) == set(GROUPS)
    assert len(share_table(made)) == 2 * NETS
    assert sorted(curve_rows(made).group_by("group").len()["len"]) == [NETS, 9, 9, 9]
    many = make(nets=SHOWN + 2)
    assert success_table(many)["net"].n_unique() == share_table(many)["net"].n_unique() == SHOWN
    assert set(curve_rows(many).group_by("group").len()["len"]) == {10}
