"""Which of the printed cells a laptop reaches: those on which choices were made, and those held out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.places import LAPTOP_STEPS, N, Place
from glassware.studies.hidden_progress.shared.settings import ROBUST

CALIBRATION = tuple(setting for setting in ROBUST if setting not in ("iii", "vi"))
CALIBRATED = tuple(Place(s, N, k, 32) for s in CALIBRATION for k in (2, 3))
LONG = tuple(Place(s, N, k, batch) for s in ("i", "xiv", "xv") for k in (2, 4) for batch in (4, 1024))
ONE_TO_TEN = ("i", "iv", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "*i", "*ii")  # neurons
A_HUNDRED = ("ii", "v")
UNCERTAIN = ("*ii", 4)  # in which columns its three numbers belong is not clear in print


def theirs(place: Place) -> float:
    """The printed time."""
    return printed.TIMES[place.setting, place.k, place.batch]


def laptop_steps(place: Place) -> int:
    """Steps of a run at laptop scale: at least four times the printed time, 0 where that is too many."""
    if place in CALIBRATED or place in LONG:
        return LAPTOP_STEPS
    return next((steps for steps in (500, 2000, LAPTOP_STEPS) if steps >= 4 * theirs(place)), 0)


def _reached() -> Iterator[Place]:
    """Every printed cell that a laptop reaches."""
    for batch, k, setting in product((4, 32, 128, 1024), printed.KS, (*ONE_TO_TEN, *A_HUNDRED)):
        place = Place(setting, N, k, batch)
        small = setting in ONE_TO_TEN or batch < 1024
        if small and (setting, k) != UNCERTAIN and laptop_steps(place):
            yield place


HELD_OUT = tuple(place for place in _reached() if place not in CALIBRATED)
