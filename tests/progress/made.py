"""Plans and rows for tests of progress."""

from glassware.engine import Chunk
from glassware.sweeps import make_plan
from tests.helpers import tiny


def plan_of(*runs):
    return make_plan(runs, None)


def seeds(count, **changes):
    """A plan of equal runs: 60 steps each unless changed."""
    return plan_of(*(tiny(seed=seed, **changes) for seed in range(count)))


def row(plan, i, steps, success=False, diverged=None):
    return {"id": list(plan.todo)[i], "steps_taken": steps, "success": success, "diverged_step": diverged}


def chunk(steps):
    return Chunk(steps=steps, active=4, seconds=0.1)
