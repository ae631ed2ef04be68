"""What to train, and what one success costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from glassware.printing.console import make_table, print_facts

if TYPE_CHECKING:
    from glassware.foundation.statistics import Estimate
    from glassware.luck import Advice, Cell

RUNNERS_UP = 5


def print_plan(console: Console, plan: Advice) -> None:
    """The recommendation, the runners-up, and what the store cannot tell."""
    from glassware.luck.plan import power
    from glassware.luck.problems import say

    problem = f"{say(plan.where)}, {'any number of' if plan.m is None else f'{plan.m:,}'} examples"
    best = plan.best
    if best is None:
        console.print(f"{problem}: the store cannot tell what to train")
    else:
        restart, flops, attempt = best.restart, best.flops, best.attempt
        tries = "one try" if restart.tries_for_95 == 1 else f"{restart.tries_for_95:,.0f} tries"
        console.print(f"{problem}: {_cell_text(best)}")
        console.print()
        facts = {
            "give up and restart": f"after {attempt.steps:,} steps",
            "a try succeeds": f"{_percent(restart.success_probability)} (of {restart.runs:,} runs)",
            "tries": f"{restart.tries:.3g} on average; {tries} for 95%",
            "one success": f"{power(flops.value)} FLOPs [{power(flops.low)}, {power(flops.high)}]",
            "training": f"{attempt.optimiser.name}, lr {attempt.optimiser.lr:g}, weight decay "
            f"{attempt.optimiser.weight_decay:g}, batches of {attempt.batch_size}, {attempt.loss} loss; looked at "
            f"every {attempt.evaluation.every} steps",
        }
        if plan.chance is not None and plan.budget is not None:
            facts[f"within {power(plan.budget)} FLOPs"] = f"{_percent(plan.chance)} to succeed"
        print_facts(console, facts)
        if len(plan.cells) > 1:
            console.print()
            console.print(_runners_up(plan))
    console.print()
    for note in plan.notes():
        console.print(f"- {note}", soft_wrap=True)


def _runners_up(plan: Advice) -> Table:
    from glassware.luck.plan import power

    columns = ["cut-off", "succeeds", "tries", "FLOPs", "95% interval"]
    table = make_table(*columns, *([] if plan.budget is None else ["within budget"]), left=["runner-up"])
    for cell in plan.cells[1 : 1 + RUNNERS_UP]:
        restart, flops = cell.restart, cell.flops
        counts = [f"{restart.cutoff:,.0f}", _whole(restart.success_probability.value), f"{restart.tries:.3g}"]
        within = [] if plan.budget is None else [_whole(cell.chance(plan.budget).value)]
        interval = f"{power(flops.low)} to {power(flops.high)}"
        apart = "".join(f", {field} {value}" for field, value in cell.apart_from(plan.cells[0]).items())
        table.add_row(_cell_text(cell) + apart, *counts, power(flops.value), interval, *within)
    if len(plan.cells) > 1 + RUNNERS_UP:
        table.add_row(f"and {len(plan.cells) - 1 - RUNNERS_UP} more")
    return table


def _cell_text(cell: Cell) -> str:
    """``width 100, 2-sparse, m = 1,000``."""
    run = cell.run
    widths = " x ".join(f"{width:,}" for width in run.model.widths)
    init = f"{run.init.s}-sparse" if run.init.s is not None else run.init.scheme
    network = f"width {widths}" if widths else run.model.name
    return f"{network}, {init}, {'online' if run.sample is None else f'm = {run.sample:,}'}"


def _percent(share: Estimate) -> str:
    return f"{_whole(share.value)} [{_whole(share.low)}, {_whole(share.high)}]"


def _whole(share: float) -> str:
    """Whole percent; not quite all is never shown as 100%."""
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"
