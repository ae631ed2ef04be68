"""Figures of the minimal model: distances, losses, and its weights on the way (see ``minimal_model``)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.charts.theme import CATEGORIES, DENSE, MUTED
from glassware.charts.tiles import tiles
from glassware.studies.induction.minimal_model_checks import LEADS
from glassware.studies.induction.shared.figures import Panelled, distance_chart, loss_chart
from glassware.studies.induction.shared.phases import crossing, curve
from glassware.studies.lanes import lanes

SHOWN = 20  # coordinates of v
SETTING = "one line per seed; t = 100, SGD at 0.002, batches of 64"
LEAD, AT, LAST = "v_2 first 1.5 times the others", "crossing τ*", "end of training"


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    title = "The minimal model is nearest to uniform, then unigrams, then bigrams"
    return distance_chart(_panels(frame), title, _setting)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training, beside the levels of the strategies."""
    title = "Test loss of the minimal model beside the levels of the strategies"
    return loss_chart(_panels(frame), title, _setting, measured="minimal model", y_domain=(0.0, 0.32))


def positions(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The first coordinates of v when the second leads, at the crossing and at the end."""
    points = []
    for panel, row in _panels(frame):
        at = crossing(row)
        places = (
            {LAST: -1} if at is None else {LEAD: int(np.argmax(curve(row, "second_lead") > LEADS)), AT: at, LAST: -1}
        )
        for kind, place in places.items():
            v = curve(row, "v")[place][:SHOWN]
            points += [
                {"panel": panel, "run": row["id"], "kind": kind, "j": j, "v": value} for j, value in enumerate(v, 1)
            ]
    if not points:
        return None
    return lines(
        pl.DataFrame(points), x="j", y="v", line="run", kind="kind", panel="panel",
        title="Even coordinates of v stick out, then v_2 wins",
        x_title="coordinate j (look-back j − 1)", y_title="v_j", subtitle=SETTING, columns=3, own_y=True,
        colours={LEAD: CATEGORIES[4], AT: DENSE, LAST: MUTED},
    )  # fmt: skip


def matrix(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """W at the crossing, averaged over seeds; at the end where there is no crossing; not where it is frozen."""
    found: dict[str, list[np.ndarray]] = {}
    for panel, row in _panels(frame.filter(~pl.col("frozen")) if len(frame) else frame):
        at, k = crossing(row), int(row["states"])
        when = "at the end" if at is None else "at τ*"
        found.setdefault(f"{panel}, {when}", []).append(curve(row, "w")[-1 if at is None else at].reshape(k, k))
    if not found:
        return None
    cells = [
        {"panel": panel, "row": f"x_p = {m + 1}", "column": f"x_s = {s + 1}", "value": value, "text": f"{value:.3f}"}
        for panel, matrices in found.items()
        for (m, s), value in np.ndenumerate(np.mean(matrices, axis=0))
    ]
    top = max(abs(float(str(cell["value"]))) for cell in cells)
    return tiles(
        pl.DataFrame(cells), scale=alt.Scale(scheme="redblue", domain=[-top, top]), title="W in mid-training",
        x_title="earlier token", y_title="current token", value_title="mean of W", tile_width=70,
        subtitle="mean over seeds",
    )  # fmt: skip


def _setting(_: Panelled) -> str:
    return SETTING


def _panels(frame: pl.DataFrame) -> Panelled:
    """Runs with free W by k, and then those with W frozen, each panel with its number of seeds."""
    named = [
        (f"k = {row['states']}, W frozen" if row["frozen"] else f"k = {row['states']}", row) for row in lanes(frame)
    ]
    seeds = Counter(panel for panel, _ in named)
    return [(f"{panel}, {seeds[panel]} seeds", row) for panel, row in sorted(named, key=lambda run: "frozen" in run[0])]
