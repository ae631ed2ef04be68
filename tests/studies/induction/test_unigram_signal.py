"""Unigram signal: each claim on pairs that clearly hold, clearly fail, and lie in between."""

import math

import pytest

from glassware.studies.induction.unigram_signal import STUDY
from glassware.studies.induction.unigram_signal_checks import chains_to_cross, log_ratio
from tests.studies.induction.made import from_end_to_end, lane
from tests.studies.judged import verdict

SLOWER = [("f4a-slower", 4, 100), ("shorter-slower", 4, 50), ("more-states-slower", 5, 50)]
QUICK = ["uniform"] * 2 + ["bigram"] * 30
STUCK = ["uniform"] + ["unigram"] * 31
AFTER = lambda count: ["uniform"] + ["unigram"] * (count - 1) + ["bigram"] * (32 - count)


def alone(phases=QUICK, k=4, t=100, **changes):
    columns = {"states": k, "length": t, "form": "normed", "prior": "doubly-stochastic", "prior_share": None}
    return lane(phases, **{"steps": 620, "final": 0.4, "prior_q": None, **columns, **changes})


def mixed(phases=STUCK, **changes):
    return alone(phases, **{"prior": "mixture", "prior_share": 0.5, "steps": 1240, "final": 1.0, **changes})


def pairs(count=10, odd=(), **columns):
    """So many pairs; the odd ones take the place of the first."""
    made = [[alone(seed=i, **columns), mixed(seed=i, **columns)] for i in range(count)]
    for i, pair in enumerate(odd):
        made[i] = [{**row, "seed": i} for row in pair]
    return [row for pair in made for row in pair]


@pytest.mark.parametrize(("claim", "k", "t"), SLOWER)
def test_pairs_are_judged_by_count_and_interval(claim, k, t):
    reverse = (alone(AFTER(20), k=k, t=t), mixed(AFTER(4), k=k, t=t))
    assert verdict(STUDY, claim, pairs(k=k, t=t)) == "holds"
    assert verdict(STUDY, claim, pairs(k=k, t=t, odd=[reverse])) == "holds"
    assert verdict(STUDY, claim, pairs(k=k, t=t, odd=[reverse] * 2)) == "fails"
    assert verdict(STUDY, claim, pairs(7, k=k, t=t)) == "not enough runs"
    void = (alone(STUCK, k=k, t=t), mixed(STUCK, k=k, t=t))
    assert verdict(STUDY, claim, pairs(k=k, t=t, odd=[void] * 2)) == "holds"
    assert verdict(STUDY, claim, pairs(k=k, t=t, odd=[void] * 3)) == "not enough runs"


def test_time_is_counted_in_doubly_stochastic_chains():
    """The same step is half as late for a mixture, and a run that never crosses counts as crossing at its end."""
    assert chains_to_cross(alone(QUICK)) == 2 * 20 * 64
    assert chains_to_cross(mixed(QUICK)) == 2 * 40 * 64 / 2
    assert log_ratio(alone(QUICK), mixed(QUICK)) == 0
    assert log_ratio(alone(QUICK), mixed(STUCK)) == math.log(31 / 2)


OFF = [
    ("f4a-learns", alone(STUCK)),
    ("f4a-learns", alone(final=0.7)),
    ("f4a-no-plateau", alone(AFTER(8))),
    ("f4a-no-plateau", alone(STUCK[:1] * 32)),
    ("f4a-plateau", mixed(final=0.5)),
    ("f4a-plateau", mixed(AFTER(30))),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_seed_may_be_off_and_two_may_not(claim, odd):
    whole = pairs()
    place = 0 if odd["prior_share"] is None else 1
    one = [odd if i == place else row for i, row in enumerate(whole)]
    two = [odd if i in (place, place + 2) else row for i, row in enumerate(whole)]
    assert verdict(STUDY, claim, whole) == verdict(STUDY, claim, one) == "holds"
    assert verdict(STUDY, claim, two) == "fails"


def test_runs_of_a_pair_begin_with_the_same_weights_and_see_other_chains():
    runs = [run for run in STUDY.runs("laptop") if run.task.length == 50 and run.task.states == 5 and run.seed == 1003]
    first, second = runs
    assert first.init_key().tobytes() == second.init_key().tobytes()
    assert first.key().tobytes() != second.key().tobytes()


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path, not_drawn=("slowing", "shares", "between"))
