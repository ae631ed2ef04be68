"""Altair chart builders shared by the studies."""

from glassware.charts.curves import slices, success_curves, time_curves
from glassware.charts.dots import dots
from glassware.charts.heat_map import success_heat_map
from glassware.charts.notebook import in_notebook
from glassware.charts.save import save, specification
from glassware.charts.training import training_curves

__all__ = [
    "dots",
    "in_notebook",
    "save",
    "slices",
    "specification",
    "success_curves",
    "success_heat_map",
    "time_curves",
    "training_curves",
]
