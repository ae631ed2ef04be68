import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.foundation import statistics
from glassware.studies.hidden_progress.disjoint_flow import STUDY, descent, positive_starts
from tests.studies.made import check

BLOCKS = (10, 30, 100, 300, 1000)


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 100)


def rest(block, k, power=None):
    """The part of the time that is not plateau: C n'^(1 - k/2), falling with k as well."""
    return 2.0 * 3.0**-k * block ** (1 - k / 2 if power is None else power)


def made(lift=0.0, power=None, bound=0.0, constant=1.0, spread=0.01):
    """Shares as the theorems have them, seven in each cell; ``lift`` is added to the rest of the descents."""
    rows = []
    for k in (3, 4, 5):
        for block in BLOCKS:
            late = constant if block >= 300 else 1.0
            flow = {"part": "gaussian", "block": block, "k": k}
            rows += [{**flow, "share": 1 - late * rest(block, k) * (1 + spread * d)} for d in range(-3, 4)]
            down = {"part": "descent", "block": block, "k": k, "flow_share": 1 - rest(block, k)}
            rows += [{**down, "share": 1 - rest(block, k) * (1 + spread * d) - lift} for d in range(-3, 4)]
        for block in (81, 161, 321):
            share = 1 - rest(block, k, power)
            rows.append({"part": "ones", "block": block, "k": k, "share": share, "bound": bound})
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("claim", "frame", "verdict"),
    [
        ("plateau-k3", made(), "holds"),
        ("plateau-k3", made(lift=0.6), "fails"),
        ("plateau-k4", made(lift=0.1), "holds"),
        ("plateau-k4", made(lift=0.3), "fails"),
        ("plateau-k5", made(), "holds"),
        ("plateau-k5", made(lift=0.06), "fails"),
        ("plateau-k3-large", made(), "holds"),
        ("plateau-k3-large", made(lift=0.35), "fails"),
        ("plateau-grows", made(), "holds"),
        ("exponent-k3", made(), "holds"),
        ("exponent-k3", made(power=-0.7), "fails"),
        ("exponent-k4", made(power=-0.9), "holds"),
        ("exponent-k4", made(power=-1.2), "fails"),
        ("exponent-k4", made(power=0.0), "fails"),
        ("exponent-k5", made(power=-1.3), "fails"),
        ("bound", made(bound=0.5), "holds"),
        ("bound", made(bound=0.9999), "fails"),
        ("gaussian-grows", made(), "holds"),
        ("gaussian-constant", made(constant=0.9), "holds"),
        ("gaussian-constant", made(constant=1.0, spread=0.05), "too close to call"),
        ("gaussian-constant", made(constant=1.3), "fails"),
    ],
)
def test_claims(claim, frame, verdict):
    assert check(STUDY, claim, frame).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "k", "block", "least"),
    [
        ("plateau-k3", 3, 30, 0.5),
        ("plateau-k4", 4, 30, 0.8),
        ("plateau-k5", 5, 30, 0.95),
        ("plateau-k3-large", 3, 100, 0.7),
    ],
)
def test_a_median_whose_interval_contains_the_threshold_decides_nothing(claim, k, block, least):
    shares = [least + 0.01 * d for d in range(-3, 4)]
    assert check(STUDY, claim, changed("descent", k, block, *shares)).verdict == "too close to call"


def changed(part, k, block, *shares):
    """The made table with other shares in one cell."""
    table = made(spread=0.001)
    this = (pl.col("part") == part) & (pl.col("k") == k) & (pl.col("block") == block)
    cell = table.filter(this)[:1]
    return pl.concat([table.filter(~this), *(cell.with_columns(share=pl.lit(share)) for share in shares)])


@pytest.mark.parametrize(("claim", "part"), [("plateau-grows", "descent"), ("gaussian-grows", "gaussian")])
@pytest.mark.parametrize(("place", "before"), [((3, 1000), (3, 300)), ((5, 10), (4, 10))])
def test_medians_must_rise_from_each_block_and_each_k_to_the_next(claim, part, place, before):
    smaller = 1 - rest(before[1], before[0])
    assert check(STUDY, claim, changed(part, *place, *[smaller - 0.02] * 7)).verdict == "fails"
    unsure = [smaller + 0.01 * d for d in range(-3, 4)]
    assert check(STUDY, claim, changed(part, *place, *unsure)).verdict == "too close to call"
    assert check(STUDY, claim, made().filter(pl.col("k") < 5)).verdict == "not enough runs"


def test_shares_that_are_all_the_same_do_not_grow():
    frame = made().with_columns(share=pl.lit(0.97))
    assert check(STUDY, "plateau-grows", frame).verdict == "fails"
    assert check(STUDY, "gaussian-grows", frame).verdict == "fails"
    assert check(STUDY, "exponent-k3", frame).verdict == "fails"


def test_a_fall_to_the_next_block_is_not_made_good_by_the_one_after():
    shares = {(3, 10): 0.2, (3, 30): 0.1, (3, 100): 0.3, (4, 20): 0.5, (5, 40): 0.6}
    rows = [{"part": "descent", "k": k, "block": block, "share": share} for (k, block), share in shares.items()]
    finding = check(STUDY, "plateau-grows", pl.DataFrame(5 * rows))
    assert finding.verdict == "fails"
    assert finding.measured.value == pytest.approx(-0.1)
    assert finding.detail == "smallest of 2: k = 3, n' = 10 to k = 3, n' = 30"


def test_the_flow_beside_the_descent():
    assert check(STUDY, "plateau-k3", made()).detail == f"7 starts; gradient flow {1 - rest(30, 3):.0%}"


def test_missing_parts_are_not_enough():
    frame = made().filter(pl.col("part") == "nothing")
    assert {check(STUDY, claim.id, frame).verdict for claim in STUDY.claims} == {"not enough runs"}
    two = made().filter((pl.col("part") != "ones") | (pl.col("block") > 81))
    assert check(STUDY, "exponent-k3", two).verdict == "not enough runs"
    for some in (pl.col("block") < 300, pl.col("block") >= 300):
        assert check(STUDY, "gaussian-constant", made().filter(some | (pl.col("k") != 4))).verdict == "not enough runs"


def test_starts_have_a_positive_product():
    v, u = positive_starts(np.random.default_rng(0), 200, 3, 6)
    assert (v.prod(axis=1) > 0).all()
    assert u.shape == (200, 3, 5)
    assert abs(np.mean(v[:, 0] > 0) - 0.5) < 0.15


def test_small_steps_follow_the_flow():
    found = descent(30, 3, 8)
    assert found["share"].to_list() == pytest.approx(found["flow_share"].to_list(), abs=0.01)
    assert all(curve[0] > 0.4 and curve[-1] <= 1e-3 for curve in found["curve_error"])


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert set(report.frame["part"]) == {"descent", "ones", "gaussian"}
    assert {j.claim: j.verdict for j in report.judgements}["bound"] == "holds"
    assert len(report.figures) == 4
