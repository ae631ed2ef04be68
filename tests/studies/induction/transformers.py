"""Rows of transformers that learn as the text says, for the tests of their studies."""

import json

import polars as pl

from glassware.studies.induction.shared.levels import fitted_levels, strategy_levels
from glassware.tasks import MarkovChain

TEST = 64
PLATEAU, CROSS = 5, 11  # places of the checkpoints at which the plateau begins and bigrams come nearer
WAVES = [0.0 if r % 2 else 1.0 for r in range(1, 17)]  # coordinates 2, 4, .. stick out
SLOPE = [1.0 / r for r in range(1, 17)]


def levels(k, length=100):
    task = MarkovChain(states=k, length=length)
    return {**strategy_levels(task, TEST), **fitted_levels(task, TEST)}


def lane(k=3, length=100, form="plain", places=None, **changes):
    """One run: uniform for two checkpoints, unigrams with a plateau, bigrams from place 11 on, 20 checkpoints in all.

    ``places``: single points of curves, as {"truth_distance": {3: 0.5}}.
    """
    task = {"name": "markov-chain", "states": k, "length": length}
    found, count = levels(k, length), 20
    every = {"plain": 40, "normed": 90}[form]
    before, after = range(count), range(count - CROSS)
    loss = [found["uniform"]] * 2 + [1.05 * found["unigram"]] * 3
    loss += [found["unigram"] - 1e-4 * i for i in range(CROSS - PLATEAU)] + [found["bigram"] + 0.001] * len(after)
    made = {
        "spec": json.dumps({"task": task}), "id": f"{k}", "states": k, "length": length, "form": form, "heads": 1,
        "test_size": TEST, "diverged_step": None, "model": "causal-transformer", "lr": 0.003, "batch": 64,
        "curve_step": [every * i for i in before], "keep": [str(every * i) for i in before],
        "curve_truth_distance": loss,
        "curve_distance_uniform": [0.0] * 2 + [0.3] * (count - 2),
        "curve_distance_unigram": [0.1] * 2 + [0.01] * (CROSS - 2) + [0.2] * len(after),
        "curve_distance_bigram": [0.3] * 2 + [0.2] * (CROSS - 2) + [0.1] + [0.02] * (len(after) - 1),
        "curve_prev_score": [0.05] * CROSS + [0.9] * len(after),
        "curve_prev_argmax": [0.1] * CROSS + [0.99] * len(after),
        "curve_first_peak": [1.01] * count, "curve_induction_score": [0.4] * CROSS + [0.9] * len(after),
        "curve_induction_norm": [0.0] * CROSS + [0.85] * len(after), "curve_match_evenness": [0.97] * count,
        "curve_recency": [0.7] * count, "transplant_norm": [0.0] * (CROSS - 2) + [0.8] * (len(after) + 2),
        "curve_position_scores": [WAVES] * count, "curve_vhat_spread": [0.1] * count,
        "curve_truth_distance_unigram": [0.26] * 2 + [0.02] * (count - 2),
        "curve_truth_distance_doubly_stochastic": [0.25] * CROSS + [0.03] * len(after),
        "map_tokens": [0.0, 1.0, k - 1.0], "map_scores": [[0.1] * 18] * count, "map_weights": [[0.5] * 18] * count,
    }  # fmt: skip
    assert set(changes) <= set(made)
    for name, points in (places or {}).items():
        for place, value in points.items():
            made[f"curve_{name}"] = [value if i == place else old for i, old in enumerate(made[f"curve_{name}"])]
    return {**made, **changes}


def rows(*odd, form="plain", sizes=((2, 100), (3, 100)), seeds=None):
    """As many lanes as a study needs; the odd ones take the place of the first ones like them."""
    seeds = seeds or {"plain": 4, "normed": 10}[form]
    good = [lane(k, length, form) for k, length in sizes for _ in range(seeds)]
    for one in odd:
        like = next(i for i, row in enumerate(good) if (row["states"], row["length"]) == (one["states"], one["length"]))
        good[like] = one
    return pl.DataFrame(good, infer_schema_length=None, strict=False)
