"""Trigrams, more symbols, one layer, rates of the minimal model: claims on lanes that hold, and with one lane off."""

import polars as pl
import pytest

from glassware.studies.induction import minimal_variants, more_symbols, one_layer, trigrams
from glassware.studies.induction.one_layer import largest_fall
from glassware.studies.induction.shared.phases import crossings, longest
from tests.studies.induction.made import from_end_to_end, lane
from tests.studies.judged import verdict

FOUR = ["uniform", "unigram", "unigram", "bigram", "bigram", "trigram", "trigram"]
THREE = ["uniform", "unigram", "unigram", "bigram", "bigram", "bigram", "bigram"]
STAYS = ["uniform", *["unigram"] * 9]


def heads(count=3, phases=None, final=0.3, **changes):
    usual = FOUR if count == 3 else THREE
    return lane(phases or usual, of="bigram", order=3, **{"final": final, "heads": count, "length": 200, **changes})


def symbols(t=200, phases=THREE, **changes):
    return lane(phases, **{"length": t, "states": 8, "final": 0.4, **changes})


def layer(depth=1, mlp=False, final=0.85, positions="relative", **changes):
    made = lane(STAYS, **{"final": final, "depth": depth, "mlp": mlp, "positions": positions, "length": 100, **changes})
    levels = made["curve_truth_distance"]
    return {
        **made,
        "curve_truth_distance": [levels[0], *(levels[-1] * (1 + 0.2 / i) for i in range(1, 7)), *[levels[-1]] * 3],
    }


def rate(factor=1.0, crosses=None, seed=0, **changes):
    last = {1.0: 3, 0.1: 9, 0.01: 10}[factor] if crosses is None else crosses
    phases = ["uniform", *["unigram"] * (last - 1), *["bigram"] * (10 - last)]
    columns = {"model": "minimal-induction", "v": 0.01, "layer_rates": [1.0, factor], "length": 100}
    return lane(phases, seed=seed, **{**columns, **changes})


MODULES = (trigrams, more_symbols, one_layer, minimal_variants)
PLATEAU = [1.0] * 6 + [0.5] * 4
HOLDS = {
    trigrams.STUDY.name: [*[heads()] * 3, *[heads(1, final=0.95)] * 3],
    more_symbols.STUDY.name: [symbols()] * 3,
    one_layer.STUDY.name: [
        *[layer()] * 3, *[layer(mlp=True, final=0.75, positions="absolute")] * 3, *[layer(2, final=0.2)] * 3,
    ],
    minimal_variants.STUDY.name: [rate(factor, seed=i) for factor in (1.0, 0.1, 0.01) for i in range(4)],
}  # fmt: skip
OFF = [
    (trigrams.STUDY, "f5-phases", heads(phases=THREE)),
    (trigrams.STUDY, "f5-phases", heads(phases=["uniform", "bigram", "bigram", "trigram", "trigram"])),
    (trigrams.STUDY, "f5-final", heads(final=0.6)),
    (trigrams.STUDY, "x1-one-head", heads(1, final=0.7)),
    (trigrams.STUDY, "x1-one-head", heads(1, final=2.5)),  # as good as untrained
    (trigrams.STUDY, "x1-one-head", heads(1, final=0.9, phases=[*FOUR, "trigram"])),
    (more_symbols.STUDY, "fe4-phases", symbols(phases=["uniform", "bigram", "bigram"])),
    (more_symbols.STUDY, "fe4-final", symbols(final=0.6)),
    (one_layer.STUDY, "fe8-attention", layer(final=0.7)),
    (one_layer.STUDY, "fe8-attention", layer(final=2.0)),
    (one_layer.STUDY, "fe8-mlp", layer(mlp=True, final=0.6, positions="absolute")),
    (one_layer.STUDY, "fe8-two-layers", layer(final=0.5)),
    (one_layer.STUDY, "fe8-no-drop", {**layer(), "curve_truth_distance": [0.3, *[0.1] * 5, *[0.07] * 4]}),
    (minimal_variants.STUDY, "x7-later", rate(0.1, crosses=5, seed=0)),
    (minimal_variants.STUDY, "x7-never", rate(0.01, crosses=9)),
    (minimal_variants.STUDY, "x7-time", rate(0.1, crosses=6)),
    (minimal_variants.STUDY, "x7-time", rate(1.0, crosses=8)),
]


@pytest.mark.parametrize(("study", "claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (_, claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(study, claim, odd):
    good = HOLDS[study.name]
    like = ("heads", "length", "depth", "mlp", "layer_rates")
    place = next(i for i, row in enumerate(good) if all(row.get(name) == odd.get(name) for name in like))
    off = [odd if i == place else row for i, row in enumerate(good)]
    assert verdict(study, claim, good) == "holds"
    assert verdict(study, claim, off) == "fails"
    assert (
        verdict(study, claim, [{**row, "diverged_step": 9} if i == place else row for i, row in enumerate(good)])
        == "fails"
    )
    assert verdict(study, claim, good[:2]) == "not enough runs"


def test_three_heads_come_near_the_trigram_level():
    near, far = (heads(final=final, phases=FOUR) for final in (0.5, 4.0))
    assert verdict(trigrams.STUDY, "f5-bayes", [near] * 3) == "holds"
    assert verdict(trigrams.STUDY, "f5-bayes", [near, near, far]) == "fails"
    assert verdict(trigrams.STUDY, "f5-bayes", [{**near, "length": 100}] * 3) == "not enough runs"
    assert verdict(trigrams.STUDY, "f5-final", [{**near, "lr": 0.03}] * 3) == "not enough runs"  # the text's rate


def test_a_plateau_before_the_drop():
    row = symbols(100, THREE + THREE[-3:], final=1.0)
    level = row["curve_truth_distance"][-1]
    falls = {**row, "curve_truth_distance": [share * level for share in PLATEAU]}
    assert verdict(more_symbols.STUDY, "fe4-plateau", [falls] * 3) == "holds"
    assert verdict(more_symbols.STUDY, "fe4-plateau", [falls, falls, row]) == "fails"


def test_crossings_and_longest_phase():
    assert crossings(heads(steps=600)) == [100.0, 300.0, 500.0]
    assert crossings(heads(phases=THREE, steps=600))[2] != crossings(heads(phases=THREE, steps=600))[2]  # none
    assert (longest(heads(), "unigram"), longest(heads(phases=THREE), "trigram")) == (2, 0)


def test_a_fall_is_looked_for_after_the_first_tenth():
    losses = [1.0] * 2 + [0.3] * 19
    assert largest_fall({"curve_truth_distance": losses}) == 0
    assert largest_fall({"curve_truth_distance": [1.0] * 10 + [0.6] * 11}) == pytest.approx(0.4)


@pytest.mark.parametrize("study", [module.STUDY for module in MODULES], ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    from_end_to_end(study, smoke(study)[1], tmp_path)
    untried = {claim.id for claim in study.claims} - {claim for _, claim, _ in OFF} - {"f5-bayes", "fe4-plateau"}
    assert not untried
    assert verdict(study, study.claims[0].id, pl.DataFrame()) == "not enough runs"
