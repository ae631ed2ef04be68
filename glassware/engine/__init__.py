"""Many runs as lanes of one device program."""

from glassware.engine.choice import ENGINES, Engine, check_engine
from glassware.engine.device import choose_lanes, devices
from glassware.engine.flight import Chunk, Glance
from glassware.engine.flops import evaluation_flops, round_flops, step_flops
from glassware.engine.lanes import train
from glassware.engine.outcome import Outcome
from glassware.engine.solve import SOLVE_RATE, solve, solve_flops
from glassware.engine.speed import Speed, measure_speed

__all__ = [
    "ENGINES",
    "SOLVE_RATE",
    "Chunk",
    "Engine",
    "Glance",
    "Outcome",
    "Speed",
    "check_engine",
    "choose_lanes",
    "devices",
    "evaluation_flops",
    "measure_speed",
    "round_flops",
    "solve",
    "solve_flops",
    "step_flops",
    "train",
]
