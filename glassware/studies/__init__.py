"""One folder a paper, one file a figure: sweep, claims and charts, readable alone from top to bottom."""

from __future__ import annotations

import difflib

from glassware.foundation.errors import GlasswareError
from glassware.studies import hidden_progress, induction, juntas, leaky, margins, pareto, theory
from glassware.studies.changed import MARK, changed, parse_changes
from glassware.studies.claim import SCALES, Claim, Judgement, Scale
from glassware.studies.part import parse_part, part
from glassware.studies.rows import left_in_pieces, missing, results, train
from glassware.studies.study import FigureError, Report, Rounds, Study, check_scale, claims, drawn, figures
from glassware.studies.verdict import Finding

GROUPS = (pareto, hidden_progress, leaky, theory, margins, induction, juntas)
STUDIES: dict[str, Study] = {study.name: study for group in GROUPS for study in group.STUDIES}


def find(name: str) -> Study:
    """The study of this name, or a sentence with the nearest one."""
    if name in STUDIES:
        return STUDIES[name]
    if MARK in name:  # a study with something changed, as ``changed`` names it
        known, _, given = name.partition(MARK)
        return changed(find(known), parse_changes(given.split(",")))
    group = _group(name)
    if group:
        raise GlasswareError(
            f"'{name}' has {len(group)} studies; name one, as {group[0].name} ('glassware studies' lists them)"
        )
    within = [known for known in STUDIES if name and name in known]
    near = within or difflib.get_close_matches(name, STUDIES, n=1, cutoff=0.4)
    hint = f"did you mean '{near[0]}'?" if near else "'glassware studies' lists them"
    # One of a paper's is likelier misspelt, any other likelier the reader's own.
    own = "" if _group(name.split("/")[0]) else "; one of your own is made known by gw.register, or by --parts FILE"
    raise GlasswareError(f"unknown study '{name}'; {hint}{own}")


def matching(name: str | None) -> list[Study]:
    """All studies, those of a paper (``pareto``), or one."""
    if name is None:
        return list(STUDIES.values())
    return _group(name) or [find(name)]


def _group(name: str) -> list[Study]:
    return [study for study in STUDIES.values() if study.name.startswith(name.rstrip("/") + "/")]


__all__ = [
    "SCALES", "STUDIES", "Claim", "FigureError", "Finding", "Judgement", "Report", "Rounds", "Scale", "Study",
    "changed", "check_scale", "claims", "drawn", "figures", "find", "left_in_pieces", "matching", "missing",
    "parse_changes", "parse_part", "part", "results", "train",
]  # fmt: skip
