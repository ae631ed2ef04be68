import polars as pl
import pytest

from glassware.studies.hidden_progress.shared.panels import Panel, panel_runs
from glassware.studies.hidden_progress.training_curves import (
    LAPTOP,
    PAPER,
    SMALL_TRANSFORMER,
    STUDY,
    TABLE_RATES,
    TABULATED,
)
from tests.studies.drawn import drawn, falling, stuck, table, whole
from tests.studies.made import check


def panel(which, won, trials=3, plateau=700, end=1000):
    """A panel's runs, the first so many of which converge."""
    runs = panel_runs([which], trials, 100)
    return [falling(run, plateau, end) if i < won else stuck(run) for i, run in enumerate(runs)]


def all_panels(**changed):
    return [changed.pop("first", panel(LAPTOP[0], 3)), *(panel(p, 3) for p in LAPTOP[1:])]


@pytest.mark.parametrize(("won", "most", "every"), [(3, True, True), (2, True, False), (1, False, False)])
def test_panels_converge(won, most, every):
    made = table(*all_panels(first=panel(LAPTOP[0], won)), panel(SMALL_TRANSFORMER, 3))
    assert check(STUDY, "1a-converge", made).holds is most
    assert check(STUDY, "1a-all-converge", made).holds is every


def test_a_missing_panel_is_not_enough():
    made = table(*all_panels()[1:])
    assert check(STUDY, "1a-converge", made).holds is None
    assert check(STUDY, "1a-plateau", made).holds is None
    assert check(STUDY, "1a-all-converge", table(*all_panels())).holds is None  # without the Transformer


def test_at_paper_scale_the_large_transformer_counts():
    made = table(*(panel(p, 2, 2) for p in PAPER))
    assert check(STUDY, "1a-all-converge", made).holds
    assert not check(
        STUDY, "1a-all-converge", table(*(panel(p, 2, 2) for p in PAPER[:-1]), panel(PAPER[-1], 1, 2))
    ).holds


@pytest.mark.parametrize(
    ("plateaus", "typical", "every"), [((500, 400), True, True), ((500, 390), False, False), ((390, 500), False, False)]
)
def test_plateaus(plateaus, typical, every):
    made = table(*(panel(p, 3, plateau=plateau) for p, plateau in zip(LAPTOP[:2], plateaus, strict=True)))
    assert check(STUDY, "1a-plateau", made).holds is typical
    assert check(STUDY, "1a-plateau-every-run", made).holds is every


def test_one_run_without_a_plateau_is_not_the_typical_one():
    made = table(panel(LAPTOP[0], 3), panel(LAPTOP[1], 2, 2), panel(LAPTOP[1], 1, 1, plateau=100))
    assert check(STUDY, "1a-plateau", made).holds
    assert not check(STUDY, "1a-plateau-every-run", made).holds


@pytest.mark.parametrize(("won", "holds"), [(2, True), (1, False)])
def test_the_transformer_converges(won, holds):
    assert check(STUDY, "transformer-converges", table(panel(SMALL_TRANSFORMER, won))).holds is holds


@pytest.mark.parametrize(
    ("errors", "holds"), [([0.5] * 7 + [0.2, 0.05, 0.01, 0.0], True), ([0.4] * 5 + [0.1, 0.1, 0.1, 0.1, 0.0], False)]
)
def test_the_transformer_drops(errors, holds):
    (run,) = panel_runs([SMALL_TRANSFORMER], 1, 100)
    assert check(STUDY, "transformer-drops", table(drawn(run, errors, every=10))).holds is holds


@pytest.mark.parametrize(("k2", "k3", "holds"), [(44, 166, True), (130, 60, True), (140, 166, False), (44, 50, False)])
def test_tabulated_times(k2, k3, holds):
    made = table(
        *(
            [
                drawn(run, [0.5, 0.0], every=t if lr == TABLE_RATES[1] else 10 * t)
                for run in panel_runs([Panel("*iii", 32, lr, n=30, k=k)], 3, 0)
            ]
            for k, t in ((2, k2), (3, k3))
            for lr in TABLE_RATES
        )
    )
    assert check(STUDY, "transformer-times", made).holds is holds


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize("place", range(len(LAPTOP)))
@pytest.mark.parametrize(("won", "held"), [(20, True), (19, False)])
def test_two_thirds_of_each_panel(place, won, held):
    made = table(*(panel(p, 3) for p in LAPTOP if p != LAPTOP[place]), panel(LAPTOP[place], won, 30, 10, 20))
    finding = check(STUDY, "1a-converge", made)
    assert finding.holds is held
    assert finding.measured.value == won / 30


def test_the_typical_plateau_is_a_median():
    usual = panel(LAPTOP[0], 3)
    made = [panel(LAPTOP[1], 1, 1, plateau=plateau) for plateau in (390, 390, 900)]
    finding = check(STUDY, "1a-plateau", table(usual, *made))
    assert finding.holds is False
    assert finding.measured.value == pytest.approx(0.39)
    assert check(STUDY, "1a-plateau-every-run", table(usual, *made)).measured.value == pytest.approx(0.39)


@pytest.mark.parametrize(("last", "won", "held"), [(1000, 20, True), (1000, 19, False), (1010, 20, False)])
def test_two_thirds_of_the_transformers_converge_in_a_thousand_steps(last, won, held):
    made = table(panel(SMALL_TRANSFORMER, won - 1, 29, 10, 20), panel(SMALL_TRANSFORMER, 1, 1, 10, last))
    assert check(STUDY, "transformer-converges", made).holds is held


def drop(high, leave, low, reach):
    """A run of 1,000 steps whose error is ``high`` up to a step and ``low`` from another one on."""
    (run,) = panel_runs([SMALL_TRANSFORMER], 1, 100)
    errors = [high if t <= leave else 0.2 if t < reach else low for t in range(0, 1000, 10)]
    return drawn(run, [*errors, 0.0], every=10)


@pytest.mark.parametrize(
    ("high", "leave", "low", "reach", "share"),
    [
        (0.4, 500, 0.05, 900, 0.4),
        (0.4, 500, 0.05, 910, 0.41),
        (0.39, 500, 0.05, 300, 0.51),
        (0.4, 500, 0.051, 900, 0.5),
    ],
)
def test_the_slowest_drop_takes_two_fifths_of_the_way(high, leave, low, reach, share):
    finding = check(STUDY, "transformer-drops", table(drop(0.5, 800, 0.0, 900), drop(high, leave, low, reach)))
    assert finding.holds is (share <= 0.4)
    assert finding.measured.value == pytest.approx(share)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("factor", "held"), [(2.98, True), (3.02, False), (1 / 2.98, True), (1 / 3.02, False)])
def test_tabulated_times_within_a_factor_of_three(k, factor, held):
    made = table(
        *(
            [
                drawn(run, [0.5, 0.0], every=1) | {"steps_to_success": round(1000 * t * f)}
                for run in panel_runs([Panel("*iii", 32, lr, n=30, k=size)], 1, 0)
            ]
            for size, t in TABULATED.items()
            for lr, f in zip(TABLE_RATES, (9, factor if size == k else 1, 9), strict=True)
        )
    ).with_columns(pl.col("steps_to_success") / 1000)
    finding = check(STUDY, "transformer-times", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(max(factor, 1 / factor), rel=1e-3)


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=72, paper=48 + 150)
