"""The slow, plain trainer: NumPy in float64, written from the paper and not from the package.

It shares with glassware only the random words (``glassware.foundation.draws`` on NumPy arrays) and their addresses.
"""

from collections.abc import Iterator

import numpy as np

from glassware.foundation.draws import Stream, draw, fold, held_out_key, stream_key, unit
from glassware.tasks import Parity
from glassware.training import Run

Arrays = list[np.ndarray]  # first-layer weights (n, width) and bias (width,), second-layer weights (width,) and bias ()


def parity(run: Run) -> Parity:
    """The task, the only one that the plain trainer knows."""
    assert isinstance(run.task, Parity)
    return run.task


def inputs(key: np.ndarray, index: np.ndarray, n: int) -> np.ndarray:
    """Examples as signs: coordinate c is bit c % 32 of word c // 32, and a set bit means -1."""
    x = np.empty((len(index), n))
    for c in range(n):
        word = draw(key, index, np.full_like(index, c // 64))[c // 32 % 2]
        x[:, c] = np.where((word >> np.uint32(c % 32)) % 2 == 1, -1.0, 1.0)
    return x


def example(run: Run, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Training examples and their labels, flipped where the coin of the example says so."""
    key, task = run.key(), parity(run)
    x = inputs(stream_key(key, Stream.EXAMPLE), index, task.n)
    y = np.prod(x[:, list(task.hidden_support(key))], axis=1)
    coin = unit(draw(stream_key(key, Stream.NOISE), index, np.zeros_like(index))[0])
    return x, np.where(coin < np.float32(task.noise), -y, y)


def order(run: Run) -> np.ndarray:
    """Which examples each minibatch holds, (steps, batch)."""
    key, m = stream_key(run.key(), Stream.ORDER), run.m
    position = np.arange(run.steps * run.batch_size, dtype=np.uint32)
    if m is None:
        return position.reshape(run.steps, run.batch_size)
    if run.sampling == "replacement":
        words, _ = draw(key, position // np.uint32(run.batch_size), position % np.uint32(run.batch_size))
        return (words % np.uint32(m)).reshape(run.steps, run.batch_size)
    epochs = [permutation(key, epoch, m) for epoch in range(len(position) // m + 1)]
    return np.concatenate(epochs)[: len(position)].reshape(run.steps, run.batch_size).astype(np.uint32)


def permutation(key: np.ndarray, epoch: int, m: int) -> list[int]:
    """The swap-or-not shuffle of range(m), one round after another on a plain list."""
    places = list(range(m))
    for i in range(32):
        pivot, salt = (int(word[0]) for word in draw(key, np.array([epoch], np.uint32), np.array([i], np.uint32)))
        for p, x in enumerate(places):
            partner = (pivot % m - x) % m
            mixed = max(x, partner) ^ salt
            mixed = (mixed ^ mixed >> 16) * 0x7FEB352D % 2**32
            mixed = (mixed ^ mixed >> 15) * 0x846CA68B % 2**32
            if (mixed ^ mixed >> 16) % 2:
                places[p] = partner
    return places


def start(run: Run) -> Arrays:
    """Initial weights, dense or sparse."""
    n, width = parity(run).n, run.model.widths[0]
    key = stream_key(run.init_key(), Stream.INIT)
    rows, columns = np.arange(n, dtype=np.uint32), np.arange(width, dtype=np.uint32)
    zero, one = np.zeros(1, np.uint32), np.zeros(width, np.uint32)
    place, chance = draw(fold(key, 0), columns[None, :], rows[:, None])
    W = _uniform(place, n)
    if run.init.scheme == "sparse":
        bits = max(1, (n - 1).bit_length())
        W = np.full((n, width), run.init.eps or 0.0)
        for j in range(width):
            W[sorted(range(n), key=lambda i: (int(chance[i, j]) >> bits, i))[: run.init.s], j] = 1.0
    b = _uniform(draw(fold(key, 1), columns, one)[0], n)
    v = _uniform(draw(fold(key, 2), one, columns)[0], width)
    c = _uniform(draw(fold(key, 3), zero, zero)[0], width)[0]
    return [W, b, v, np.array(c)]


def _uniform(words: np.ndarray, fan_in: int) -> np.ndarray:
    return (2.0 * unit(words).astype(np.float64) - 1.0) / np.sqrt(fan_in)


def forward(params: Arrays, x: np.ndarray) -> np.ndarray:
    W, b, v, c = params
    return np.maximum(x @ W + b, 0.0) @ v + c


def gradient(loss: str, params: Arrays, x: np.ndarray, y: np.ndarray) -> Arrays:
    W, b, v, c = params
    h = x @ W + b
    output = np.maximum(h, 0.0) @ v + c
    slope = {
        "hinge": lambda: np.where(y * output < 1.0, -y, 0.0),
        "square": lambda: 2.0 * (output - y),
        "logistic": lambda: -y / (1.0 + np.exp(y * output)),
    }[loss]() / len(y)
    back = np.outer(slope, v) * (h > 0)
    return [x.T @ back, back.sum(0), np.maximum(h, 0.0).T @ slope, slope.sum()]


def gradients_along(run: Run, params: Arrays) -> Iterator[Arrays]:
    """The gradient of each minibatch at ``params`` as they are when it is asked for."""
    picked = order(run)
    sample = None if run.m is None else example(run, np.arange(run.m, dtype=np.uint32))
    for index in picked:
        x, y = example(run, index) if sample is None else (sample[0][index], sample[1][index])
        yield gradient(run.loss, params, x, y)


def sgd(run: Run) -> Iterator[Arrays]:
    """The weights after every step of plain SGD: theta <- theta - lr (g + lambda theta)."""
    params = start(run)
    lr, decay = run.optimiser.lr, run.optimiser.weight_decay
    for gradients in gradients_along(run, params):
        for i, g in enumerate(gradients):
            params[i] = params[i] - lr * (g + decay * params[i])
        yield params


def held_out(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The sample every run of a task is examined on, with this run's labels."""
    task = parity(run)
    x = inputs(held_out_key(), np.arange(run.evaluation.test, dtype=np.uint32), task.n)
    return x, np.prod(x[:, list(task.hidden_support(run.key()))], axis=1)


def success_step(run: Run) -> int | None:
    """The first evaluation that meets the success test, as the engine should find it."""
    x, y = held_out(run)
    passed = lambda params: np.mean(y * forward(params, x) <= 0) <= run.evaluation.success
    if passed(start(run)):
        return 0
    for t, params in enumerate(sgd(run), start=1):
        if t % run.evaluation.every == 0 and passed(params):
            return t
    return None
