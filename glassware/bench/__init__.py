"""Model-steps per second of the engine beside PyTorch and plain JAX, measured in one run on this machine."""

from glassware.bench.cell import Cell, parse_shapes
from glassware.bench.chart import speed_chart
from glassware.bench.compare import FULL, QUICK, Effort, Result, bench, frame
from glassware.bench.table import caption, speed_tables, summary_lines

__all__ = [
    "FULL",
    "QUICK",
    "Cell",
    "Effort",
    "Result",
    "bench",
    "caption",
    "frame",
    "parse_shapes",
    "speed_chart",
    "speed_tables",
    "summary_lines",
]
