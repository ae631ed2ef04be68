"""Claims and their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from glassware.foundation.commands import command

if TYPE_CHECKING:
    from glassware.studies import Judgement

VERDICTS = {
    "holds": ("✓ holds", "green"),
    "fails": ("✗ fails", "red"),
    "too close to call": ("≈ too close to call", "magenta"),
    "not enough runs": ("? not enough runs", "yellow"),
    "error": ("! error", "red"),
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
            console.print(f"{study} at scale {scale}: {wanting} ({command(f'reproduce {study} --scale {scale}')})")
            continue
        if judged:
            console.print(_claims_table(console, f"Claims of {study} at scale {scale}", judged))
            console.print(tally(judged))
        others = [j.claim for j in group if j.verdict not in VERDICTS]
        if others:
            console.print(f"not judged at scale {scale}: {', '.join(others)}", style="dim")


def failed_checks(judgements: list[Judgement]) -> list[str]:
    """A sentence about every claim whose check failed."""
    return [f"claim '{j.claim}' of {j.study}: {j.detail}" for j in judgements if j.verdict == "error"]


def tally(judged: list[Judgement]) -> str:
    """How many hold, those of the paper and ours apart: "5 of 6 claims of the paper hold, 1 is too close to call"."""
    words = {"fails": ("fails", "fail"), "too close to call": ("is too close to call", "are too close to call"),
             "not enough runs": ("lacks runs", "lack runs"), "error": ("has an error", "have errors")}  # fmt: skip
    parts: list[str] = []
    for source, named in (("paper", "claims of the paper"), ("ours", "of ours")):
        verdicts = [j.verdict for j in judged if j.source == source]
        others = [f"{verdicts.count(v)} {word[verdicts.count(v) > 1]}" for v, word in words.items() if v in verdicts]
        if verdicts:
            said = named if parts or source == "paper" else "claims of ours"
            parts.append(", ".join([f"{verdicts.count('holds')} of {len(verdicts)} {said} hold", *others]))
    return "; ".join(parts)


def claims_markdown(judgements: list[Judgement]) -> str:
    """The claims that could be judged as a Markdown table; with several studies, under the name of each."""
    judged = [j for j in judgements if j.verdict in VERDICTS]
    lines = ["| claim | where | needed | measured | verdict |", "|---|---|---|---|---|"]
    for place, j in enumerate(judged):
        if len({one.study for one in judged}) > 1 and (not place or judged[place - 1].study != j.study):
            lines.append(f"| **{j.study}** | | | | |")
        cells = [f"`{j.claim}`: {j.statement}", place_in_words(j), j.threshold, with_detail(j.measured, j.detail)]
        lines.append(markdown_row([*cells, verdict_in_markdown(j.verdict, j.note)]))
    return "\n".join(lines)


def place_in_words(judgement: Judgement) -> str:
    """Where the paper says it; marked where the paper does not."""
    return judgement.where if judgement.source == "paper" else f"{judgement.where} (ours)"


def with_detail(measured: str, detail: str) -> str:
    """A number, and in brackets what is behind it."""
    return f"{measured} ({detail})" if detail else measured


def verdict_in_markdown(verdict: str, note: str = "") -> str:
    """A verdict, bold unless the claim holds, with its note."""
    said = verdict if verdict == "holds" else f"**{verdict}**"
    return f"{said}; {note}" if note else said


def markdown_row(cells: list[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def _claims_table(console: Console, title: str, judged: list[Judgement]) -> Table:
    table = Table(title=title, title_justify="left", show_lines=True, width=min(console.width, 140))
    for column, ratio in (("claim", 6), ("where", 4), ("measured", 5), ("needed", 6)):
        table.add_column(column, ratio=ratio, overflow="fold")  # an id that is cut off cannot be asked for
    table.add_column("verdict", no_wrap=True, width=max(len(VERDICTS[j.verdict][0]) for j in judged))
    for j in judged:
        symbol, colour = VERDICTS[j.verdict]
        measured = Text.assemble(j.measured, ("\n" + j.detail if j.detail else "", "dim"))
        claim = Text.assemble((j.claim, "bold"), "\n", j.statement)
        place = Text.assemble(j.where, ("\nours" if j.source == "ours" else "", "dim"))
        needed = Text.assemble(j.threshold, ("\n" + j.note if j.note else "", "dim italic"))
        table.add_row(claim, place, measured, needed, Text(symbol, colour))
    return table
