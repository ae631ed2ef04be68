"""A share of a sweep: what one of several machines, or GPUs, trains of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glassware.foundation.errors import GlasswareError


@dataclass(frozen=True)
class Share:
    """Share ``index`` of ``count``, counted from 1.

    Runs go by their ids, which are hashes: every share has its part of every shape, and shares need not talk.
    """

    index: int
    count: int

    def has(self, run_id: str) -> bool:
        """Whether a run belongs to it."""
        return int(run_id[:12], 16) % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index} of {self.count}"


def parse_share(text: str) -> Share:
    """``2/8``: the second of eight shares."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text.strip())
    share = Share(int(found[1]), int(found[2])) if found else Share(0, 0)
    if not 1 <= share.index <= share.count:
        raise GlasswareError(f"'{text}' is no share; the second of eight is 2/8, the last 8/8")
    return share
