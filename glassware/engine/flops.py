"""Useful floating-point operations of training and examining a run."""

from __future__ import annotations

from glassware.training import Run


def step_flops(run: Run) -> float:
    """Useful floating-point operations of one training step."""
    return run.network.step_flops(run.task, run.batch_size)


def evaluation_flops(run: Run) -> float:
    """Useful floating-point operations of one evaluation."""
    return run.network.forward_flops(run.task, tested(run) + run.evaluation.train)


def tested(run: Run) -> int:
    """Held-out examples it is examined on."""
    domain = run.task.domain
    left = None if domain is None else domain - run.m if run.m not in (None, domain) else domain
    return run.evaluation.test if left is None else min(left, run.evaluation.test)


def round_flops(run: Run) -> float:
    """Work of ``evaluation.every`` steps and one evaluation."""
    return work(run, run.evaluation.every, 1)


def work(run: Run, steps: int, evaluations: int) -> float:
    """Work of so many steps and evaluations; where a screen spares most of an evaluation, its first look counts."""
    looked = (run.evaluation.screen or tested(run)) + run.evaluation.train
    return steps * step_flops(run) + evaluations * run.network.forward_flops(run.task, looked)
