import jax
import numpy as np
import polars as pl
import pytest

from glassware.studies.pareto.lottery_tickets import (
    BLOCK,
    GROUPS,
    SETTINGS,
    STUDY,
    children,
    curve_rows,
    full_networks,
    parents,
    share_table,
    small_networks,
    success_table,
)
from glassware.training import Loop
from tests.studies.made import check, pretend

NETS = 3


def group_of(run):
    """What the child's specification makes it."""
    return "rewound" if run.init.seed is not None else "sub-network" if run.init.neurons is not None else "re-drawn"


def make(scale="laptop", won=None, failed=()):
    """A study's rows: of each full network and group, the first so many runs succeed."""
    won = {"rewound": 11, "re-drawn": 4, "sub-network": 3, **(won or {})}
    full = pretend(full_networks(scale, NETS, pl.DataFrame()), lambda run: run.seed not in failed)
    small = pretend(small_networks(scale, NETS, full), lambda run: run.seed % 1000 < won[group_of(run)])
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


@pytest.mark.parametrize(
    ("claim", "made", "holds"),
    [
        ("start", make(), True),
        ("tickets", make(), True),
        ("tickets", make(won={"re-drawn": 12}), False),
        ("tickets-pooled", make(), True),
        ("tickets-pooled", make(won={"re-drawn": 14}), True),  # 92% against 58%
        ("tickets-pooled", make(won={"re-drawn": 16}), False),  # against 67%
        ("draws-lose", make(), True),
        ("draws-lose", make(won={"re-drawn": 7}), False),
        ("not-the-scale", make(), True),
        ("not-the-scale", make(won={"sub-network": 14}), True),
        ("not-the-scale", make(won={"sub-network": 16}), False),
    ],
)
def test_claims(claim, made, holds):
    assert check(STUDY, claim, made).holds is holds


def test_gains_count_network_by_network():
    made = make()
    losing = children(made).filter((pl.col("net") == 0) & (pl.col("group") == "rewound"))["id"]
    made = made.with_columns(success=pl.col("success") & ~pl.col("id").is_in(losing.to_list()))
    assert check(STUDY, "tickets", made).holds is True  # two of three
    losing = children(made).filter((pl.col("net") <= 1) & (pl.col("group") == "rewound"))["id"]
    made = made.with_columns(success=pl.col("success") & ~pl.col("id").is_in(losing.to_list()))
    assert check(STUDY, "tickets", made).holds is False


@pytest.mark.parametrize(("steps", "holds"), [(201, True), (200, False)])
def test_quick_compares_medians_with_failures_as_never(steps, holds):
    made = make()
    drawn = children(made).filter(pl.col("group") == "re-drawn")["id"].to_list()
    slower = pl.when(pl.col("id").is_in(drawn) & pl.col("success")).then(steps).otherwise(pl.col("steps_to_success"))
    assert check(STUDY, "quick", made.with_columns(steps_to_success=slower)).holds is holds
    assert check(STUDY, "quick", make(won={"rewound": 3, "re-drawn": 24})).holds is False


def test_a_ticket_that_starts_well_is_no_ticket():
    made = make().with_columns(curve_test_error=pl.lit([0.3, 0.05], pl.List(pl.Float32)))
    assert check(STUDY, "start", made).holds is False


def test_support_share_of_ticket_and_others():
    made = make()
    assert check(STUDY, "support", made).holds is True  # made shares rise with the norms
    for others, holds in ((0.18, True), (0.25, False)):
        share = pl.lit([others] * 95 + [0.5] * 5)  # the five largest come last
        near = made.with_columns(support_share=pl.when(pl.col("support_share").is_not_null()).then(share))
        assert check(STUDY, "support", near).holds is holds


def test_only_full_networks_are_not_enough_for_the_rest():
    full = make().filter(pl.col("width") == 100)
    for claim in STUDY.claims:
        assert (check(STUDY, claim.id, full).holds is None) == (claim.id != "support")


def test_tables_of_the_figures():
    made = make()
    assert set(success_table(made)["group"]) == set(GROUPS)
    assert len(share_table(made)) == 2 * NETS
    assert sorted(curve_rows(made).group_by("group").len()["len"]) == [NETS, 9, 9, 9]


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def turned(made, group, net, won):
    """Of this group of this full network the first so many runs succeed."""
    found = children(made)
    ids = found.filter((pl.col("group") == group) & (pl.col("net") == net)).sort("seed")["id"].to_list()
    this, good = pl.col("id").is_in(ids), pl.col("id").is_in(ids[:won])
    return made.with_columns(
        success=pl.when(this).then(good).otherwise("success"),
        steps_to_success=pl.when(this & ~good).then(None).otherwise("steps_to_success"),
    )


@pytest.mark.parametrize(
    ("rewound", "redrawn", "held"), [(12, 12, True), (12, 13, False), (11, 10, True), (11, 11, False)]
)
def test_a_ticket_wins_by_fifty_points(rewound, redrawn, held):
    made = make(won={"rewound": rewound, "re-drawn": redrawn})
    assert check(STUDY, "tickets", made).holds is held
    assert check(STUDY, "tickets", made).measured.value == float(held)


def test_one_of_two_tickets_is_less_than_two_of_three():
    made = turned(make(), "rewound", 0, 0).filter(pl.col("seed") // BLOCK < 3)
    assert check(STUDY, "tickets", made).measured.value == 0.5
    assert check(STUDY, "tickets", made).holds is False


def without(made, group, *nets):
    """The rows but those of a group of these full networks."""
    lost = children(made).filter((pl.col("group") == group) & pl.col("net").is_in(nets))["id"].to_list()
    return made.filter(~pl.col("id").is_in(lost))


@pytest.mark.parametrize("group", ["rewound", "re-drawn"])
def test_a_full_network_without_its_control_has_no_gain(group):
    one = without(make(won={"rewound": 12, "re-drawn": 6}), group, 0)
    assert check(STUDY, "tickets", one).detail.startswith("1: 12/12 against 6/24; 2: ")
    assert check(STUDY, "tickets-pooled", one).measured.value == pytest.approx(0.75)
    every = without(one, group, 1, 2)
    assert all(check(STUDY, claim, every).holds is None for claim in ("tickets", "tickets-pooled", "quick"))


def test_a_full_network_whose_draws_all_lose_says_nothing_of_their_speed():
    made = turned(make(), "re-drawn", 0, 0)
    finding = check(STUDY, "quick", made)
    assert finding.measured.value == 1.0
    none = turned(turned(made, "re-drawn", 1, 0), "re-drawn", 2, 0)
    assert check(STUDY, "quick", none).holds is None


@pytest.mark.parametrize(("claim", "group"), [("tickets-pooled", "re-drawn"), ("not-the-scale", "sub-network")])
def test_the_mean_gain_over_full_networks(claim, group):
    base = make(won={"rewound": 12, group: 17})
    finding = check(STUDY, claim, base)
    assert finding.measured == pytest.approx((7 / 24,) * 3)  # all networks alike
    assert finding.holds is False
    held = turned(base, group, 0, 16)  # 7/24 twice and 8/24
    assert check(STUDY, claim, held).measured.value == pytest.approx(22 / 72)
    assert check(STUDY, claim, held).holds
    # What was drawn independently are the full networks: where they differ the interval is wide, however many runs.
    apart = turned(turned(make(won={"rewound": 12, group: 12}), group, 0, 0), group, 1, 24)
    found = check(STUDY, claim, apart).measured
    assert found.value == pytest.approx(0.5)
    assert found.low < 0 < 1 < found.high


def test_chance_must_be_excluded():
    few = make(won={"rewound": 8, "re-drawn": 4})
    small = children(few)
    kept = small.filter((pl.col("net") == 0) & (pl.col("seed") % 1000 < 12))["id"].to_list()
    one = few.filter(pl.col("id").is_in(kept))
    assert check(STUDY, "tickets-pooled", one).measured.value == pytest.approx(1 / 3)
    assert check(STUDY, "tickets-pooled", one).holds is False


@pytest.mark.parametrize(("won", "held"), [(6, True), (7, False)])
def test_at_most_a_quarter_of_the_draws(won, held):
    finding = check(STUDY, "draws-lose", make(won={"re-drawn": won}))
    assert finding.holds is held
    assert finding.measured.value == won / 24


@pytest.mark.parametrize(("first", "held"), [(0.4, True), (0.399, False)])
def test_one_rewound_network_that_starts_well_is_enough(first, held):
    made = make()
    one = children(made).filter(pl.col("group") == "rewound")["id"][0]
    curve = pl.when(pl.col("id") == one).then(pl.lit([first, 0.05], pl.List(pl.Float64)))
    finding = check(STUDY, "start", made.with_columns(curve_test_error=curve.otherwise(pl.lit([0.5, 0.05]))))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(first)


@pytest.mark.parametrize(("others", "held"), [(0.199, True), (0.201, False)])
def test_the_mean_share_on_the_support(others, held):
    made = make()
    high, low = ([other] * 95 + [0.5] * 5 for other in (others - 0.1, others + 0.1))
    share = pl.when(pl.col("seed") == 0).then(pl.lit(high)).when(pl.col("seed") == 1).then(pl.lit(low))
    share = share.otherwise(pl.lit([others] * 95 + [0.5] * 5))
    finding = check(
        STUDY, "support", made.with_columns(support_share=pl.when(pl.col("support_share").is_not_null()).then(share))
    )
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(0.5 - others)
