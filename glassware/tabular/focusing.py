"""Whether networks read all columns of a table, or the few that screening found, with what they say together."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from glassware.tabular.attempts import Attempt, Prepared, Scaled, attempt, fit_guide, scaled_once
from glassware.tabular.guide import Guide
from glassware.tabular.screening.focus import Focus, Focused, focus
from glassware.tabular.screening.screen import Found, Screen, screen

CLEARLY = 0.97  # share of what a forest on all columns leaves unexplained
ERRORS = 3.0  # standard errors by which, row by row, less must be left
LEAF = 20  # rows in a leaf where rows of one cell differ only in which others taught their score, which is noise


class First(NamedTuple):
    """The first attempt at a table.

    Attributes:
        attempt: what is trained.
        sets: found by screening.
        guide: fitted on all columns, if any.
        focused: whether networks read few columns.
    """

    attempt: Attempt
    sets: list[Found]
    guide: Guide | None
    focused: bool


class Focusing:
    """First attempts at tables; what screening finds is shared by the seeds and settings of a table."""

    def __init__(self) -> None:
        self._found = dict[tuple[int, bool, bytes], tuple[Screen, Focus | None, np.ndarray, np.ndarray]]()

    def first(self, prepared: Prepared, scaled: Scaled, grown: Guide | None, screened: bool) -> First:
        """The attempt to make first.

        Args:
            prepared: the table.
            scaled: tables already scaled; new ones are added.
            grown: guide already fitted on this table.
            screened: whether to look for sets of columns.
        """
        recipe = prepared.recipe
        found, made, few, wrong = self._screen(prepared) if screened else (None, None, prepared.X, prepared.X)
        sets = found.sets if found else []
        if found is None or made is None:
            return First(one := attempt(prepared, recipe, scaled, grown), sets, one.guide, False)
        narrow = prepared._replace(X=few)
        grown = grown or fit_guide(prepared, scaled_once(prepared.X, recipe.scale, scaled)[0])
        leaf = LEAF if found.codes.listed[made.kept].all() else 1
        near = fit_guide(narrow, scaled_once(few, recipe.scale, scaled)[0], leaf=leaf)
        if not _clearer(prepared, near, grown, wrong):
            return First(attempt(prepared, recipe, scaled, grown), sets, grown, False)
        one = attempt(narrow, recipe, scaled, near)
        parts = [part._replace(view=Focused(made, part.view)) for part in one.parts]
        return First(one._replace(parts=parts), sets, grown, True)

    def _screen(self, prepared: Prepared) -> tuple[Screen, Focus | None, np.ndarray, np.ndarray]:
        about = prepared.truth, prepared.weight
        digest = hashlib.blake2b(b"".join(np.ascontiguousarray(a).tobytes() for a in about)).digest()
        key = id(prepared.X), prepared.classify, digest
        if key not in self._found:
            found = screen(prepared.X, *about, prepared.classify)
            few, nothing = found.readable(), (None, prepared.X, prepared.X)
            made = focus(few, prepared.X, *about, prepared.classify) if few else nothing
            self._found[key] = found, *made
        return self._found[key]


def _clearer(prepared: Prepared, near: Guide, grown: Guide, wrong: np.ndarray) -> bool:
    """Whether few columns say clearly more than a forest on all of them, about rows that its trees have not seen:
    through a forest of their own, or through an additive model, which is ``wrong`` by so much."""
    seen = np.isfinite(near.vote).all(axis=1) & np.isfinite(grown.vote).all(axis=1)
    truth, weight = prepared.truth[seen], prepared.weight[seen]
    if not seen.any():
        return False
    left = weight * np.square(truth - grown.vote[seen]).sum(axis=1)
    for mine in (np.square(truth - near.vote[seen]).sum(axis=1), wrong[seen]):
        gain = left - weight * mine
        if gain.mean() > max((1.0 - CLEARLY) * left.mean(), ERRORS * gain.std() / np.sqrt(len(gain))):
            return True
    return False
