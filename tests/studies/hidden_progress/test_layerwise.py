import polars as pl
import pytest

import glassware as gw
from glassware.studies.hidden_progress.layerwise import GRADIENT, STUDY, compute
from tests.studies.made import cell, check, table


def trained(three=40, four=40, late=0, trials=40):
    """Seeds of each network. ``late`` of those of L = 4 take more than 20,000 steps."""
    return table(
        cell(three, trials, steps=5000, n=10, k=4, depth=2) | Steps(20_000),
        cell(four - late, trials - late, steps=5000, n=10, k=4, depth=3) | Steps(50_000),
        cell(late, late, steps=30_000, n=10, k=4, depth=3) | Steps(50_000),
        cell(0, trials, n=10, k=5, depth=2) | Steps(20_000),  # too shallow: does not count
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
    ("claim", "frame", "verdict"),
    [
        ("end-to-end", trained(three=38), "holds"),
        ("end-to-end", trained(three=30), "too close to call"),
        ("end-to-end", trained(three=20), "fails"),
        ("end-to-end", trained(late=2), "holds"),
        ("end-to-end", trained(late=20), "fails"),
        ("end-to-end", trained(three=0, four=0), "fails"),
        ("end-to-end-full", trained(three=39, late=20), "holds"),
        ("end-to-end-full", trained(four=34), "too close to call"),
        ("end-to-end-full", trained(four=20), "fails"),
        ("every-seed", trained(late=20), "holds"),
        ("every-seed", trained(three=39), "fails"),
        ("every-seed", trained(9, 9, trials=9), "not enough runs"),
        ("every-seed", gradient(), "not enough runs"),
        ("layer-wise", gradient(), "holds"),
        ("layer-wise", gradient(three=1e-10), "fails"),
        ("layer-wise", gradient(two=1e-10), "fails"),  # zero everywhere would say nothing about k >= 3
        ("layer-wise", trained(), "not enough runs"),
    ],
)
def test_claims(claim, frame, verdict):
    assert check(STUDY, claim, frame).verdict == verdict


@pytest.mark.parametrize(("claim", "within"), [("end-to-end", 20_000), ("end-to-end-full", 50_000)])
def test_a_success_must_come_in_time(claim, within):
    for steps, verdict in ((within, "holds"), (within + 1, "fails")):
        made = table(cell(40, 40, steps=steps, n=10, k=4, depth=3) | Steps(50_000))
        assert check(STUDY, claim, made).verdict == verdict


def test_networks_of_two_depths_on_one_task_are_two_cells():
    made = table(*(cell(won, 40, n=10, k=4, depth=depth) | Steps(20_000) for depth, won in ((2, 40), (3, 16))))
    for claim in ("end-to-end", "end-to-end-full", "every-seed"):
        finding = check(STUDY, claim, made)
        assert finding.verdict == "fails"
        assert finding.measured.value == 0.4


def test_trained_and_computed_rows_of_one_table():
    made = pl.concat([trained(), gradient()], how="diagonal_relaxed")
    assert {check(STUDY, claim.id, made).verdict for claim in STUDY.claims} == {"holds"}


def test_the_gradient_vanishes_from_three_on():
    found = compute("smoke", 3)
    assert found.filter(pl.col("k") >= 3)["gradient"].max() < 1e-14
    assert found.filter(pl.col("k") == 2)["gradient"].min() > 0.01
    assert found["off"].max() < 1e-14


def test_grids():
    laptop, paper = STUDY.runs("laptop"), STUDY.runs("paper")
    assert len(laptop) == 200
    assert len(paper) == 40 * (12 + 18 + 4 + 4)
    assert min(run.seed for run in laptop) == 100
    assert all(run.model.output_bias and run.model.degree == 2 for run in paper)


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 3 + 24
    assert {j.claim: j.verdict for j in report.judgements}["layer-wise"] == "holds"
    assert len(report.figures) == 4
