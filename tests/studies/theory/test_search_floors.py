"""Search and elimination: claims on rows we choose."""

import pytest

from glassware.foundation import statistics
from glassware.studies.theory.search_floors import ELIMINATION, QUARTER, SEARCH, STUDY, predicted
from tests.studies.judged import verdict


def trials(algorithm, won, of=400, noise=0.0, n=300, m=320, milliseconds=5.0):
    return [
        {"algorithm": algorithm, "n": n, "k": 5, "m": m, "noise": noise, "trial": i, "found": i < won,
         "verdict": "solved", "milliseconds": milliseconds}
        for i in range(of)
    ]  # fmt: skip


CLEAN = trials(ELIMINATION, 400)


@pytest.mark.parametrize(
    ("claim", "algorithm", "noise", "won", "expected"),
    [
        *((claim, algorithm, noise, won, expected)
          for claim, algorithm, noise in (("search", SEARCH, 0.0), ("search-noise", SEARCH, 0.1),
                                          ("elimination", ELIMINATION, 0.0))
          for won, expected in ((400, "holds"), (398, "too close to call"), (200, "fails"), (0, "fails"))),
        ("quarter", QUARTER, 0.0, 100, "holds"),
        ("quarter", QUARTER, 0.0, 130, "too close to call"),
        ("quarter", QUARTER, 0.0, 200, "fails"),
        ("quarter", QUARTER, 0.0, 0, "fails"),
        ("elimination-noise", ELIMINATION, 0.1, 0, "holds"),
        ("elimination-noise", ELIMINATION, 0.1, 3, "too close to call"),
        ("elimination-noise", ELIMINATION, 0.1, 40, "fails"),
    ],
)  # fmt: skip
def test_how_often_the_support_is_found(claim, algorithm, noise, won, expected):
    clean = CLEAN if claim == "elimination-noise" else []
    rows = [*trials(algorithm, won, noise=noise), *clean]
    assert verdict(STUDY, claim, rows) == expected
    others = [*trials(algorithm, 200, noise=noise, m=300), *trials(algorithm, 200, noise=0.05)]
    assert verdict(STUDY, claim, [*rows, *others]) == expected  # the cell with the most examples counts, at its noise
    assert verdict(STUDY, claim, trials("another", won)) == "not enough runs"


def test_what_never_finds_the_support_does_not_show_that_noise_matters():
    rows = [*trials(ELIMINATION, 0, noise=0.1), *trials(ELIMINATION, 0)]
    assert verdict(STUDY, "elimination-noise", rows) == "fails"


def test_only_eliminations_that_succeed_are_timed(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    timed = lambda *times: [row for ms in times for row in trials(ELIMINATION, 20, of=20, milliseconds=ms)]
    assert verdict(STUDY, "elimination-fast", timed(5.0, 6.0, 5000.0)) == "holds"
    assert verdict(STUDY, "elimination-fast", timed(90.0, 110.0)) == "too close to call"
    assert verdict(STUDY, "elimination-fast", timed(150.0)) == "fails"
    assert verdict(STUDY, "elimination-fast", trials(ELIMINATION, 0, milliseconds=0.1)) == "not enough runs"


@pytest.mark.parametrize(
    ("won", "expected"), [(116, "holds"), (140, "too close to call"), (200, "fails"), (400, "fails"), (0, "fails")]
)
def test_every_cell_of_elimination_is_as_predicted(won, expected):
    """300 random equations in 300 unknowns have full rank with probability 0.289."""
    assert verdict(STUDY, "elimination-rate", [*CLEAN, *trials(ELIMINATION, won, m=300)]) == expected
    assert predicted(300, 300, 0.0) == pytest.approx(0.2888, abs=1e-3)
    assert predicted(300, 320, 0.1) < 1e-14
