"""PyTorch's part of ``benchmarks.induction_speed``: a process that trains causal transformers when it is asked to.

It needs nothing but PyTorch, so it may run under another Python. The problem comes as the first line of its input, as
JSON; then every line asks for so many seconds of training, and the answer says how many model-steps that were.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

AHEAD = 64  # steps whose sequences are drawn at once: an interpreter takes long to walk along them

Step = Callable[[], torch.Tensor]


def network(weights: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Two layers of attention with relative positions, as one writes them down; weights have an axis of models.

    With one model the products are those of a plain loop: batched products of a batch.
    """
    models, t, d = len(weights["tokens"]), x.shape[-1], weights["tokens"].shape[-1]
    table = weights["tokens"][:, None].expand(-1, x.shape[1], -1, -1)
    z = torch.gather(table, 2, x[..., None].expand(-1, -1, -1, d))
    place = torch.arange(t)
    offset = (place[:, None] - place).clamp(min=0)
    ahead = place[None, :] > place[:, None]
    for layer in ("first", "second"):
        q, k, v = (z @ weights[f"{layer}.{name}"][:, None] for name in "qkv")
        by_offset = q @ weights[f"{layer}.positions"][:, None].transpose(-1, -2)
        by_key = torch.gather(by_offset, 3, offset.expand(models, x.shape[1], -1, -1))
        scores = (q @ k.transpose(-1, -2) + by_key) / math.sqrt(d)
        z = z + torch.softmax(scores.masked_fill(ahead, -math.inf), dim=-1) @ v
    return z @ weights["w"][:, None]


def sequences(problem: dict[str, Any], models: int) -> torch.Tensor:
    """Chains with a flat prior for many steps, side by side, position by position: (steps, models, batch, t + 1)."""
    k, t, batch = problem["states"], problem["length"], AHEAD * problem["batch"]
    rows = -torch.rand(models, batch, k, k).log()
    ends = (rows / rows.sum(-1, keepdim=True)).cumsum(-1)[..., :-1]
    tokens = [torch.randint(k, (models, batch))]  # any start will do for the clock
    u = torch.rand(t, models, batch)
    for p in range(t):
        law = torch.gather(ends, 2, tokens[-1][..., None, None].expand(-1, -1, 1, k - 1))[:, :, 0]
        tokens.append((u[p][..., None] >= law).sum(-1))
    return torch.stack(tokens, dim=-1).view(models, AHEAD, problem["batch"], t + 1).transpose(0, 1)


def make_step(problem: dict[str, Any], models: int) -> Step:
    """One step of so many models along a batch axis; the losses are summed, so one backward serves all."""
    weights = {name: leaf[:models].clone().requires_grad_() for name, leaf in first_weights(problem).items()}
    optimiser = torch.optim.AdamW(list(weights.values()), lr=problem["lr"], betas=(0.9, 0.95), weight_decay=0.1)
    fixed = torch.tensor(problem["tokens"])[None].expand(models, -1, -1) if problem["fixed"] else None
    drawn: list[torch.Tensor] = []

    def step() -> torch.Tensor:
        if fixed is None and not drawn:
            drawn.extend(sequences(problem, models))
        tokens = drawn.pop() if fixed is None else fixed
        logits = network(weights, tokens[..., :-1])
        losses = functional.cross_entropy(logits.flatten(0, 2), tokens[..., 1:].flatten(), reduction="none")
        total = losses.view(models, -1).mean(1)
        optimiser.zero_grad()
        total.sum().backward()
        optimiser.step()
        return total.detach()[0]

    return step


def first_weights(problem: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The weights that every peer starts from: a formula, so that no library's random numbers matter."""
    made = {}
    for which, (name, rows, columns) in enumerate(problem["leaves"]):
        places = torch.arange(problem["lanes"] * rows * columns, dtype=torch.float64) + 1 + 7919 * which
        spread = 0.2 * (2 * ((places * 0.6180339887498949) % 1) - 1)
        made[name] = spread.float().reshape(problem["lanes"], rows, columns)
    return made


def main() -> None:
    """Answer until the input ends."""
    problem = json.loads(sys.stdin.readline())
    torch.manual_seed(0)
    torch.set_flush_denormal(True)  # as XLA does
    torch.set_num_threads(problem["threads"])
    models = 1 if problem["peer"] == "one" else problem["lanes"]
    step = make_step({**problem, "fixed": True}, models)
    for _ in range(problem["checked"]):
        loss = step()
    print(json.dumps({"loss": float(loss), "library": f"torch {torch.__version__}"}), flush=True)
    step = make_step(problem, models)
    for line in sys.stdin:
        wanted, steps, started, busy = float(line), 0, time.perf_counter(), time.process_time()
        while (wall := time.perf_counter() - started) < wanted or not steps:
            step()
            steps += models
        print(json.dumps({"steps": steps, "wall": wall, "cores": time.process_time() - busy}), flush=True)


if __name__ == "__main__":
    main()
