"""Claims and their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from glassware.studies import Judgement

VERDICTS = {
    "holds": ("✓ holds", "green"),
    "fails": ("✗ fails", "red"),
    "not enough runs": ("? not enough runs", "yellow"),
}


def print_claims(console: Console, judgements: list[Judgement], *, brief: bool = False) -> None:
    """One table per study, then how many hold. ``brief``: one line for a study with nothing to judge."""
    by_study: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_study.setdefault(judgement.study, []).append(judgement)
    for study, group in by_study.items():
        scale, judged = group[0].scale, [j for j in group if j.verdict in VERDICTS]
        console.print()
        if brief and not judged:
            console.print(f"{study} at scale {scale}: none of its {len(group)} claims can be judged at this scale")
            continue
        if brief and all(j.verdict == "not enough runs" for j in judged):
            wanting = f"not enough runs for any of {len(judged)} claims yet"
            console.print(f"{study} at scale {scale}: {wanting} (glassware run {study} --scale {scale})")
            continue
        if judged:
            console.print(_claims_table(console, f"Claims of {study} at scale {scale}", judged))
            held = sum(j.verdict == "holds" for j in judged)
            console.print(f"{held} of {len(judged)} claims hold")
        others = [j.claim for j in group if j.verdict not in VERDICTS]
        if others:
            console.print(f"not judged at scale {scale}: {', '.join(others)}", style="dim")


def claims_markdown(judgements: list[Judgement]) -> str:
    """The claims that could be judged as a Markdown table; with several studies, under the name of each."""
    judged = [j for j in judgements if j.verdict in VERDICTS]
    lines = ["| claim | where | needed | measured | verdict |", "|---|---|---|---|---|"]
    for place, j in enumerate(judged):
        if len({one.study for one in judged}) > 1 and (not place or judged[place - 1].study != j.study):
            lines.append(f"| **{j.study}** | | | | |")
        measured = f"{j.measured} ({j.detail})" if j.detail else j.measured
        verdict = j.verdict if j.verdict == "holds" else f"**{j.verdict}**"
        cells = [f"`{j.claim}`: {j.statement}", j.where, j.threshold, measured, verdict]
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
    return "\n".join(lines)


def _claims_table(console: Console, title: str, judged: list[Judgement]) -> Table:
    table = Table(title=title, title_justify="left", show_lines=True, width=min(console.width, 140))
    for column, ratio in (("claim", 6), ("paper", 4), ("measured", 5), ("needed", 6)):
        table.add_column(column, ratio=ratio, overflow="fold")  # an id that is cut off cannot be asked for
    table.add_column("verdict", no_wrap=True, width=max(len(VERDICTS[j.verdict][0]) for j in judged))
    for j in judged:
        symbol, colour = VERDICTS[j.verdict]
        measured = Text.assemble(j.measured, ("\n" + j.detail if j.detail else "", "dim"))
        claim = Text.assemble((j.claim, "bold"), "\n", j.statement)
        table.add_row(claim, Text(j.where), measured, Text(j.threshold), Text(symbol, colour))
    return table
