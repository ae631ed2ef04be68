import numpy as np
import polars as pl
import pytest

import glassware as gw
from glassware.foundation import statistics
from glassware.studies.hidden_progress.disjoint_flow import STUDY, descent, positive_starts
from tests.studies.made import check

BLOCKS = (10, 30, 100, 300, 1000)


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """No interval is looked at here."""
    monkeypatch.setattr(statistics, "RESAMPLES", 4)


def rest(block, k, power=None):
    """The part of the time that is not plateau: C n'^(1 - k/2), falling with k as well."""
    return 2.0 * 3.0**-k * block ** (1 - k / 2 if power is None else power)


def made(lift=0.0, power=None, bound=0.0, constant=1.0):
    """Shares as the theorems have them; ``lift`` is added to the rest of the descents."""
    rows = []
    for k in (3, 4, 5):
        for block in BLOCKS:
            late = constant if block >= 300 else 1.0
            flow = {"part": "gaussian", "block": block, "k": k}
            rows += [{**flow, "share": 1 - late * rest(block, k) * (1 + d)} for d in (-0.01, 0.0, 0.01)]
            down = {"part": "descent", "block": block, "k": k, "flow_share": 1 - rest(block, k)}
            rows += [{**down, "share": 1 - rest(block, k) - lift}] * 3
        for block in (81, 161, 321):
            share = 1 - rest(block, k, power)
            rows.append({"part": "ones", "block": block, "k": k, "share": share, "bound": bound})
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("plateau-k3", made(), True),
        ("plateau-k3", made(lift=0.6), False),
        ("plateau-k4", made(lift=0.1), True),
        ("plateau-k4", made(lift=0.3), False),
        ("plateau-k5", made(), True),
        ("plateau-k5", made(lift=0.06), False),
        ("plateau-k3-large", made(), True),
        ("plateau-k3-large", made(lift=0.35), False),
        ("plateau-grows", made(), True),
        ("exponent-k3", made(), True),
        ("exponent-k3", made(power=-0.7), False),
        ("exponent-k4", made(power=-0.9), True),
        ("exponent-k4", made(power=-1.2), False),
        ("exponent-k5", made(power=-1.3), False),
        ("bound", made(bound=0.5), True),
        ("bound", made(bound=0.999), False),
        ("gaussian-grows", made(), True),
        ("gaussian-constant", made(constant=0.95), True),
        ("gaussian-constant", made(constant=1.3), False),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


def test_a_share_that_falls_anywhere_is_found():
    frame = made().with_columns(
        share=pl.when((pl.col("block") == 100) & (pl.col("k") == 4)).then(0.5).otherwise("share")
    )
    assert check(STUDY, "plateau-grows", frame).holds is False
    assert check(STUDY, "gaussian-grows", frame).holds is False


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def changed(part, k, block, *shares, table=None, **columns):
    """The made table with other shares in one cell."""
    table = made() if table is None else table
    this = (pl.col("part") == part) & (pl.col("k") == k) & (pl.col("block") == block)
    cell = table.filter(this)[:1].with_columns(**columns)
    return pl.concat([table.filter(~this), *(cell.with_columns(share=pl.lit(share)) for share in shares)])


@pytest.mark.parametrize(
    ("claim", "k", "block", "least"),
    [
        ("plateau-k3", 3, 30, 0.5),
        ("plateau-k4", 4, 30, 0.8),
        ("plateau-k5", 5, 30, 0.95),
        ("plateau-k3-large", 3, 100, 0.7),
    ],
)
def test_the_median_share_of_the_plateau(claim, k, block, least):
    for middle, held in ((least, True), (least - 0.001, False)):
        finding = check(STUDY, claim, changed("descent", k, block, 0.0, middle, 1.0))
        assert finding.holds is held
        assert finding.measured.value == middle


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize(("off", "held"), [(0.149, True), (-0.149, True), (0.151, False), (-0.151, False)])
def test_exponents_within_fifteen_hundredths(k, off, held):
    assert check(STUDY, f"exponent-k{k}", made(power=1 - k / 2 + off)).holds is held
    two = made().filter((pl.col("part") != "ones") | (pl.col("block") > 81))
    assert check(STUDY, f"exponent-k{k}", two).holds is None


@pytest.mark.parametrize(("claim", "part"), [("plateau-grows", "descent"), ("gaussian-grows", "gaussian")])
@pytest.mark.parametrize(("place", "before"), [((3, 1000), (3, 300)), ((5, 10), (4, 10))])
def test_medians_must_rise_from_each_block_and_each_k_to_the_next(claim, part, place, before):
    smaller = 1 - rest(before[1], before[0])
    for middle, held in ((smaller + 1e-6, True), (smaller, False)):
        finding = check(STUDY, claim, changed(part, *place, 0.0, middle, 1.0))
        assert finding.holds is held
        assert finding.measured.value == pytest.approx(middle - smaller, abs=1e-9)
    assert check(STUDY, claim, made().filter(pl.col("k") < 5)).holds is None


@pytest.mark.parametrize(("share", "held"), [(0.7, True), (0.6999, False)])
def test_the_bound_must_hold_at_every_place(share, held):
    assert check(STUDY, "bound", changed("ones", 4, 161, share, bound=pl.lit(0.7))).holds is held


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize(("factor", "held"), [(0.999, True), (1.001, False)])
def test_one_constant_must_do_from_300_on(k, factor, held):
    rests = [9.0, factor * rest(300, k), 0.0]
    frame = changed("gaussian", k, 300, *(1 - r for r in rests), table=made(constant=0.9))
    finding = check(STUDY, "gaussian-constant", frame)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(factor)
    for some in (pl.col("block") < 300, pl.col("block") >= 300):
        assert check(STUDY, "gaussian-constant", made().filter(some | (pl.col("k") != k))).holds is None


@pytest.mark.parametrize(("factor", "held"), [(0.999, True), (1.001, False)])
def test_the_largest_constants_below_300_and_from_there_on(factor, held):
    constants = {30: 0.1, 299: 0.2, 300: 0.2 * factor, 1000: 0.1}
    rows = [
        {"part": "gaussian", "k": k, "block": block, "share": 1 - c * block ** (1 - k / 2)}
        for k in (3, 4, 5)
        for block, c in constants.items()
    ]
    finding = check(STUDY, "gaussian-constant", pl.DataFrame(rows))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(factor)


def test_a_fall_to_the_next_block_is_not_made_good_by_the_one_after():
    shares = {(3, 10): 0.2, (3, 30): 0.1, (3, 100): 0.3, (4, 20): 0.5, (5, 40): 0.6}
    rows = [{"part": "descent", "k": k, "block": block, "share": share} for (k, block), share in shares.items()]
    finding = check(STUDY, "plateau-grows", pl.DataFrame(rows))
    assert finding.holds is False
    assert finding.measured.value == pytest.approx(-0.1)
    assert finding.detail == "smallest of 2: k = 3, n' = 10 to k = 3, n' = 30"


def test_the_flow_beside_the_descent():
    assert check(STUDY, "plateau-k3", made()).detail == f"3 starts; gradient flow {1 - rest(30, 3):.0%}"


def test_missing_parts_are_not_enough():
    frame = made().filter(pl.col("part") == "nothing")
    assert all(check(STUDY, claim.id, frame).holds is None for claim in STUDY.claims)


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
