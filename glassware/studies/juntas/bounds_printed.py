"""Rows of ``bounds`` about statements as printed: by how much each exceeds what it promises, relative to it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from glassware.studies.juntas.bounds_brute import SPLITS, late_growth, line_cover, steep_ratios
from glassware.studies.juntas.bounds_rows import Row, deep_gap
from glassware.theory.variable_creation import brute, maurey, shattering
from glassware.theory.variable_creation.covers import cover_linear, cover_matrix

LONG = 8.0  # tokens, where the text thinks of length 1


def printed_rows() -> Iterator[Row]:
    """Every statement in both forms."""
    for form in ("printed", "corrected"):
        for name, gap in _promises(form == "printed").items():
            yield {"part": "printed", "name": name, "form": form, "gap": max(0.0, float(gap))}


def _promises(printed: bool) -> dict[str, float]:
    steep = dict(steep_ratios(LONG, printed))
    (eps_1, eps_2), net = SPLITS[0], maurey.ball_net(1.0, 2, 20)[:, None]
    cover = maurey.matrix_cover(1.0, 1.0, 2, eps_1, eps_2, printed=printed)[:, None]
    inputs = 10
    size = 1 / math.sqrt(inputs)
    packed = brute.log_grid_packing(brute.sign_grid(inputs, size), size)
    return {
        "4.2": packed / cover_linear(1.0, 1.0, 0.499 * size, inputs, printed=printed) - 1,
        # One row, one input: an interval. The printed bound is 0 there, so this is not relative.
        "4.10": math.log(line_cover(0.2)) - cover_matrix(1.0, 1.0, 1, 1, 0.2, printed=printed),
        "rows of 4.10": brute.uncovered(net, cover) / (eps_1 + eps_2) - 1,
        "4.9": steep["4.7"] - 1,
        "A.14": steep["A.14"] - 1,
        "activations": steep["length of activations"] - 1,
        "order of A.17": late_growth(printed) - 1,
        "sum of A.17": deep_gap(printed) - 1e-6,
        "denominator": shattering.denominator(2) / shattering.denominator(2, printed) - 1,
    }
