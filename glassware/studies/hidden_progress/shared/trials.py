"""Runs of a setting as the paper trains them: online, without weight decay, until the test sample has no error left."""

from __future__ import annotations

from collections.abc import Iterable

from glassware.models import Init, Model
from glassware.studies.hidden_progress.shared.settings import model
from glassware.tasks import Parity
from glassware.training import SGD, Adam, Evaluation, Run

FIRST_SEED = 100  # thresholds were chosen on seeds below 26: what they judge must not be those runs
TEST, SCREEN = 8192, 128


def trial(
    setting: str | Model,
    n: int,
    k: int,
    *,
    lr: float,
    batch: int = 32,
    steps: int = 100_000,
    every: int = 10,
    loss: str = "hinge",
    init: Init | None = None,
    test: int = TEST,
    screen: int = SCREEN,
) -> Run:
    """One run of a setting (or of a model of your own) on the (n, k)-parity.

    Converged is a run without an error on ``test`` held-out examples, looked at every ``every`` steps; the others are
    looked at only when the first ``screen`` are all right. A Transformer is trained by Adam from Glorot's scale.
    """
    network = model(setting, k) if isinstance(setting, str) else setting
    attention = network.name == "transformer"
    return Run(
        task=Parity(n=n, k=k),
        model=network,
        init=init or Init(scheme="glorot" if attention else "dense"),
        loss=loss,
        optimiser=Adam(lr=lr) if attention else SGD(lr=lr),
        batch=batch,
        steps=steps,
        evaluation=Evaluation(every=every, test=test, screen=screen if screen < test else 0, success=0.0),
    )


def repeat(runs: Iterable[Run], seeds: int, first: int = FIRST_SEED) -> list[Run]:
    """Every run with ``seeds`` seeds, from ``first`` on."""
    return [run.model_copy(update={"seed": first + i}) for run in runs for i in range(seeds)]
