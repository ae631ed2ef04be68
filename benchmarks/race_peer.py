"""What a peer of a race does in its process: take the problem, get ready, and train for as long as it is asked to.

PyTorch's peers run under a Python that may have nothing else, so only NumPy is imported here before it is needed.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from glassware.training import Run

Problem: TypeAlias = dict[str, Any]
Advance: TypeAlias = Callable[[], int]  # trains for a moment; how many model-steps that were
Make: TypeAlias = Callable[[Problem], tuple[Advance, float | None]]  # ready to train, and the loss that is compared


def serve(make: Make, about: Callable[[], dict[str, str]]) -> None:
    """Answer until the input ends: the problem first, as JSON, then seconds.

    Args:
        make: gets ready.
        about: the library and the device, once they are in use.
    """
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing that a library prints is taken for an answer
    say = lambda said: print(json.dumps(said), file=answers, flush=True)
    try:
        advance, loss = make(json.loads(sys.stdin.readline()))
        say({"loss": loss, **about()})
        for line in sys.stdin:
            say(clock(advance, float(line)))
    except Exception as error:  # whatever it is, the race goes on without this peer
        lines = str(error).strip().splitlines() or [""]
        say({"failed": f"{type(error).__name__}: {lines[0][:200]}", "traceback": traceback.format_exc()})
        raise SystemExit(1) from None


def clock(advance: Advance, seconds: float) -> dict[str, float]:
    """Model-steps of at least so many seconds, by the wall clock, and the time of all cores."""
    steps, started, busy = 0, time.perf_counter(), time.process_time()
    while (wall := time.perf_counter() - started) < seconds or not steps:
        steps += advance()
    return {"steps": steps, "wall": wall, "cores": time.process_time() - busy}


def leaf(name: str, rows: int, columns: int, *, middle: float = 0.0, bound: float) -> Sequence[Any]:
    """An array of first weights, as the problem names them."""
    return [name, rows, columns, middle, bound]


def first_weights(problem: Problem) -> dict[str, np.ndarray]:
    """The weights that all peers start from: a formula, so that no library's random numbers matter.

    Numbers of a leaf lie within ``bound`` of ``middle``; the arrays have an axis of models in front.
    """
    made = {}
    for which, (name, rows, columns, middle, bound) in enumerate(problem["leaves"]):
        places = np.arange(problem["lanes"] * rows * columns, dtype=np.float64) + 1 + 7919 * which
        numbers = middle + bound * (2 * ((places * 0.6180339887498949) % 1) - 1)
        made[name] = numbers.astype(np.float32).reshape(problem["lanes"], rows, columns)
    return made


# -- peers that use JAX -----------------------------------------------------------------------------------------------


def serve_jax(what: str, engine: Make, plain: Make) -> None:
    """Be this engine, plain JAX, or a large matrix product, whose "steps" are floating-point operations."""
    import jax

    def make(problem: Problem) -> tuple[Advance, float | None]:
        if problem["device"] == "gpu" and jax.default_backend() == "cpu":
            raise RuntimeError("JAX sees no GPU")
        # For the whole process: a function that is called outside a context is compiled again, without its precision.
        if what != "engine" and problem["device"] == "gpu" and not problem["tf32"]:
            jax.config.update("jax_default_matmul_precision", "highest")
        return {"engine": engine, "jax": plain, "product": product}[what](problem)

    serve(make, lambda: {"library": f"jax {jax.__version__}", "device": jax.devices()[0].device_kind})


def product(problem: Problem) -> tuple[Advance, None]:
    """A large float32 matrix product on the whole device."""
    from glassware.bench import jax_peer

    return jax_peer.product(problem["device"]), None


def rounds(run: Run, problem: Problem) -> Advance:
    """This engine through its public path: the compiled program of a shape, advanced by rounds.

    It trains as many models as the peers do, or as it has room for.
    """
    import jax

    from glassware.engine import choose_lanes, devices
    from glassware.engine.choice import choose, program

    count = len(devices())  # before anything else touches JAX
    shape, every, asked = run.shape(), run.evaluation.every, problem["lanes"]
    used, even = choose(shape, "auto"), count * -(-asked // count)
    lanes = min(even, choose_lanes(shape, even, used))
    if lanes < asked:
        print(f"the engine has room for {lanes} of {asked} models at a time", file=sys.stderr)
    compiled = program(shape, lanes, used, ())
    runs = [run.model_copy(update={"seed": seed}).values() for seed in range(lanes)]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *runs)
    state, _ = compiled.advance(values, compiled.idle(), np.ones(lanes, bool), 0)
    taken = 0

    def advance() -> int:
        nonlocal state, taken
        state, _ = compiled.advance(values, state, np.zeros(lanes, bool), 1)
        before, taken = taken, int(np.asarray(state.t, np.int64).sum())  # what was done, not what was asked for
        if taken - before != lanes * every:
            raise RuntimeError("a run diverged or ended: its steps cannot be counted")
        return taken - before

    advance()
    return advance


def loss_after(steps: int, objective: Callable[[Any], Any], optimiser: Any, weights: Any) -> float:
    """The loss at the last of some steps with an optimiser of optax, in full float32 whatever the race is in."""
    import jax
    import optax

    with jax.default_matmul_precision("highest"):
        slope_of = jax.jit(jax.value_and_grad(objective))
        state = optimiser.init(weights)
        for _ in range(steps):
            loss, slope = slope_of(weights)
            updates, state = optimiser.update(slope, state, weights)
            weights = optax.apply_updates(weights, updates)
    return float(loss)
