"""Many runs as lanes of one device program."""

from glassware.engine.device import choose_lanes, devices
from glassware.engine.lanes import Chunk, Outcome, evaluation_flops, step_flops, train
from glassware.engine.speed import Speed, measure_speed

__all__ = [
    "Chunk",
    "Outcome",
    "Speed",
    "choose_lanes",
    "devices",
    "evaluation_flops",
    "measure_speed",
    "step_flops",
    "train",
]
