"""Checks of ``bounds``: exact, but for Rademacher complexities, whose sets of inputs and signs are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.computed import exact, part, span
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    above,
    all_of,
    all_within,
    at_least,
    at_most,
    between,
)

Check = Callable[[pl.DataFrame], Finding]

ROUNDING = 1e-9


def tools(frame: pl.DataFrame) -> Finding:
    """The largest left over right side of each inequality: at most 1, and 1 is reached."""
    return _ratios(part(frame, "tool"), 0.999)


def normalisers(frame: pl.DataFrame) -> Finding:
    """Largest distance of C_Norm, found by ascent, from its closed form."""
    found = part(frame, "normaliser")
    if not len(found):
        return NOT_ENOUGH
    top = found.group_by("name", maintain_order=True).last()
    said = "; ".join(
        f"{name} {value:.3f} at T = {T}" for name, value, T in top.select("name", "value", "T").iter_rows()
    )
    return all_within((found["value"] - found["wanted"]).to_list(), 1e-3, said)


def lipschitz(frame: pl.DataFrame) -> Finding:
    """The largest left over right side of each lemma: at most 1, and not far below."""
    found = part(frame, "lipschitz")
    close = found.filter(pl.col("name") == "A.13") if len(found) else found
    return all_of([_ratios(found, 0.2), _ratios(close, 0.5)], _by_name(found))


def steepness(frame: pl.DataFrame) -> Finding:
    """The power with which the steepest slope grows in the length of tokens."""
    found = part(frame, "slope").sort("x") if len(frame) else frame
    if len(found) < 2:
        return NOT_ENOUGH
    first, last = found.select("x", "value").row(0), found.select("x", "value").row(-1)
    ratio = max(last[1], 1e-300) / max(first[1], 1e-300)
    return exact(
        math.log(ratio) / math.log(last[0] / first[0]), between(1.99, 2.01), f"slopes {first[1]:.3g} to {last[1]:.3g}"
    )


def log_growth(frame: pl.DataFrame) -> Finding:
    """Doublings of T over their closed form, up to constants; the last over the first, with them."""
    found = part(frame, "increment").sort("x") if len(frame) else frame
    if not len(found):
        return NOT_ENOUGH
    scaling = found.filter(pl.col("form") == "scaling")
    findings, said = [all_within((scaling["value"] / scaling["wanted"] - 1).to_list(), ROUNDING)], []
    for (form,), rows in found.filter(pl.col("form") != "scaling").group_by("form", maintain_order=True):
        ratio = rows["value"][-1] / (rows["value"][0] or math.nan)
        findings.append(exact(ratio, between(0.88, 1.0)))
        said.append(f"{form} {ratio:.3f}")
    return all_of(findings, "; ".join(said))


def powers(frame: pl.DataFrame) -> Finding:
    """Largest distance of a power from the stated one."""
    found = part(frame, "exponent")
    return all_within((found["value"] - found["wanted"]).to_list() if len(found) else [], ROUNDING, _by_name(found))


def match(*names: str, limit: float) -> Check:
    """The check of formulas against the same found in another way."""

    def check(frame: pl.DataFrame) -> Finding:
        """Largest relative distance."""
        found = part(frame, "match")
        found = found.filter(pl.col("name").is_in(names)) if len(found) else found
        complete = len(found) and set(found["name"]) == set(names)
        return all_within(found["gap"].to_list(), limit) if complete else NOT_ENOUGH

    return check


def never_below(frame: pl.DataFrame) -> Finding:
    """Packings over bounds of the logarithm: below 1, above 0; and the smallest cover of an interval, exactly."""
    found = part(frame, "brute")
    if not len(found):
        return NOT_ENOUGH
    known = found.filter(pl.col("name") == "interval")["gap"].to_list()
    (least, most), (_, ratio) = span(found["value"]), span(found["value"] / found["wanted"])
    said = f"{len(found)} classes and errors; up to {_count(most)} functions apart"
    return all_of([exact(ratio, at_most(1)), exact(least, above(0.5)), all_within(known, 0.0)], said)


def composed(frame: pl.DataFrame) -> Finding:
    """The largest logarithm of a head's cover over the sum for its scores and values: at most 1, and not far below."""
    found = part(frame, "composed")
    if not len(found):
        return NOT_ENOUGH
    low, high = span(found["value"] / found["wanted"])
    said = f"{len(found)} errors and splits; {_count(span(found['value'])[1])} functions suffice"
    return all_of([exact(high, at_most(1)), exact(low, at_least(0.1))], said)


def built_cover(frame: pl.DataFrame) -> Finding:
    """Uncovered distance over eps; and packing ≤ smallest cover ≤ built cover ≤ bound, in logarithms."""
    found = part(frame, "built")
    if not len(found):
        return NOT_ENOUGH
    findings, said = [], []
    for rows in found.partition_by("x", maintain_order=True):
        eps = float(rows["x"][0])
        size = dict(rows.select("name", "value").iter_rows())
        names = ("packing", "smallest", "size", "bound")
        if not {*names, "uncovered"} <= set(size):
            return NOT_ENOUGH
        chain = [size[name] for name in names]
        findings.append(exact(size["uncovered"] / eps, between(0.2, 1.0)))
        findings.append(exact(max(a - b for a, b in pairwise(chain)), at_most(ROUNDING)))
        findings.append(exact(size["packing"], above(0.5)))
        said.append(f"ε = {eps}: {size['uncovered']:.3f} uncovered, {_count(size['size'])} functions")
    return all_of(findings, "; ".join(said))


def rademacher_grows(frame: pl.DataFrame) -> Finding:
    """The complexity at T = 128 over that at T = 8."""
    few, many = (_mean(frame, T) for T in (8, 128))
    if not (few and many):
        return NOT_ENOUGH
    (a, a_error), (b, b_error) = few, many
    if not (a and b):
        return NOT_ENOUGH
    error = 1.96 * math.hypot(a_error / a, b_error / b)
    ratio = b / a
    measured = Estimate(ratio, ratio * math.exp(-error), ratio * math.exp(error))
    root = math.sqrt(math.log(256) / math.log(16))
    said = f"{a:.3f} and {b:.3f}; √log(2T) would be {root:.2f}, √T 4"
    return Finding(measured, between(1.45, 1.75), "times", said)


def rademacher_bounded(frame: pl.DataFrame) -> Finding:
    """The complexity over the bound for finite classes, at every T."""
    found = part(frame, "rademacher")
    findings, said = [], []
    for T in sorted(set(found["T"])) if len(found) else []:
        (mean, error), bound = _mean(frame, T) or (math.nan, math.nan), found.filter(pl.col("T") == T)["wanted"][0]
        measured = Estimate(mean / bound, (mean - 1.96 * error) / bound, (mean + 1.96 * error) / bound)
        findings.append(Finding(measured, between(0.5, 1.0)))
        said.append(f"T = {T}: {mean:.3f} of {bound:.3f}")
    return all_of(findings, "; ".join(said))


def shatters(frame: pl.DataFrame) -> Finding:
    """The least margin over all labelings and contexts, and the least attention at the selected token."""
    found = part(frame, "shatter")
    if not len(found):
        return NOT_ENOUGH
    margin, attention = (found.filter(pl.col("name") == name)["value"] for name in ("margin", "attention"))
    if not (len(margin) and len(attention)):
        return NOT_ENOUGH
    contexts = ", ".join(str(T) for T in sorted(set(found["T"])))
    findings = [exact(one, between(0.2, 0.5 + ROUNDING)) for one in margin.to_list()]
    findings += [exact(one, between(0.99, 1.0)) for one in attention.to_list()]
    return all_of(findings, f"T = {contexts}; least margin {span(margin)[0]:.3f}, attention {span(attention)[0]:.4f}")


def margins(frame: pl.DataFrame) -> Finding:
    """Largest relative distance of the lowest digit's margin from exp(-T^2 / 8c)."""
    found = part(frame, "margin")
    return all_within((found["value"] / found["wanted"] - 1).to_list() if len(found) else [], 0.01)


def sine(frame: pl.DataFrame) -> Finding:
    """Labelings that come out right."""
    found = part(frame, "sine")
    return exact(found["value"][0], between(1.0, 1.0), "1,024 labelings of 10 points") if len(found) else NOT_ENOUGH


def fixed_norms(frame: pl.DataFrame) -> Finding:
    """The largest and smallest local exponent of m in log T, norms held fixed, over all constructions."""
    found = [e for one in _exponents(frame, "norms held fixed").values() for e in one]
    if not found:
        return NOT_ENOUGH
    return all_of([exact(max(found), at_most(1)), exact(min(found), above(0))], f"{min(found):.2f} to {max(found):.2f}")


def grown_norms(frame: pl.DataFrame) -> Finding:
    """Local exponents of m in log T with the norms of one head, up to T = 2^40: their ends, and whether they rise."""
    found = _exponents(frame, "norms of the construction", last=40.0).get("one head", [])
    if len(found) < 2:
        return NOT_ENOUGH
    rise = min(later - earlier for earlier, later in pairwise(found))
    ends = [exact(found[0], between(1.5, 3)), exact(found[-1], between(1.5, 3)), exact(rise, above(0))]
    return all_of(ends, ", ".join(f"{e:.2f}" for e in found))


def cubed(frame: pl.DataFrame) -> Finding:
    """The smallest and largest exponent between T = 2^500 and 2^1000, over all constructions."""
    found = {kind: one[-1] for kind, one in _exponents(frame, "norms of the construction").items() if one}
    if not found:
        return NOT_ENOUGH
    ends = [exact(end, between(2.8, 3)) for end in (min(found.values()), max(found.values()))]
    return all_of(ends, "; ".join(f"{kind} {e:.2f}" for kind, e in found.items()))


def corrected(frame: pl.DataFrame) -> Finding:
    """By how much a corrected statement exceeds what it promises, relative to it."""
    found = part(frame, "printed", form="corrected")
    return all_within(found["gap"].to_list() if len(found) else [], ROUNDING)


def printed(name: str) -> Check:
    """The check of a statement as printed."""

    def check(frame: pl.DataFrame) -> Finding:
        """By how much the printed statement exceeds what it promises, relative to it."""
        found = part(frame, "printed", form="printed", name=name)
        return exact(span(found["gap"])[1], at_most(ROUNDING)) if len(found) else NOT_ENOUGH

    return check


# -- shared -----------------------------------------------------------------------------------------------------------


def _ratios(found: pl.DataFrame, least: float) -> Finding:
    """Ratios of left and right sides: none above 1, each as large as this."""
    if not len(found):
        return NOT_ENOUGH
    low, high = span(found["value"])
    return all_of([exact(high, at_most(1 + ROUNDING)), exact(low, at_least(least))], _by_name(found))


def _count(log: float) -> str:
    """A number of functions from its logarithm, in words."""
    return f"{math.exp(log):,.0f}" if log < 50 else f"e^{log:.0f}"


def _by_name(found: pl.DataFrame) -> str:
    rows = found.select("name", "value").iter_rows() if len(found) else ()
    return "; ".join(f"{name} {value:.3f}" for name, value in rows)


def _mean(frame: pl.DataFrame, T: int) -> tuple[float, float] | None:
    """Mean over sets of inputs, and its standard error."""
    values = part(frame, "rademacher", T=T).drop_nulls("value")["value"].to_numpy()
    if len(values) < 2:
        return None
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values))


def _exponents(frame: pl.DataFrame, form: str, last: float = math.inf) -> dict[str, list[float]]:
    found = part(frame, "samples", form=form)
    if not len(found):
        return {}
    rows = found.filter(pl.col("x") <= last).sort("x").group_by("kind", maintain_order=True)
    return {
        str(kind): [(b - a) / math.log(y / x) for (x, a), (y, b) in pairwise(one.select("x", "value").iter_rows())]
        for (kind,), one in rows
    }
