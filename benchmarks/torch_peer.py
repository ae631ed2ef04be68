"""PyTorch: one model in a plain loop, and many models stacked along a batch axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import torch

from benchmarks.cell import BATCH, DECAY, RATE, SAMPLE, Cell, Setting

torch.set_flush_denormal(True)  # as XLA does


def one(cell: Cell, setting: Setting) -> Callable[[], int]:
    """The loop everybody writes."""
    torch.set_num_threads(setting.threads)
    return _one(cell)


def stacked(cell: Cell, setting: Setting) -> Callable[[], int]:
    """``lanes`` models as batched products; the losses are summed, so one backward serves all."""
    torch.set_num_threads(setting.threads)
    return _stacked(cell, setting.lanes)


@cache
def _one(cell: Cell) -> Callable[[], int]:
    inputs, labels = _sample(cell)
    model = torch.nn.Sequential(torch.nn.Linear(cell.n, cell.r), torch.nn.ReLU(), torch.nn.Linear(cell.r, 1))
    optimiser = _sgd(model.parameters())

    def advance() -> int:
        for _ in range(10):
            index = torch.randint(SAMPLE, (BATCH,))
            output = model(inputs[index]).squeeze(-1)
            loss = torch.relu(1 - labels[index] * output).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        return 10

    advance()
    return advance


@cache
def _stacked(cell: Cell, lanes: int) -> Callable[[], int]:
    inputs, labels = _sample(cell)
    w, b = _layer(lanes, cell.n, cell.r)
    v, beta = _layer(lanes, cell.r, 1)
    optimiser = _sgd([w, b, v, beta])

    def advance() -> int:
        index = torch.randint(SAMPLE, (lanes, BATCH))
        hidden = torch.relu(torch.baddbmm(b, inputs[index], w))
        output = torch.baddbmm(beta, hidden, v).squeeze(-1)
        loss = torch.relu(1 - labels[index] * output).mean(dim=1).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return lanes

    advance()
    return advance


def _sample(cell: Cell) -> tuple[Any, Any]:
    inputs = 2.0 * torch.randint(2, (SAMPLE, cell.n)) - 1.0
    return inputs, inputs[:, :3].prod(dim=1)


def _layer(lanes: int, fan_in: int, fan_out: int) -> tuple[Any, Any]:
    bound = fan_in**-0.5
    shapes = (lanes, fan_in, fan_out), (lanes, 1, fan_out)
    weight, bias = (torch.empty(shape).uniform_(-bound, bound).requires_grad_() for shape in shapes)
    return weight, bias


def _sgd(parameters: Iterable[Any]) -> Any:
    return torch.optim.SGD(parameters, lr=RATE, weight_decay=DECAY)
