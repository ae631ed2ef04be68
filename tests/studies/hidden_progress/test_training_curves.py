import pytest

from glassware.studies.hidden_progress.shared.panels import Panel, panel_runs
from glassware.studies.hidden_progress.training_curves import LAPTOP, PAPER, SMALL_TRANSFORMER, STUDY, TABLE_RATES
from tests.studies.drawn import drawn, falling, stuck, table, whole
from tests.studies.made import check


def panel(which, won, trials=20, plateau=700, end=1000):
    """A panel's runs, the first so many of which converge."""
    runs = panel_runs([which], trials, 100)
    return [falling(run, plateau, end) if i < won else stuck(run) for i, run in enumerate(runs)]


def verdict(claim, *groups):
    return check(STUDY, claim, table(*groups)).verdict


@pytest.mark.parametrize(
    ("won", "most", "every"),
    [(20, "holds", "holds"), (19, "holds", "fails"), (16, "too close to call", "fails"), (5, "fails", "fails")],
)
def test_panels_converge(won, most, every):
    made = [panel(LAPTOP[0], won), *(panel(p, 20) for p in (*LAPTOP[1:], SMALL_TRANSFORMER))]
    assert verdict("1a-converge", *made) == most
    assert verdict("1a-all-converge", *made) == every


def test_a_missing_panel_is_not_enough():
    made = [panel(p, 20) for p in LAPTOP]
    assert verdict("1a-converge", *made[1:]) == "not enough runs"
    assert verdict("1a-plateau", *made[1:]) == "not enough runs"
    assert verdict("1a-all-converge", *made) == "not enough runs"  # without the Transformer


def test_at_paper_scale_the_large_transformer_counts():
    others = [panel(p, 6, 6) for p in PAPER[:-1]]
    assert verdict("1a-all-converge", *others, panel(PAPER[-1], 6, 6)) == "holds"
    assert verdict("1a-all-converge", *others, panel(PAPER[-1], 5, 6)) == "fails"


def plateaus(*lengths):
    """Runs of (i) at both batch sizes, nine each: the second batch size has these plateaus of 1,000 steps."""
    runs = panel_runs([LAPTOP[1]], len(lengths), 100)
    return [*panel(LAPTOP[0], 9, 9), *(falling(run, t, 1000) for run, t in zip(runs, lengths, strict=True))]


@pytest.mark.parametrize(
    ("lengths", "typical", "every"),
    [
        ([500] * 9, "holds", "holds"),
        ([100, *[500] * 8], "holds", "fails"),
        ([100] * 4 + [500] * 5, "too close to call", "fails"),
        ([390] * 9, "fails", "fails"),
        ([500] * 4, "not enough runs", "holds"),
    ],
)
def test_plateaus(lengths, typical, every):
    made = plateaus(*lengths)
    assert verdict("1a-plateau", made) == typical
    assert verdict("1a-plateau-every-run", made) == every


@pytest.mark.parametrize(("won", "said"), [(20, "holds"), (16, "too close to call"), (5, "fails")])
def test_the_transformer_converges(won, said):
    assert verdict("transformer-converges", panel(SMALL_TRANSFORMER, won)) == said


def drop(steps, seed=100):
    """A run of 1,000 steps whose error falls from 50% to 5% within so many."""
    (run,) = panel_runs([SMALL_TRANSFORMER], 1, seed)
    errors = [0.5 if t <= 500 else 0.2 if t < 500 + steps else 0.05 for t in range(0, 1000, 10)]
    return drawn(run, [*errors, 0.0], every=10)


def test_the_transformer_drops():
    sudden = [drop(400, seed) for seed in range(100, 105)]
    assert verdict("transformer-drops", sudden) == "holds"
    assert verdict("transformer-drops", sudden, drop(410, 105)) == "fails"
    assert verdict("transformer-drops", sudden[:4]) == "not enough runs"
    assert verdict("transformer-drops", panel(SMALL_TRANSFORMER, 0)) == "not enough runs"


@pytest.mark.parametrize(
    ("k2", "k3", "said"), [(44, 166, "holds"), (130, 60, "holds"), (140, 166, "fails"), (44, 50, "fails")]
)
def test_tabulated_times(k2, k3, said):
    made = [
        drawn(run, [0.5, 0.0], every=t if lr == TABLE_RATES[1] else 10 * t)
        for k, t in ((2, k2), (3, k3))
        for lr in TABLE_RATES
        for run in panel_runs([Panel("*iii", 32, lr, n=30, k=k)], 5, 0)
    ]
    assert verdict("transformer-times", made) == said


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=160, paper=48 + 150)
