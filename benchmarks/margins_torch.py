"""PyTorch's part of ``benchmarks.margins_speed``: a process that trains group networks when it is asked to.

It needs nothing but PyTorch, so it may run under another Python. The problem comes as the first line of its input, as
JSON; then every line asks for so many seconds of training, and the answer says how many model-steps that were.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

STEPS = 10  # between two looks at the clock

Step = Callable[[], torch.Tensor]


def stacked_step(problem: dict[str, Any], lanes: int, place: torch.device) -> Step:
    """One step of ``lanes`` models along a batch axis; the losses are summed, so one backward serves all."""
    order, width, batch, lr, lam = (problem[name] for name in ("order", "width", "batch", "lr", "lam"))
    u, v, w = (leaf[:lanes].to(place).requires_grad_() for leaf in first_weights(problem))
    table = torch.tensor(problem["table"], device=place)
    optimiser = torch.optim.SGD([u, v, w], lr=lr)
    everything = torch.arange(order * order, device=place).expand(lanes, -1)

    def step() -> torch.Tensor:
        index = everything if batch is None else torch.randint(order * order, (lanes, batch), device=place)
        if batch is None:
            hidden = (u[:, :, None, :] + v[:, None, :, :]).square().reshape(lanes, order * order, width)
        else:
            pick = lambda leaf, at: torch.gather(leaf, 1, at[..., None].expand(-1, -1, width))
            hidden = (pick(u, index // order) + pick(v, index % order)).square()
        logits = torch.bmm(hidden, w)
        right = table.flatten()[index]
        losses = torch.nn.functional.cross_entropy(logits.flatten(0, 1), right.flatten(), reduction="none")
        squares = u.square().sum(1) + v.square().sum(1) + w.square().sum(2)
        total = losses.view(lanes, -1).mean(1) + lam * squares.pow(1.5).sum(1)
        optimiser.zero_grad()
        total.sum().backward()
        optimiser.step()
        return total.detach()[0]

    return step


def one_step(problem: dict[str, Any], place: torch.device) -> Step:
    """The loop everybody writes, for one model."""
    order, batch, lam = (problem[name] for name in ("order", "batch", "lam"))
    u, v, w = (leaf[0].to(place).requires_grad_() for leaf in first_weights(problem))
    table = torch.tensor(problem["table"], device=place).flatten()
    optimiser = torch.optim.SGD([u, v, w], lr=problem["lr"])

    def step() -> torch.Tensor:
        index = (
            torch.arange(order * order, device=place)
            if batch is None
            else torch.randint(order * order, (batch,), device=place)
        )
        hidden = (u[index // order] + v[index % order]).square()
        loss = torch.nn.functional.cross_entropy(hidden @ w, table[index])
        total = loss + lam * (u.square().sum(0) + v.square().sum(0) + w.square().sum(1)).pow(1.5).sum()
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        return total.detach()

    return step


def first_weights(problem: dict[str, Any]) -> list[torch.Tensor]:
    """The weights that every peer starts from: a formula, so that no library's random numbers matter."""
    lanes, order, width = problem["lanes"], problem["order"], problem["width"]
    made = []
    for which, (shape, bound) in enumerate(
        (((order, width), (2 * order) ** -0.5), ((order, width), (2 * order) ** -0.5), ((width, order), width**-0.5))
    ):
        places = torch.arange(lanes * shape[0] * shape[1], dtype=torch.float64) + 1 + 7919 * which
        made.append((bound * (2 * ((places * 0.6180339887498949) % 1) - 1)).float().reshape(lanes, *shape))
    return made


def graphed(step: Step) -> Step:
    """The step captured once and replayed, a few times per call: nothing is left of Python's share."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # a few steps outside the graph first, as its documentation asks
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = step()

    def replay() -> torch.Tensor:
        graph.replay()
        return kept

    return replay


def main() -> None:
    """Answer until the input ends."""
    problem = json.loads(sys.stdin.readline())
    torch.backends.cuda.matmul.allow_tf32 = True  # as XLA does
    torch.set_flush_denormal(True)  # as XLA does
    if problem["threads"]:
        torch.set_num_threads(problem["threads"])
    place = torch.device("cuda" if problem["device"] == "gpu" else "cpu")
    lanes = 1 if problem["peer"] == "one" else problem["lanes"]
    make = lambda: one_step(problem, place) if problem["peer"] == "one" else stacked_step(problem, lanes, place)
    step = make()
    for _ in range(problem["checked"]):
        loss = step()
    print(json.dumps({"loss": float(loss), "library": f"torch {torch.__version__}"}), flush=True)
    step = graphed(make()) if problem["peer"] == "graphed" else step
    for line in sys.stdin:
        wanted, steps, started = float(line), 0, time.perf_counter()
        while (wall := time.perf_counter() - started) < wanted or not steps:
            for _ in range(STEPS):
                step()
            if place.type == "cuda":
                torch.cuda.synchronize()
            steps += STEPS * lanes
        print(json.dumps({"steps": steps, "wall": wall}), flush=True)


if __name__ == "__main__":
    main()
