"""PyTorch's part of a race: one model in a loop, models stacked along an axis, and that step as a CUDA graph.

It needs nothing but PyTorch and NumPy, so it may run under another Python than the other peers.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import torch

from benchmarks import race_peer
from benchmarks.race_peer import Advance, Problem

WARM = 3  # steps before a graph is captured, outside of it, as PyTorch's documentation asks
LOOK, MOST = 0.05, 200  # seconds and steps between two looks at the clock; a GPU is waited for at each

Call: TypeAlias = Callable[[], torch.Tensor]


class Training(NamedTuple):
    """A step of some models, on the examples that its buffers hold or that it draws itself.

    Attributes:
        step: trains and returns the first model's loss. Nothing in it waits for the device.
        feed: puts fresh examples in the buffers; called before every step that is clocked, never in a graph.
    """

    step: Call
    feed: Callable[[], None] = lambda: None


Make: TypeAlias = Callable[[Problem, int, torch.device], Training]


def serve(make: Make) -> None:
    """Answer as one of PyTorch's peers; ``make`` gets the problem, the number of models and the device.

    Where the problem says ``checking``, steps must be those of every other peer: on given examples, without dropout.
    """
    name = lambda: torch.cuda.get_device_name() if torch.cuda.is_initialized() else "cpu"
    race_peer.serve(partial(get_ready, make), lambda: {"library": f"torch {torch.__version__}", "device": name()})


def get_ready(make: Make, problem: Problem) -> tuple[Advance, float | None]:
    """Models that can be trained, and the loss that is compared."""
    torch.manual_seed(0)
    torch.set_flush_denormal(True)  # as XLA does
    if problem["threads"]:
        torch.set_num_threads(problem["threads"])
    place = torch.device("cuda" if problem["device"] == "gpu" else "cpu")
    models = 1 if problem["peer"] == "one" else problem["lanes"]
    _allow_tf32(False)
    loss = check(make, problem, models, place) if problem["checked"] else None
    _allow_tf32(problem["tf32"])
    step, feed = make({**problem, "checking": False}, models, place)
    step = captured(step) if problem["peer"] == "graphed" else step
    chunk = 1

    def advance() -> int:
        for _ in range(chunk):
            feed()
            step()
        if place.type == "cuda":
            torch.cuda.synchronize()
        return chunk * models

    advance()
    started = time.perf_counter()
    advance()
    chunk = max(1, min(MOST, int(LOOK / (time.perf_counter() - started))))
    return advance, loss


def check(make: Make, problem: Problem, models: int, place: torch.device) -> float:
    """The loss at the last of some steps that all peers take; of a graph too, whose first steps are the warm ones."""
    step, steps = make({**problem, "checking": True}, models, place).step, problem["checked"]
    if problem["peer"] == "graphed":
        step, steps = captured(step), steps - WARM
    for _ in range(steps):
        loss = step()
    found = float(loss)
    del step, loss
    gc.collect()
    if place.type == "cuda":
        torch.cuda.empty_cache()
    return found


def captured(call: Call) -> Call:
    """The call as a CUDA graph that is replayed: nothing is left of Python's share. What it returns is written over."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = call()

    def replay(alive: Call) -> torch.Tensor:
        graph.replay()
        return kept

    return partial(replay, call)  # which holds the weights: a graph knows addresses alone


def first_weights(problem: Problem, models: int, place: torch.device) -> dict[str, torch.Tensor]:
    """The first models' weights, with an axis of models in front."""
    made = race_peer.first_weights(problem)
    return {name: torch.tensor(leaf[:models], device=place).requires_grad_() for name, leaf in made.items()}


def adamw(problem: Problem, weights: Iterable[torch.Tensor], **settings: Any) -> torch.optim.Optimizer:
    """AdamW as the peer would use it: PyTorch's own choice for one model, one fused kernel for many on a GPU."""
    fused = problem["device"] == "gpu" and problem["peer"] != "one"
    return torch.optim.AdamW(
        list(weights), fused=fused or None, capturable=problem["peer"] == "graphed", lr=problem["lr"], **settings
    )


def _allow_tf32(allowed: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed
