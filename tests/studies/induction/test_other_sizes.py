"""Other sizes: phases by count, the order of the layers by its interval over seeds."""

import polars as pl
import pytest

from glassware.studies.induction.other_sizes import SIZES, STUDY
from tests.studies.induction.made import from_end_to_end
from tests.studies.induction.transformers import CROSS, lane
from tests.studies.judged import verdict

GRID = [(size.states, size.length) for size in SIZES]
LATE = [0.0] * (CROSS + 4) + [0.8] * (16 - CROSS)  # of the transplant: after the first layer


def seeds(odd, count, size=0):
    """Ten lanes of a size of which so many are odd."""
    k, length = GRID[size]
    made = [lane(k, length, **(odd if i < count else {})) for i in range(10)]
    return pl.DataFrame(made, infer_schema_length=None, strict=False)


@pytest.mark.parametrize(
    ("claim", "odd"),
    [
        ("phases", {"curve_distance_bigram": [0.3] * 20}),
        ("plateau", {"curve_truth_distance": [0.3 - 0.014 * i for i in range(20)]}),
        ("below-unigram", {"curve_truth_distance": [0.25] * 20}),
    ],
)
def test_nine_of_ten_seeds_must_show_it(claim, odd):
    for size, other in ((0, "t50"), (1, "k5")):
        name = f"{claim}-{SIZES[size].id}"
        assert verdict(STUDY, name, seeds(odd, 1, size)) == "holds"
        assert verdict(STUDY, name, seeds(odd, 2, size)) == "fails"
        assert verdict(STUDY, f"{claim}-{other}", seeds(odd, 0, size)) == "not enough runs"


def test_the_order_is_judged_by_the_interval_of_its_mean():
    late = {"transplant_norm": LATE}
    assert verdict(STUDY, "x2-order-k5", seeds(late, 0)) == "holds"
    assert verdict(STUDY, "x2-order-k5", seeds(late, 4)) == "too close to call"
    assert verdict(STUDY, "x2-order-k5", seeds(late, 10)) == "fails"
    assert verdict(STUDY, "x2-order-k5", seeds({"transplant_norm": [0.0] * 20}, 1)) == "not enough runs"


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
    assert len(STUDY.runs("laptop")) == 20
    assert len(STUDY.runs("paper")) == 40
