"""Rows of trained models that the tests of these studies choose."""

import json

from glassware.studies import claims, figures
from glassware.studies.induction.shared.levels import strategy_levels
from glassware.tasks import MarkovChain
from tests.studies.judged import verdict

TEST = 64
PHASES = ("uniform", "unigram", "bigram", "trigram")


def lane(phases, final=0.4, of="unigram", steps=1000, seed=0, **columns):
    """One run, checkpoint by checkpoint nearest to these strategies, that ends at so much of a strategy's level.

    Its levels are those of short chains, whatever its columns say: they take a moment to sample.
    """
    order = 3 if "trigram" in phases or of == "trigram" else 2
    task = {"name": "markov-chain", "states": 2, "length": 8, "order": columns.pop("order", order)}
    levels = strategy_levels(MarkovChain(**task), TEST)
    count = len(phases)
    known = PHASES[: task["order"] + 1]
    # The nearest strategy has distance 0; others the farther, the more they differ from it.
    far = {name: [abs(known.index(name) - known.index(phase)) * 0.1 for phase in phases] for name in known}
    made = {
        "spec": json.dumps({"task": task}), "id": f"{seed}-{sorted(columns.items())}", "seed": seed, "steps": steps,
        "batch": 64, "lr": 0.003, "test_size": TEST, "diverged_step": None,
        "curve_step": [round(i * steps / (count - 1)) for i in range(count)],
        "curve_truth_distance": [levels["uniform"]] + [final * levels[of]] * (count - 1),
        **{f"curve_distance_{name}": there for name, there in far.items()},
    }  # fmt: skip
    return {**made, **columns}


def from_end_to_end(study, trained, folder, not_drawn=()):
    """What a study that trains must do with its rows of smoke scale: be drawn, claim nothing, and say what it is.

    ``not_drawn``: figures for which smoke scale has no rows.
    """
    assert {j.verdict for j in claims(study, "smoke", trained)} == {"not judged at this scale"}
    assert {path.stem for path in figures(study, "smoke", trained, folder)} == set(study.figures) - {*not_drawn}
    for claim in study.claims:
        assert claim.check(trained).verdict == claim.check(trained.clear()).verdict == "not enough runs"
        assert claim.check.__doc__
    assert all(word in study.about for word in ("smoke", "laptop", "paper", "silent"))
    assert len(study.runs("paper")) > len(study.runs("laptop")) > len(study.runs("smoke"))


def off_by_one_lane(study, claim, good, odd, like):
    """The claim holds on good lanes, and fails where the odd one takes the place of the first with these columns."""
    place = next(i for i, row in enumerate(good) if all(row[name] == odd[name] for name in like))
    replaced = lambda row: [row if i == place else other for i, other in enumerate(good)]
    assert verdict(study, claim, good) == "holds"
    assert verdict(study, claim, replaced(odd)) == "fails"
    assert verdict(study, claim, replaced({**good[place], "diverged_step": 9})) == "fails"
    assert verdict(study, claim, good[:2]) == "not enough runs"
