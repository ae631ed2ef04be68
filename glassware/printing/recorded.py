"""Judgements whose rows are in no store at hand, kept as JSON with what made them.

A file holds ``provenance`` (version, date, hardware, rows; where known minutes,
command, remark) and ``judgements`` as ``glassware claims
--json`` prints them. Where a judgement says what must be met (``meets``: ``low``, ``high``, ``strict``), its verdict is
that of the present rule; elsewhere it is the recorded one, and says whose.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate
from glassware.studies.verdict import Threshold


@dataclass(frozen=True)
class Recorded:
    """A judgement from a file: the verdict, the number, and what made them.

    Attributes:
        threshold: what was needed then, in words.
        doubt: said after the number where the verdict is not of the present rule.
    """

    verdict: str
    measured: str
    detail: str
    threshold: str
    doubt: str
    provenance: str


def read_recorded(folder: Path) -> dict[tuple[str, str], Recorded]:
    """All recorded judgements, by study and claim; none where there is no such folder."""
    found: dict[tuple[str, str], Recorded] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text())
            said = _provenance(content["provenance"])
            for one in content["judgements"]:
                key = one["study"], one["claim"]
                if key in found:
                    raise GlasswareError(f"{path}: {key[0]}/{key[1]} is recorded twice")
                found[key] = _recorded(one, content["provenance"]["version"], said)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise GlasswareError(f"{path} holds no recorded judgements: {error!r}") from None
    return found


def _recorded(one: Mapping[str, object], version: str, said: str) -> Recorded:
    number = lambda name, missing: missing if one.get(name) is None else float(str(one[name]))
    verdict, doubt = str(one["verdict"]), f" (verdict of {version})"
    meets = one.get("meets")
    if isinstance(meets, Mapping):
        low, high = (
            math.inf * sign if meets.get(end) is None else meets[end] for end, sign in (("low", -1), ("high", 1))
        )
        needed = Threshold(float(low), float(high), bool(meets.get("strict", False)))
        measured = Estimate(number("value", math.nan), number("low", math.nan), number("high", math.nan))
        verdict, doubt = needed.verdict(measured), ""
    elif meets == "count" or version != "0.1.0":  # a count, or judged by the present rule
        doubt = ""
    return Recorded(verdict, str(one["measured"]), str(one["detail"]), str(one["threshold"]), doubt, said)


def _provenance(about: Mapping[str, object]) -> str:
    minutes = f", {about['minutes']} minutes" if about.get("minutes") is not None else ""
    command = f" (`{about['command']}`)" if about.get("command") else ""
    remark = f" {about['remark']}" if about.get("remark") else ""
    made = f"glassware {about['version']}, {about['date']}, {about['hardware']}{minutes}{command}"
    return f"{about['rows']}: {made}.{remark}"
