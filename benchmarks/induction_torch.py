"""PyTorch's part of ``benchmarks.induction_speed``: causal transformers. It needs nothing but PyTorch and NumPy."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import cross_entropy

from benchmarks.race_peer import Problem
from benchmarks.race_torch import Call, Training, adamw, captured, first_weights, serve

AHEAD = 64  # steps whose sequences are drawn at once: an interpreter takes long to walk along them
AT_ONCE = 2**20  # sequences that are drawn at once, at most


def network(weights: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Two layers of attention with relative positions, as one writes them down; weights have an axis of models.

    With one model the products are those of a plain loop: batched products of a batch.
    """
    models, t, d = len(weights["tokens"]), x.shape[-1], weights["tokens"].shape[-1]
    table = weights["tokens"][:, None].expand(-1, x.shape[1], -1, -1)
    z = torch.gather(table, 2, x[..., None].expand(-1, -1, -1, d))
    place = torch.arange(t, device=x.device)
    offset = (place[:, None] - place).clamp(min=0)
    ahead = place[None, :] > place[:, None]
    for layer in ("first", "second"):
        q, k, v = (z @ weights[f"{layer}.{name}"][:, None] for name in "qkv")
        by_offset = q @ weights[f"{layer}.positions"][:, None].transpose(-1, -2)
        by_key = torch.gather(by_offset, 3, offset.expand(models, x.shape[1], -1, -1))
        scores = (q @ k.transpose(-1, -2) + by_key) / math.sqrt(d)
        z = z + torch.softmax(scores.masked_fill(ahead, -math.inf), dim=-1) @ v
    return z @ weights["w"][:, None]


def sequences(problem: Problem, models: int, place: torch.device) -> Call:
    """Draws chains with a flat prior for some steps, position by position: (steps, models, batch, t + 1)."""
    k, t = problem["states"], problem["length"]
    ahead = max(1, min(AHEAD, AT_ONCE // (models * problem["batch"])))
    batch = ahead * problem["batch"]

    def draw() -> torch.Tensor:
        rows = -torch.rand(models, batch, k, k, device=place).log()
        ends = (rows / rows.sum(-1, keepdim=True)).cumsum(-1)[..., :-1]
        tokens = [torch.randint(k, (models, batch), device=place)]  # any start will do for the clock
        u = torch.rand(t, models, batch, device=place)
        for p in range(t):
            law = torch.gather(ends, 2, tokens[-1][..., None, None].expand(-1, -1, 1, k - 1))[:, :, 0]
            tokens.append((u[p][..., None] >= law).sum(-1))
        return torch.stack(tokens, dim=-1).view(models, ahead, problem["batch"], t + 1).transpose(0, 1)

    return captured(draw) if problem["peer"] == "graphed" else draw


def make(problem: Problem, models: int, place: torch.device) -> Training:
    """One step of so many models along a batch axis; the losses are summed, so one backward serves all."""
    weights = first_weights(problem, models, place)
    optimiser = adamw(problem, weights.values(), betas=(0.9, 0.95), weight_decay=0.1)
    tokens = torch.tensor(problem["tokens"], device=place).repeat(models, 1, 1)
    drawn: list[torch.Tensor] = []

    def step() -> torch.Tensor:
        logits = network(weights, tokens[..., :-1])
        losses = cross_entropy(logits.flatten(0, 2), tokens[..., 1:].flatten(), reduction="none")
        total = losses.view(models, -1).mean(1)
        optimiser.zero_grad()
        total.sum().backward()
        optimiser.step()
        return total.detach()[0]

    if problem["checking"]:
        return Training(step)
    draw = sequences(problem, models, place)

    def feed() -> None:
        if not drawn:
            drawn.extend(draw())
        tokens.copy_(drawn.pop())

    return Training(step, feed)


if __name__ == "__main__":
    serve(make)
