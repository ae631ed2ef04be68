"""PyTorch: the one-model loop, the same for many models along a batch axis, and that replayed as a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import torch

from glassware.bench.cell import BATCH, DECAY, RATE, SAMPLE, Cell, Device, Setting

torch.set_flush_denormal(True)  # as XLA does
torch.backends.cuda.matmul.allow_tf32 = True  # as XLA does

STEPS = 10  # a call, or a graph; on a GPU the host waits for the device once a call


def one(cell: Cell, setting: Setting) -> Callable[[], int]:
    """The loop everybody writes."""
    _use(setting)
    return _one(cell, setting.device)


def stacked(cell: Cell, setting: Setting) -> Callable[[], int]:
    """``lanes`` models as batched products; the losses are summed, so one backward serves all."""
    _use(setting)
    return _stacked(cell, setting.lanes, setting.device)


def graphed(cell: Cell, setting: Setting) -> Callable[[], int]:
    """The stacked models, ten steps of them captured once and replayed: nothing is left of Python's share."""
    return _graphed(cell, setting.lanes)


def _use(setting: Setting) -> None:
    if setting.threads:
        torch.set_num_threads(setting.threads)


@cache
def _one(cell: Cell, device: Device) -> Callable[[], int]:
    place = _place(device)
    inputs, labels = _sample(cell, place)
    layers = torch.nn.Linear(cell.n, cell.r), torch.nn.ReLU(), torch.nn.Linear(cell.r, 1)
    model = torch.nn.Sequential(*layers).to(place)
    optimiser = _sgd(model.parameters())

    def advance() -> int:
        for _ in range(STEPS):
            index = torch.randint(SAMPLE, (BATCH,), device=place)
            output = model(inputs[index]).squeeze(-1)
            loss = torch.relu(1 - labels[index] * output).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        _wait(device)
        return STEPS

    advance()
    return advance


@cache
def _stacked(cell: Cell, lanes: int, device: Device) -> Callable[[], int]:
    step = _stacked_step(cell, lanes, device)

    def advance() -> int:
        step()
        _wait(device)
        return lanes

    advance()
    return advance


@cache
def _graphed(cell: Cell, lanes: int) -> Callable[[], int]:
    step = _stacked_step(cell, lanes, "gpu")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # a few steps outside the graph first, as its documentation asks
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(STEPS):
            step()

    def advance() -> int:
        graph.replay()
        _wait("gpu")
        return STEPS * lanes

    advance()
    return advance


def _stacked_step(cell: Cell, lanes: int, device: Device) -> Callable[[], None]:
    place = _place(device)
    inputs, labels = _sample(cell, place)
    w, b = _layer(lanes, cell.n, cell.r, place)
    v, beta = _layer(lanes, cell.r, 1, place)
    optimiser = _sgd([w, b, v, beta])

    def step() -> None:
        index = torch.randint(SAMPLE, (lanes, BATCH), device=place)
        hidden = torch.relu(torch.baddbmm(b, inputs[index], w))
        output = torch.baddbmm(beta, hidden, v).squeeze(-1)
        loss = torch.relu(1 - labels[index] * output).mean(dim=1).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def _place(device: Device) -> torch.device:
    return torch.device("cuda" if device == "gpu" else "cpu")


def _wait(device: Device) -> None:
    if device == "gpu":
        torch.cuda.synchronize()


def _sample(cell: Cell, place: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    inputs = 2.0 * torch.randint(2, (SAMPLE, cell.n), device=place) - 1.0
    return inputs, inputs[:, :3].prod(dim=1)


def _layer(lanes: int, fan_in: int, fan_out: int, place: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    bound = fan_in**-0.5
    shapes = (lanes, fan_in, fan_out), (lanes, 1, fan_out)
    weight, bias = (torch.empty(shape, device=place).uniform_(-bound, bound).requires_grad_() for shape in shapes)
    return weight, bias


def _sgd(parameters: Iterable[torch.Tensor]) -> torch.optim.SGD:
    return torch.optim.SGD(parameters, lr=RATE, weight_decay=DECAY)
