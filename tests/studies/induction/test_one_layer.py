"""One layer: claims on lanes that stay at unigrams, and with one lane off."""

import pytest

from glassware.studies.induction.one_layer import STUDY, largest_fall
from tests.studies.induction.made import from_end_to_end, lane, off_by_one_lane

STAYS = ["uniform", *["unigram"] * 9]


def layer(depth=1, mlp=False, final=0.85, positions="relative", **changes):
    """Its loss comes down to its final level within six checkpoints."""
    made = lane(
        STAYS, **{"final": final, "mlp": mlp, "positions": positions, "length": 100, "layers": depth, **changes}
    )
    made["depth"] = depth
    first, last = made["curve_truth_distance"][0], made["curve_truth_distance"][-1]
    return {**made, "curve_truth_distance": [first, *(last * (1 + 0.2 / i) for i in range(1, 7)), *[last] * 3]}


WITH = {"mlp": True, "positions": "absolute"}
GOOD = [*[layer()] * 3, *[layer(final=0.75, **WITH)] * 3, *[layer(2, final=0.2)] * 3]
LIKE = ("layers", "mlp")
OFF = [
    ("fe8-attention", layer(final=0.7)),
    ("fe8-attention", layer(final=2.0)),  # as good as untrained
    ("fe8-mlp", layer(final=0.6, **WITH)),
    ("fe8-two-layers", layer(final=0.5)),
    ("fe8-no-drop", {**layer(), "curve_truth_distance": [0.3, *[0.1] * 5, *[0.07] * 4]}),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    off_by_one_lane(STUDY, claim, GOOD, odd, LIKE)


def test_a_fall_is_looked_for_after_the_first_tenth():
    assert largest_fall({"curve_truth_distance": [1.0] * 2 + [0.3] * 19}) == 0
    assert largest_fall({"curve_truth_distance": [1.0] * 10 + [0.6] * 11}) == pytest.approx(0.4)


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
