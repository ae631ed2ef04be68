"""Sampled levels: a number that is far from what is stated is enough."""

import polars as pl
import pytest

from glassware.studies.induction.levels import STUDY, TABLE
from tests.studies.judged import verdict
from tests.studies.made import computed_from_end_to_end


def rows(**changes):
    """Every stated number, measured exactly; one of each kind is changed where told."""
    made = [
        {"part": "level" if name in ("uniform", "unigram", "bigram", "trigram") else "distance", "strategy": name,
         "prior": one.task.prior, "k": one.task.states, "t": one.task.length, "order": one.task.order, "q": one.task.q,
         "value": float(text), "error": 0.001, "stated": float(text), "stated_error": 0.001,
         "exact": float(text) if (one.task.states, name) == (2, "uniform") else None}
        for one in TABLE for name, text in one.asked.items()
    ]  # fmt: skip
    for kind, value in changes.items():
        part, order = kind.split("_")
        place = next(i for i, row in enumerate(made) if (row["part"], row["order"]) == (part, int(order)))
        made[place] = {**made[place], "value": made[place]["value"] + value}
    return pl.DataFrame(made, infer_schema_length=None)


@pytest.mark.parametrize(
    ("claim", "kind"),
    [("exact", "level_2"), ("stated", "level_2"), ("distances", "distance_2"), ("order-three", "level_3")],
)
def test_one_number_that_is_off_is_enough(claim, kind):
    assert verdict(STUDY, claim, rows()) == verdict(STUDY, claim, rows(**{kind: 0.003})) == "holds"
    assert verdict(STUDY, claim, rows(**{kind: 0.01})) == "fails"
    assert verdict(STUDY, claim, rows().filter(part="none")) == "not enough runs"


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    computed_from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
