"""Lottery tickets: the five neurons that matter, rewound and trained alone (Figure 5, Appendix C.2).

A 2-sparse network of width 100 learns an online parity. Of the networks that learn it, keep the five neurons with the
longest incoming weights at the end, set them back to the values they had before training, and train these five alone
with other minibatches. If width is a search over neurons, the five are the winning tickets: they should learn again,
quickly, where five freshly drawn neurons mostly do not.

Stages: the full networks; then, for each that learned, its rewound five and two controls, all on the parent's parity.
    rewound      the five neurons and the output bias exactly as the parent had them at first, other minibatches.
    re-drawn     a new 2-sparse network of width 5 for each run.
    sub-network  five neurons of a new width-100 draw: as re-drawn, but with the parent's smaller second layer, so that
                 the scale of that layer cannot be what makes the difference.

Grids
    paper   n = 50, k = 5, 10 full networks trained for T = 60,000 steps; for each 25 rewound, 100 re-drawn and 100
            sub-network runs of at most 60,000 steps.
    laptop  n = 30, k = 4, 9 full networks stopped when they reach 10% test error; for each 12 rewound, 24 re-drawn and
            24 sub-network runs of at most T = 15,000 steps.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Weight decay: none (with 0.01 the five weights of a small network are held down and the contrast shrinks). Steps and
    number of runs: as above. Length of training of the full network: "the end" is T at paper scale; the laptop stops
    at success. Weight norm: the Euclidean norm of a neuron's incoming weights, without its bias or outgoing weight.
    The paper shows one full network; success of the ticket varies from one to the next, so we train several and pool.
    A full network that does not learn has no ticket and is left out (its number is reported).
    Who the tickets are: not measured by the paper; we add the share of their weight that lies on the hidden set S.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from glassware import charts
from glassware.foundation.statistics import NEVER, Estimate, bootstrap, difference, fisher_exact, mean, median, wilson
from glassware.models import MLP, Init
from glassware.studies.cells import counts, times, where
from glassware.studies.claim import Claim, Scale
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

GROUPS = ("rewound", "re-drawn", "sub-network")
KEPT = 5  # neurons of a ticket
FULL = "full network"  # the pairing by which a ticket finds its parent's first weights
BLOCK = 10_000  # child seeds of full network p lie in [BLOCK (p + 1), BLOCK (p + 2)), a thousand and more to a group


@dataclass(frozen=True)
class Setting:
    """One scale: the task, the width of the full networks, and how many runs of each kind."""

    n: int
    k: int
    width: int
    nets: int
    children: tuple[int, int, int]  # runs of each group
    steps: int
    evaluation: Evaluation
    stop_full: bool


SETTINGS: dict[Scale, Setting] = {
    "smoke": Setting(12, 2, 30, 2, (2, 2, 2), 1000, Evaluation(test=500), True),
    "laptop": Setting(30, 4, 100, 9, (12, 24, 24), 15_000, Evaluation(every=250, test=2000), True),
    "paper": Setting(50, 5, 100, 10, (25, 100, 100), 60_000, Evaluation(every=250), False),
}


def full_networks(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """The wide networks; ``seeds`` is how many."""
    setting = SETTINGS[scale]
    return [
        Run(
            task=Parity(n=setting.n, k=setting.k),
            model=MLP(width=setting.width),
            init=Init(scheme="sparse", s=2),
            optimiser=SGD(lr=0.1),
            steps=setting.steps,
            evaluation=setting.evaluation.model_copy(update={"stop": setting.stop_full}),
            probes=("neuron_norms", "support_share"),
            seed=seed,
            pairing=FULL,
        )
        for seed in range(seeds or setting.nets)
    ]


def small_networks(scale: Scale, seeds: int | None, full: pl.DataFrame) -> list[Run]:
    """Tickets and controls of every full network that learned."""
    setting = SETTINGS[scale]
    made = []
    for parent in parents(full).iter_rows(named=True):
        ticket = tuple(sorted(largest(parent["neuron_norms"])))
        inits = (
            Init(scheme="sparse", s=2, seed=parent["seed"], pairing=FULL, neurons=ticket, parent_width=setting.width),
            Init(scheme="sparse", s=2),
            Init(scheme="sparse", s=2, neurons=tuple(range(KEPT)), parent_width=setting.width),
        )
        for group, (init, count) in enumerate(zip(inits, setting.children, strict=True)):
            first = BLOCK * (parent["seed"] + 1) + 1000 * group
            made += [
                Run(
                    task=Parity(n=setting.n, k=setting.k, support=tuple(parent["support"])),
                    model=MLP(width=KEPT),
                    init=init,
                    optimiser=SGD(lr=0.1),
                    steps=setting.steps,
                    evaluation=setting.evaluation,
                    seed=first + i,
                )
                for i in range(count)
            ]
    return made


# -- reading the rows -------------------------------------------------------------------------------------------------


def parents(frame: pl.DataFrame) -> pl.DataFrame:
    """Full networks that learned."""
    if "neuron_norms" not in frame.columns:
        return frame.clear()
    return frame.filter(pl.col("neuron_norms").is_not_null() & pl.col("success")).sort("seed")


def children(frame: pl.DataFrame) -> pl.DataFrame:
    """Small networks with two more columns: their ``group`` and the seed of their parent, ``net``."""
    spec = pl.col("spec").str
    rewound, sub = (spec.json_path_match(f"$.init.{field}").is_not_null() for field in ("seed", "parent_width"))
    group = pl.when(rewound).then(pl.lit("rewound")).when(sub).then(pl.lit("sub-network")).otherwise(pl.lit("re-drawn"))
    net = (pl.col("seed") // BLOCK).cast(pl.Int64) - 1
    return frame.with_columns(group=group, net=net).filter(pl.col("net") >= 0)


def largest(norms: list[float]) -> list[int]:
    """The neurons with the longest incoming weights, longest first."""
    return [int(i) for i in np.argsort(-np.array(norms), kind="stable")[:KEPT]]


def shares(frame: pl.DataFrame) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """For every full network that learned: its seed, and the shares on S of its ticket's neurons and of the others."""
    for row in parents(frame).iter_rows(named=True):
        ticket, share = largest(row["neuron_norms"]), np.array(row["support_share"])
        yield int(row["seed"]), share[ticket], np.delete(share, ticket)


# -- claims -----------------------------------------------------------------------------------------------------------


def starts_poor(frame: pl.DataFrame) -> Finding:
    """Smallest test error that a rewound network has before its first step."""
    first = [curve[0] for curve in where(children(frame), group="rewound")["curve_test_error"]]
    if not first:
        return NOT_ENOUGH
    return Finding(Estimate(min(first)), min(first) >= 0.4, "points", f"{len(first)} runs")


def tickets_win(frame: pl.DataFrame) -> Finding:
    """Share of full networks whose rewound five beat re-drawn ones by at least 50 points."""
    gains = _gains(children(frame), "re-drawn")
    if not gains:
        return NOT_ENOUGH
    good = sum(gain >= 0.5 for *_, gain in gains)
    detail = "; ".join(f"{net}: {a[0]}/{a[1]} against {b[0]}/{b[1]}" for net, a, b, _ in gains)
    return Finding(wilson(good, len(gains)), 3 * good >= 2 * len(gains), "points", detail)


def _gains(small: pl.DataFrame, control: str) -> list[tuple[int, tuple[int, int], tuple[int, int], float]]:
    """For every full network: its number, successes and trials of its rewound five and of a control, the gain."""
    gains = []
    for net in small["net"].unique().sort():
        won, lost = (counts(small, net=net, group=group) for group in ("rewound", control))
        if won[1] and lost[1]:
            gains.append((net, won, lost, difference(*won, *lost).value))
    return gains


def tickets_win_pooled(frame: pl.DataFrame) -> Finding:
    """Rewound minus re-drawn success, mean over full networks."""
    return _pooled(frame, "re-drawn")


def not_the_scale(frame: pl.DataFrame) -> Finding:
    """Rewound minus sub-network success, mean over full networks."""
    return _pooled(frame, "sub-network")


def _pooled(frame: pl.DataFrame, control: str) -> Finding:
    small = children(frame)
    gains = [gain for *_, gain in _gains(small, control)]
    if not gains:
        return NOT_ENOUGH
    # Runs of one full network share a ticket and a parity: what was drawn independently are the full networks.
    gain = mean(gains)
    won, lost = counts(small, group="rewound"), counts(small, group=control)
    p = fisher_exact(*won, *lost)
    detail = f"{won[0]}/{won[1]} against {lost[0]}/{lost[1]}, p = {p:.1g}; {len(gains)} full networks"
    return Finding(gain, gain.value >= 0.3 and p < 1e-3, "points", detail)


def most_draws_lose(frame: pl.DataFrame) -> Finding:
    """Success of re-drawn networks."""
    won, trials = counts(children(frame), group="re-drawn")
    share = wilson(won, trials)
    return Finding(share, share.value <= 0.25, "points", f"{won}/{trials}") if trials else NOT_ENOUGH


def tickets_are_quick(frame: pl.DataFrame) -> Finding:
    """Median steps of the re-drawn runs that succeed over those of all rewound runs (a failure counts as never)."""
    nets = children(frame).partition_by("net")
    quick = [times(net, group="rewound") for net in nets]
    slow = [[t for t in times(net, group="re-drawn") if t != NEVER] for net in nets]
    if not any(quick) or not any(slow):
        return NOT_ENOUGH
    middle = lambda cells, chosen: median([t for i in chosen for t in cells[int(i)]])
    # Full networks are drawn again, each with all its runs.
    ratio = bootstrap(lambda chosen: middle(slow, chosen) / middle(quick, chosen), range(len(nets)))
    said = [middle(cells, range(len(nets))) for cells in (slow, quick)]
    return Finding(ratio, ratio.value > 2, "times", f"{said[0]:.0f} against {said[1]:.0f} steps")


def tickets_found_the_support(frame: pl.DataFrame) -> Finding:
    """Mean share on S of the five largest neurons minus that of the others, over full networks."""
    means = [(float(ticket.mean()), float(others.mean())) for _, ticket, others in shares(frame)]
    if not means:
        return NOT_ENOUGH
    gap = mean([ticket - others for ticket, others in means])
    ticket, others = (float(np.mean(column)) for column in zip(*means, strict=True))
    return Finding(gap, gap.value >= 0.3, "points", f"{ticket:.0%} against {others:.0%}, {len(means)} full networks")


CLAIMS = (
    Claim(
        "start",
        "The rewound sub-network starts with poor test error",
        "Appendix C.2; Figure 5, centre",
        "≥ 40% before the first step, every run",
        starts_poor,
    ),
    Claim(
        "tickets",
        "Rewound, the five largest neurons learn where five re-drawn ones do not",
        "Appendix C.2; Figure 5",
        "≥ 50 points more success, in ≥ 2 of 3 full networks",
        tickets_win,
        ("laptop",),
    ),
    Claim(
        "tickets-pooled",
        "Rewound, the five largest neurons learn where five re-drawn ones do not",
        "Appendix C.2; Figure 5",
        "≥ 30 points more success over all full networks, Fisher's p < 0.001",
        tickets_win_pooled,
    ),
    Claim(
        "quick",
        "The rewound sub-network improves quickly",
        "Appendix C.2; Figure 5, centre",
        "median steps below half those of the re-drawn runs that succeed",
        tickets_are_quick,
        ("laptop",),
    ),
    Claim(
        "draws-lose",
        "The large majority of re-drawn five-neuron networks do not learn",
        "Appendix C.2; Figure 5, right",
        "≤ 25% succeed",
        most_draws_lose,
        ("paper",),
    ),
    Claim(
        "not-the-scale",
        "Five random neurons with the parent's output scale do not learn either",
        "our control for Figure 5",
        "rewound ≥ 30 points above, Fisher's p < 0.001",
        not_the_scale,
    ),
    Claim(
        "support",
        "The tickets are the neurons that found the relevant coordinates",
        "Section 4.1, lottery ticket neurons",
        "share of squared weight on S ≥ 30 points above the other neurons'",
        tickets_found_the_support,
    ),
)


# -- figures ----------------------------------------------------------------------------------------------------------


def curve_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Full networks that learned and small ones under one ``group`` column: about ten of each, from all networks."""
    full = parents(frame).with_columns(group=pl.lit("full network"), net=pl.col("seed").cast(pl.Int64))
    each = max(1, 10 // max(1, len(full)))
    table = pl.concat([full, children(frame)], how="diagonal_relaxed")
    return table.group_by("group", "net", maintain_order=True).head(each)


def success_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Success of each group, one row a full network."""
    small = children(frame)
    found = []
    for net in small["net"].unique().sort():
        for group in GROUPS:
            rate = wilson(*counts(small, net=net, group=group))
            if not math.isnan(rate.value):
                found.append({"net": str(net), "group": group, **rate._asdict()})
    return pl.DataFrame(found)


def share_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Share of weight on S of the ticket's neurons and of the others, one row a full network, with its quartiles."""
    found = []
    for seed, ticket, others in shares(frame):
        for name, values in (("five largest", ticket), ("others", others)):
            low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
            found.append({"net": str(seed), "neurons": name, "value": middle, "low": low, "high": high})
    return pl.DataFrame(found)


STUDY = Study(
    name="pareto/lottery-tickets",
    title="The five neurons that matter, rewound and trained alone",
    about=__doc__ or "",
    stages=(full_networks, small_networks),
    claims=CLAIMS,
    figures={
        "curves": lambda frame: charts.training_curves(
            curve_rows(frame),
            by=["group"],
            title="A full network, its ticket rewound, and new networks of the ticket's size",
        ),
        "success": lambda frame: charts.dots(
            success_table(frame),
            x="net",
            y="value",
            low="low",
            high="high",
            colour="group",
            title="Success of five-neuron networks",
            subtitle="rewound to the full network's first weights, or newly drawn",
            x_title="full network (seed)",
            y_title="share of runs that learn",
        ),
        "support": lambda frame: charts.dots(
            share_table(frame),
            x="net",
            y="value",
            low="low",
            high="high",
            colour="neurons",
            title="How much of a neuron's weight lies on the relevant coordinates",
            subtitle="share of its squared incoming weights on S: median and quartiles over neurons",
            x_title="full network (seed)",
            y_title="share on S",
        ),
    },
)
