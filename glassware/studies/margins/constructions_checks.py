"""Checks of ``constructions``: all exact."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from glassware.studies.cells import where
from glassware.studies.margins.shared.computed import exact, largest, part
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    above,
    all_of,
    at_least,
    at_most,
    below,
    between,
)

Check = Callable[[pl.DataFrame], Finding]

EQUAL, RATIO = 1e-10, 1e-9
# Margin over gamma* without one irrep, by group and irrep; to 1e-4.
DELETED = {
    "S_4": {"(3,1)": 0.8504, "(2,2)": 0.8819, "(2,1,1)": 0.8504, "(1,1,1,1)": 0.9416},
    "S_5": {"(1,1,1,1,1)": 0.9871, "(2,1,1,1)": 0.9099, "(4,1)": 0.9478, "(3,2)": 0.9505, "(2,2,1)": 0.9505,
            "(3,1,1)": 0.8993},
}  # fmt: skip
# Second-best irrep over sign when classes have equal weights; to 1e-3.
RUNNERS_UP = {"S_3": 0.884, "S_4": 0.625, "S_5": 0.521, "S_6": 0.456}


def _networks(frame: pl.DataFrame, theorems: bool = True) -> pl.DataFrame:
    found = part(frame, "network")
    return found.filter((pl.col("kind") != "other types") == theorems) if len(found) else found


def margins(frame: pl.DataFrame) -> Finding:
    """Largest relative distance of a network's margin from gamma*."""
    return largest(_networks(frame), (pl.col("ratio") - 1).abs(), at_most(EQUAL))


def ties(frame: pl.DataFrame) -> Finding:
    """Largest spread of margins over points, and of wrong outputs at a point, over gamma*."""
    return largest(_networks(frame), pl.max_horizontal("spread", "labels"), at_most(EQUAL))


def widths(frame: pl.DataFrame) -> Finding:
    """Largest distance of a network's width from the theorem's."""
    return largest(_networks(frame), (pl.col("neurons") - pl.col("width")).abs(), at_most(0))


def certificates(frame: pl.DataFrame) -> Finding:
    """Share of the networks whose certificate proves maximum margin."""
    found = _networks(frame)
    return exact(float(found["certified"].mean()), at_least(1), f"{len(found)} networks") if len(found) else NOT_ENOUGH  # type: ignore[arg-type]


def other_types(frame: pl.DataFrame) -> Finding:
    """The same for groups with complex or quaternionic irreps: largest distance from gamma* and from ties."""
    found = _networks(frame, theorems=False)
    if not len(found):
        return NOT_ENOUGH
    gaps = pl.max_horizontal(
        (pl.col("ratio") - 1).abs(), "spread", "labels", (pl.col("neurons") - pl.col("width")).abs()
    )
    text = ", ".join(f"{task}: {neurons} neurons" for task, neurons in found.select("task", "neurons").iter_rows())
    return all_of([largest(found, gaps, at_most(EQUAL)), exact(float(found["certified"].all()), at_least(1))], text)


def two_margins(frame: pl.DataFrame) -> Finding:
    """Margin of D_4 over that of Q_8, which has the same characters."""
    gamma = dict(part(frame, "network").select("task", "gamma").iter_rows()) if len(part(frame, "network")) else {}
    if not {"D_4", "Q_8"} <= set(gamma):
        return NOT_ENOUGH
    text = f"D_4: {gamma['D_4']:.8f}, Q_8: {gamma['Q_8']:.8f}"
    known = {"D_4": 0.01571966, "Q_8": 0.01237116}
    near = [exact(abs(gamma[name] / value - 1), at_most(1e-6)) for name, value in known.items()]
    return all_of([exact(gamma["D_4"] / gamma["Q_8"], above(1)), *near], text)


def one_frequency(frame: pl.DataFrame) -> Finding:
    """Smallest accuracy of a single frequency that has no divisor in common with p."""
    found = part(frame, "frequency", common=1)
    if not len(found):
        return NOT_ENOUGH
    return exact(min(found["accuracy"].to_list()), at_least(1), f"{len(found)} frequencies")


def common_divisor(frame: pl.DataFrame) -> Finding:
    """Largest distance from 0 of the smallest margin of a frequency that has a divisor in common with p."""
    found = part(frame, "frequency")
    return largest(found.filter(pl.col("common") > 1) if len(found) else found, pl.col("low").abs(), at_most(1e-12))


def kept_frequencies(frame: pl.DataFrame) -> Finding:
    """Distance from the closed form: the first k frequencies, and all but one."""
    kept, deleted = part(frame, "kept"), part(frame, "deleted")
    if not len(kept) or not len(deleted):
        return NOT_ENOUGH
    both = [kept, deleted.filter(pl.col("task").str.starts_with("Z_"))]
    return all_of([largest(found, (pl.col("ratio") - pl.col("formula")).abs(), at_most(EQUAL)) for found in both])


def deleted_irreps(frame: pl.DataFrame) -> Finding:
    """Distance of a network without one irrep from the closed form, and from the numbers of the trial."""
    found = part(frame, "deleted")
    found = found.filter(pl.col("task").is_in(list(DELETED))) if len(found) else found
    if not len(found):
        return NOT_ENOUGH
    gaps = [
        abs(ratio - DELETED[task][label]) for task, label, ratio in found.select("task", "label", "ratio").iter_rows()
    ]
    closed = largest(found, (pl.col("ratio") - pl.col("formula")).abs(), at_most(EQUAL))
    text = ", ".join(
        f"{task} without {label}: {ratio:.4f}"
        for task, label, ratio in found.select("task", "label", "ratio").iter_rows()
    )
    return all_of([exact(max(gaps), at_most(1e-4)), closed], text)


def uncertified(frame: pl.DataFrame) -> Finding:
    """Share of the networks with something missing that pass for one of maximum margin."""
    found = part(frame, "deleted")
    return exact(float(found["certified"].mean()), at_most(0), f"{len(found)} networks") if len(found) else NOT_ENOUGH  # type: ignore[arg-type]


def patterns(frame: pl.DataFrame) -> Finding:
    """Best margin over gamma* for k = 4 with one of eight sign patterns missing."""
    found = part(frame, "patterns")
    if not len(found):
        return NOT_ENOUGH
    four = found.filter(pl.col("kept") == 7)["ratio"].to_list()
    text = ", ".join(f"{task}: {ratio:.4f}" for task, ratio in found.select("task", "ratio").iter_rows())
    best = exact(max(found["ratio"].to_list()), at_most(1e-12))
    return all_of([best, *(exact(value, between(-1 / 9 - RATIO, -1 / 9 + RATIO)) for value in four)], text)


def memorised(frame: pl.DataFrame) -> Finding:
    """Largest margin over gamma* of a memorising network; all classify, and their spectra are flat."""
    found = part(frame, "memorising")
    if not len(found):
        return NOT_ENOUGH
    conditions = [
        exact(max(found["ratio"].to_list()), below(1)),
        exact(min(found["accuracy"].to_list()), at_least(1)),
        exact(max(found["spread"].to_list()), at_most(1e-12)),
    ]
    return all_of(conditions, ", ".join(f"{task}: {ratio:.3f}" for task, ratio in _balanced(found)))


def memorised_ratio(frame: pl.DataFrame) -> Finding:
    """Largest relative distance of its margin from the closed form."""
    return largest(part(frame, "memorising"), (pl.col("ratio") / pl.col("formula") - 1).abs(), at_most(RATIO))


def _balanced(found: pl.DataFrame) -> list[tuple[str, float]]:
    return where(found, form="balanced").select("task", "ratio").rows()


def uniform_weights(frame: pl.DataFrame) -> Finding:
    """Second-best irrep over sign under uniform weights, and the bound that they give, over gamma*."""
    found = part(frame, "weighting")
    found = (
        found.filter(pl.col("form") != "largest margin", pl.col("task").str.starts_with("S_")) if len(found) else found
    )
    if not len(found):
        return NOT_ENOUGH
    others = found.filter(pl.col("label").str.contains("[2-9]"))
    signs = found.filter(~pl.col("label").str.contains("[2-9]"))
    text = "; ".join(f"{task}: {share:.3f}" for task, share in _second(others))
    conditions = [
        exact(max(others["share"].to_list()), below(1)),
        exact(min(signs["ratio"].to_list()), above(1)),
        exact(min(signs["share"].to_list()), at_least(1)),
    ]
    return all_of(conditions, f"equal classes, second best: {text}")


def runners_up(frame: pl.DataFrame) -> Finding:
    """Distance of the second-best irrep under equal weights of classes from the trial's numbers."""
    found = part(frame, "weighting")
    second = dict(_second(found.filter(pl.col("label").str.contains("[2-9]")))) if len(found) else {}
    if not set(RUNNERS_UP) <= set(second):
        return NOT_ENOUGH
    return exact(max(abs(second[group] - share) for group, share in RUNNERS_UP.items()), at_most(1e-3))


def _second(others: pl.DataFrame) -> list[tuple[str, float]]:
    """The best irrep besides sign of each S_n under equal weights of classes."""
    rows = where(others, form="uniform over classes").filter(pl.col("task").str.starts_with("S_"))
    return rows.group_by("task", maintain_order=True).agg(pl.col("share").max()).rows()


def tied_characters(frame: pl.DataFrame) -> Finding:
    """Smallest over largest value of the 1-dimensional irreps of D_4 and D_6 under equal weights of labels."""
    found = part(frame, "weighting", form="uniform over labels", dimension=1)
    found = found.filter(pl.col("task").is_in(["D_4", "D_6"])) if len(found) else found
    if not len(found):
        return NOT_ENOUGH
    return exact(min(found["share"].to_list()), at_least(1 - RATIO), f"{len(found)} irreps")


def character_table(frame: pl.DataFrame) -> Finding:
    """Largest distance of a printed row from the nearest row of the table computed."""
    found = part(frame, "table")
    if not len(found) or found["nearest"].n_unique() < len(found):
        return NOT_ENOUGH
    return exact(max(found["gap"].to_list()), at_most(RATIO), f"{len(found)} rows, each found once")


def printed_labels(frame: pl.DataFrame) -> Finding:
    """Largest distance of a printed row from the irrep that its name means."""
    found = part(frame, "table")
    if not len(found):
        return NOT_ENOUGH
    wrong = found.filter(pl.col("named_gap") > RATIO)
    text = ", ".join(f"'{name}' is {nearest}" for name, nearest in wrong.select("label", "nearest").iter_rows())
    return exact(max(found["named_gap"].to_list()), at_most(RATIO), text)


def corrected(frame: pl.DataFrame) -> Finding:
    """Largest distance from equality among the corrected statements."""
    found = part(frame, "lemma", form="corrected")
    if not len(found):
        return NOT_ENOUGH
    text = f"{found['statement'].n_unique()} statements, {len(found)} cases"
    return exact(max(found["gap"].to_list()), at_most(EQUAL), text)


def printed(*statements: str) -> Check:
    """A check of statements as printed."""

    def check(frame: pl.DataFrame) -> Finding:
        """Largest distance from equality of the printed form."""
        found = part(frame, "lemma", form="printed")
        gaps = found.filter(pl.col("statement").is_in(statements))["gap"].to_list() if len(found) else []
        if not gaps:
            return NOT_ENOUGH
        return exact(max(gaps), at_most(EQUAL), f"{len(gaps)} cases; the smallest {min(gaps):.3g}")

    return check
