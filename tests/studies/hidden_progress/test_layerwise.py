import polars as pl
import pytest

import glassware as gw
from glassware.studies.hidden_progress.layerwise import GRADIENT, STUDY, compute
from tests.studies.made import cell, check, table


def trained(three=10, four=10, shallow=0, late=0):
    """Ten seeds a network. ``late`` of those of L = 4 take more than 20,000 steps."""
    return table(
        cell(three, 10, steps=5000, n=10, k=4, depth=2) | Steps(20_000),
        cell(four - late, 10 - late, steps=5000, n=10, k=4, depth=3) | Steps(50_000),
        cell(late, late, steps=30_000, n=10, k=4, depth=3) | Steps(50_000),
        cell(shallow, 10, n=10, k=3, depth=1) | Steps(20_000),
        cell(0, 10, n=10, k=5, depth=2) | Steps(20_000),
    )


class Steps:
    """Most steps of a cell's runs."""

    def __init__(self, steps):
        self.steps = steps

    def __ror__(self, rows):
        return [{**row, "steps": self.steps} for row in rows]


def gradient(three=0.0, two=1.0):
    rows = [{"part": GRADIENT, "n": 10, "k": k, "gradient": g, "off": 0.0} for k, g in ((2, two), (3, three), (4, 0.0))]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("end-to-end", trained(three=7), True),
        ("end-to-end", trained(three=6), False),
        ("end-to-end", trained(late=3), True),
        ("end-to-end", trained(late=4), False),
        ("end-to-end-full", trained(three=8, late=4), True),
        ("end-to-end-full", trained(four=7), False),
        ("every-seed", trained(late=4), True),
        ("every-seed", trained(three=9), False),
        ("too-shallow", trained(), True),
        ("too-shallow", trained(shallow=1), False),
        ("layer-wise", gradient(), True),
        ("layer-wise", gradient(three=1e-10), False),
        ("layer-wise", gradient(two=1e-10), False),
        ("layer-wise", trained(), None),
        ("too-shallow", gradient(), None),
        ("every-seed", gradient(), None),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


@pytest.mark.parametrize(
    ("claim", "won", "held"),
    [("end-to-end", 70, True), ("end-to-end", 69, False), ("end-to-end-full", 80, True), ("end-to-end-full", 79, False),
     ("every-seed", 100, True), ("every-seed", 99, False)],
)  # fmt: skip
def test_the_share_of_seeds_that_is_needed(claim, won, held):
    made = table(
        cell(100, 100, steps=20_000, n=10, k=3, depth=2) | Steps(20_000),
        cell(won, 100, steps=20_000, n=10, k=4, depth=2) | Steps(20_000),
    )
    finding = check(STUDY, claim, made)
    assert finding.holds is held
    assert finding.measured.value == won / 100


@pytest.mark.parametrize(("claim", "within"), [("end-to-end", 20_000), ("end-to-end-full", 50_000)])
def test_a_success_must_come_in_time(claim, within):
    for steps, held in ((within, True), (within + 1, False)):
        assert check(STUDY, claim, table(cell(9, 9, steps=steps, n=10, k=4, depth=3) | Steps(50_000))).holds is held


@pytest.mark.parametrize(
    ("three", "twos", "held"),
    [
        (0.99e-12, (1.0, 0.0), True),
        (1.01e-12, (1.0, 1.0), False),
        (0.0, (0.101, 0.0), True),
        (0.0, (0.099, 0.0), False),
    ],
)
def test_the_gradient_that_is_zero_and_the_one_that_is_not(three, twos, held):
    made = pl.concat([gradient(three, twos[0]), gradient(0.0, twos[1])])
    assert check(STUDY, "layer-wise", made).holds is held
    assert check(STUDY, "layer-wise", made.filter(pl.col("k") > 2)).holds is None
    assert check(STUDY, "layer-wise", made.filter(pl.col("k") < 3)).holds is None


def test_a_network_whose_degree_is_k_is_not_too_shallow():
    able, unable = cell(9, 9, n=10, k=4, depth=2) | Steps(9000), cell(0, 9, n=10, k=5, depth=2) | Steps(9000)
    assert check(STUDY, "too-shallow", table(able)).holds is None
    assert check(STUDY, "too-shallow", table(able, unable)).holds


def test_networks_of_two_depths_on_one_task_are_two_cells():
    made = table(*(cell(won, 10, n=10, k=4, depth=depth) | Steps(20_000) for depth, won in ((2, 10), (3, 6))))
    for claim in ("end-to-end", "end-to-end-full", "every-seed"):
        finding = check(STUDY, claim, made)
        assert finding.holds is False
        assert finding.measured.value == 0.6


def test_trained_and_computed_rows_of_one_table():
    made = pl.concat([trained(), gradient()], how="diagonal_relaxed")
    assert all(check(STUDY, claim.id, made).holds for claim in STUDY.claims)
    diverged = pl.when((pl.col("k") == 5) & (pl.col("seed") < 3)).then(7)
    assert check(STUDY, "too-shallow", made.with_columns(diverged_step=diverged)).detail.endswith("; 3 diverged")
    able = pl.when((pl.col("k") == 4) & (pl.col("seed") < 3)).then(7)
    assert check(STUDY, "too-shallow", made.with_columns(diverged_step=able)).detail.endswith("; 0 diverged")


def test_the_gradient_vanishes_from_three_on():
    found = compute("smoke", 3)
    assert found.filter(pl.col("k") >= 3)["gradient"].max() < 1e-14
    assert found.filter(pl.col("k") == 2)["gradient"].min() > 0.01
    assert found["off"].max() < 1e-14


def test_grids():
    laptop, paper = STUDY.runs("laptop"), STUDY.runs("paper")
    assert len(laptop) == 50
    assert len(paper) == 10 * (12 + 18 + 4 + 4)
    assert min(run.seed for run in laptop) == 100
    assert all(run.model.output_bias and run.model.degree == 2 for run in paper)


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 3 + 24
    assert {j.claim: j.verdict for j in report.judgements}["layer-wise"] == "holds"
    assert len(report.figures) == 4
