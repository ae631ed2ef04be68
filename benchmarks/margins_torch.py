"""PyTorch's part of ``benchmarks.margins_speed``: group networks. It needs nothing but PyTorch and NumPy."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from benchmarks.race_peer import Problem
from benchmarks.race_torch import Training, first_weights, serve


def make(problem: Problem, models: int, place: torch.device) -> Training:
    """A step of one model as everybody writes it, or of some along a batch axis."""
    return one(problem, place) if problem["peer"] == "one" else stacked(problem, models, place)


def stacked(problem: Problem, models: int, place: torch.device) -> Training:
    """The losses are summed, so one backward serves all."""
    order, width, batch, lr, lam = (problem[name] for name in ("order", "width", "batch", "lr", "lam"))
    u, v, w = first_weights(problem, models, place).values()
    table = torch.tensor(problem["table"], device=place).flatten()
    optimiser = torch.optim.SGD([u, v, w], lr=lr)
    everything = torch.arange(order * order, device=place).expand(models, -1)

    def step() -> torch.Tensor:
        index = everything if batch is None else torch.randint(order * order, (models, batch), device=place)
        if batch is None:
            hidden = (u[:, :, None, :] + v[:, None, :, :]).square().reshape(models, order * order, width)
        else:
            pick = lambda leaf, at: torch.gather(leaf, 1, at[..., None].expand(-1, -1, width))
            hidden = (pick(u, index // order) + pick(v, index % order)).square()
        logits = torch.bmm(hidden, w)
        losses = cross_entropy(logits.flatten(0, 1), table[index].flatten(), reduction="none")
        squares = u.square().sum(1) + v.square().sum(1) + w.square().sum(2)
        total = losses.view(models, -1).mean(1) + lam * squares.pow(1.5).sum(1)
        optimiser.zero_grad()
        total.sum().backward()
        optimiser.step()
        return total.detach()[0]

    return Training(step)


def one(problem: Problem, place: torch.device) -> Training:
    """The loop everybody writes."""
    order, batch, lam = (problem[name] for name in ("order", "batch", "lam"))
    u, v, w = (leaf.detach()[0].requires_grad_() for leaf in first_weights(problem, 1, place).values())
    table = torch.tensor(problem["table"], device=place).flatten()
    optimiser = torch.optim.SGD([u, v, w], lr=problem["lr"])
    everything = torch.arange(order * order, device=place)

    def step() -> torch.Tensor:
        index = everything if batch is None else torch.randint(order * order, (batch,), device=place)
        hidden = (u[index // order] + v[index % order]).square()
        loss = cross_entropy(hidden @ w, table[index])
        total = loss + lam * (u.square().sum(0) + v.square().sum(0) + w.square().sum(1)).pow(1.5).sum()
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        return total.detach()

    return Training(step)


if __name__ == "__main__":
    serve(make)
