"""Run specs with content ids, grids, planning, the results table, resume."""

from glassware.sweeps.files import parse_sweep, read_sweep
from glassware.sweeps.grid import Axes, grid
from glassware.sweeps.identity import SEMANTICS, run_id
from glassware.sweeps.plan import Plan, make_plan
from glassware.sweeps.rows import CIRCUMSTANCES
from glassware.sweeps.store import Store
from glassware.sweeps.sweep import Reporter, select, sweep

__all__ = [
    "CIRCUMSTANCES",
    "SEMANTICS",
    "Axes",
    "Plan",
    "Reporter",
    "Store",
    "grid",
    "make_plan",
    "parse_sweep",
    "read_sweep",
    "run_id",
    "select",
    "sweep",
]
