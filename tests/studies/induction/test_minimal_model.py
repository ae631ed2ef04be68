"""The minimal model: each claim on rows that show the phases, and on the same rows with one lane off."""

import json

import numpy as np
import polars as pl
import pytest

from glassware.studies.induction.minimal_model import STUDY
from glassware.studies.induction.shared.levels import strategy_levels
from glassware.studies.induction.shared.phases import alternates, crossing, phase_list
from glassware.tasks import MarkovChain
from tests.studies.induction.made import from_end_to_end
from tests.studies.judged import verdict

TEST = 256
WAVES = [0.1 if j % 2 else 0.3 for j in range(1, 26)]  # v_2, v_4, .. stick out
SLOPE = [1 / j for j in range(1, 26)]


def lane(k=2, frozen=False, steps=None, final=0.4, **changes):
    """One run of five checkpoints, nearest to uniform, unigrams twice, and bigrams twice; ``final``: over the level."""
    task = {"name": "markov-chain", "states": k, "length": 100}
    cross = {2: 460, 3: 880}[k]
    level = strategy_levels(MarkovChain(**task), TEST)["unigram"]
    made = {
        "spec": json.dumps({"task": task}), "id": "0", "states": k, "length": 100, "frozen": frozen, "test_size": TEST,
        "steps": steps or 1500, "diverged_step": None, "curve_step": [0, 20, 200, cross, 1500],
        "curve_truth_distance": [0.2, 0.1, final * level, final * level, final * level],
        "curve_distance_uniform": [0.0, 0.1, 0.5, 0.5, 0.5],
        "curve_distance_unigram": [0.1, 0.02, 0.03, 0.1, 0.04] if not frozen else [0.1, 0.02, 0.02, 0.02, 0.02],
        "curve_distance_bigram": [0.2, 0.05, 0.05, 0.02, 0.02] if not frozen else [0.2, 0.1, 0.1, 0.1, 0.1],
        "curve_v": [WAVES if not frozen else SLOPE] * 5, "curve_w": [[1.0] + [0.1] * (k * k - 1)] * 5,
        "curve_diagonal_ratio": [0.0, 4.0, 8.0, 9.0, 9.0], "curve_second_lead": [1.0, 1.0, 1.6, 2.0, 2.0],
    }  # fmt: skip
    assert set(changes) <= set(made)
    return {**made, **changes}


def rows(*odd):
    """As many lanes as the study needs; the odd ones take the place of the first ones like them."""
    good = [*[lane()] * 8, *[lane(3)] * 4, *[lane(frozen=True, steps=4000)] * 4]
    for one in odd:
        like = next(i for i, row in enumerate(good) if all(row[name] == one[name] for name in ("states", "frozen")))
        good[like] = one
    return pl.DataFrame(good, infer_schema_length=None, strict=False)


JUMPS = {"curve_distance_unigram": [0.3, 0.3, 0.3, 0.3, 0.3]}
OFF = [
    ("f3-phases", {"k": 3, **JUMPS}),
    ("f3-below-unigram", {"k": 3, "final": 0.6}),
    ("fe7-final", {"final": 0.5}),
    ("fe7-final", {"curve_step": [0, 20, 200, 600, 1500]}),
    ("f3-final", {"k": 3, "curve_step": [0, 20, 200, 600, 1500]}),
    ("fe7-alternates", {"curve_v": [SLOPE] * 3 + [WAVES] * 2}),
    ("f4b-weights", {"curve_diagonal_ratio": [0.0, 4.0, 8.0, 2.0, 9.0]}),
    ("f4b-weights", {"curve_v": [WAVES] * 3 + [SLOPE] * 2}),
    ("x2-order", {"k": 3, "curve_second_lead": [1.0, 1.6, 2.0, 2.0, 2.0]}),
    ("x2-order", {"k": 3, "curve_second_lead": [1.0] * 5}),
    ("x2-steps", {"curve_diagonal_ratio": [0.0, 2.0, 8.0, 9.0, 9.0]}),
    ("x3-frozen", {"frozen": True, "curve_v": [WAVES] * 5}),
    ("x3-frozen", {"frozen": True, "curve_distance_unigram": [0.1, 0.06, 0.06, 0.06, 0.06]}),
    ("x3-unigrams", {"frozen": True, "steps": 4000, "curve_distance_unigram": [0.1, 0.02, 0.02, 0.02, 0.03]}),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    odd = lane(**odd)
    assert verdict(STUDY, claim, rows()) == "holds"
    assert verdict(STUDY, claim, rows(odd)) == "fails"
    assert verdict(STUDY, claim, rows().head(2)) == "not enough runs"
    assert verdict(STUDY, claim, rows({**odd, "diverged_step": 9})) == "fails"


def test_near_the_bigram_level_is_not_near_the_unigram_level():
    levels = {k: strategy_levels(MarkovChain(states=k, length=100), TEST) for k in (2, 3)}
    near = [lane(k, final=1.2 * levels[k]["bigram"] / levels[k]["unigram"]) for k in (2, 3)]
    assert verdict(STUDY, "f3-bayes", pl.DataFrame([near[0]] * 8 + [near[1]] * 4)) == "holds"
    assert verdict(STUDY, "f3-bayes", rows()) == "fails"


def test_phases_of_one_checkpoint_are_left_out_in_between_only():
    far = [0.9] * 6
    made = {"curve_distance_uniform": [0.0, *far[1:]], "curve_distance_unigram": [0.5, 0.1, 0.1, 0.3, 0.1, 0.3],
            "curve_distance_bigram": [0.5, 0.2, 0.2, 0.2, 0.2, 0.2]}  # fmt: skip
    assert phase_list(made) == ["uniform", "unigram", "bigram"]
    assert crossing(made) == 3
    assert crossing({**made, "curve_distance_bigram": far}) is None


def test_alternation_needs_both_neighbours():
    v = np.array([0.1, 0.5, 0.2, 0.4, 0.3, 0.35, 0.36])
    assert alternates(v, 5)
    assert not alternates(v, 7)


def test_levels_fall_with_every_token_that_a_strategy_sees():
    found = strategy_levels(MarkovChain(states=2, length=100), TEST)
    assert found["uniform"] > 2 * found["unigram"] > 4 * found["bigram"]


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
