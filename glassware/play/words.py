"""Settings in words, and as a program that trains the same runs."""

from __future__ import annotations

from glassware.play.settings import SEEDS, Settings


def in_words(settings: Settings) -> str:
    """What is trained on what, in one line; not with which seeds."""
    data = "every example new" if settings.m is None else f"{settings.m:,} examples"
    start = f"{settings.init} start"
    trained = f"rate {settings.lr:g}, {settings.steps:,} steps"
    return f"n = {settings.n}, k = {settings.k}, width {settings.width:,}, {data}, {start}, {trained}"


def in_python(settings: Settings) -> str:
    """A program that trains these ten runs and prints who learned."""
    run = settings.runs()[0]
    exam, m = run.evaluation, "" if settings.m is None else f"    m={settings.m},\n"
    init = "" if settings.init == "dense" else f'    init=gw.Init(scheme="{settings.init}"),\n'
    seeds = f"range({settings.first}, {settings.first + SEEDS})"
    train = f"train={exam.train}, " if exam.train else ""
    return (
        "import glassware as gw\n\n"
        "base = gw.Run(\n"
        f"    task=gw.Parity(n={settings.n}, k={settings.k}),\n"
        f"    model=gw.MLP(width={settings.width}),\n"
        f"{m}{init}"
        f"    optimiser=gw.SGD(lr={settings.lr:g}, weight_decay=0.01),\n"
        f"    steps={settings.steps},\n"
        f"    evaluation=gw.Evaluation(every={exam.every}, test={exam.test}, {train}stop=False),\n"
        ")\n"
        f'rows = gw.sweep(gw.grid(base, {{"seed": {seeds}}}))\n'
        'print(rows.select("seed", "success", "steps_to_success"))\n'
    )
