"""Run specs with content ids, grids, planning, the results table, resume."""

from glassware.sweeps.computed import keep_computed, read_computed
from glassware.sweeps.estimate import MeasureError, estimate
from glassware.sweeps.experience import Experience
from glassware.sweeps.files import parse_sweep, read_sweep, read_sweep_file
from glassware.sweeps.forecast import Forecast, Total
from glassware.sweeps.grid import Axes, change, grid
from glassware.sweeps.identity import SEMANTICS, run_id
from glassware.sweeps.items import Item, Pieces
from glassware.sweeps.plan import Plan, make_plan, named
from glassware.sweeps.remembered import Remembered, recall, remember, remembered
from glassware.sweeps.rows import CIRCUMSTANCES
from glassware.sweeps.share import Share, parse_share
from glassware.sweeps.store import Store
from glassware.sweeps.sweep import Reporter, pick, select, sweep

__all__ = [
    "CIRCUMSTANCES",
    "SEMANTICS",
    "Axes",
    "Experience",
    "Forecast",
    "Item",
    "MeasureError",
    "Pieces",
    "Plan",
    "Remembered",
    "Reporter",
    "Share",
    "Store",
    "Total",
    "change",
    "estimate",
    "grid",
    "keep_computed",
    "make_plan",
    "named",
    "parse_share",
    "parse_sweep",
    "pick",
    "read_computed",
    "read_sweep",
    "read_sweep_file",
    "recall",
    "remember",
    "remembered",
    "run_id",
    "select",
    "sweep",
]
