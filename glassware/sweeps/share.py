"""A share of a sweep: what one of several machines, or GPUs, trains of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from glassware.foundation.errors import GlasswareError


@dataclass(frozen=True)
class Share:
    """Share ``index`` of ``count``, counted from 1.

    Runs are dealt in the order of their ids, which are hashes: every share has its part of every shape, none has more
    than one run more than another, and shares of the same sweep need not talk.
    """

    index: int
    count: int

    def of(self, ids: Iterable[str]) -> set[str]:
        """The runs of a sweep that belong to it."""
        return set(sorted(ids)[self.index - 1 :: self.count])

    def __str__(self) -> str:
        return f"{self.index} of {self.count}"


def parse_share(text: str) -> Share:
    """``2/8``: the second of eight shares."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text.strip())
    share = Share(int(found[1]), int(found[2])) if found else Share(0, 0)
    if not 1 <= share.index <= share.count:
        raise GlasswareError(f"'{text}' is no share; the second of eight is 2/8, the last 8/8")
    return share
