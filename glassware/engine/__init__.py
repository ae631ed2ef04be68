"""Many runs as lanes of one device program."""

from glassware.engine.device import choose_lanes, devices
from glassware.engine.lanes import Chunk, Outcome, evaluation_flops, step_flops, train

__all__ = ["Chunk", "Outcome", "choose_lanes", "devices", "evaluation_flops", "step_flops", "train"]
