"""Which pages of claims there are, and how many claims of each hold: counted on the pages themselves.

So pages may be written one by one, each from the store that has its rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from glassware.printing.claims import markdown_row
from glassware.studies import STUDIES, Claim, Study

MARK = "<!-- index -->"  # in the introduction of the first page: the counts come here
COUNTED = ("holds", "fails", "too close to call", "not enough runs", "not measured")
HEAD = ["page", "scale", "whose claims", "claims", *COUNTED]
OURS = " (ours)"  # behind the place of a claim that no paper makes
SCALES = {"laptop": 3, "paper": 4}  # cells of a claim's row that hold their verdicts


@dataclass(frozen=True)
class Page:
    """One page: its name, its title in the index, and whose studies it shows."""

    name: str
    title: str
    shows: Callable[[str], bool]

    @property
    def file(self) -> str:
        """The page among the docs; the one of Pareto Frontiers is the index as well."""
        return "claims.md" if self.name == "pareto" else f"claims-{self.name}.md"

    def studies(self) -> list[Study]:
        """The studies of the page."""
        return [study for name, study in STUDIES.items() if self.shows(name)]


TABULAR = "pareto/tabular"
FURTHER = ("pareto/more/", "pareto/beyond/")
PAGES = (
    Page(
        "pareto",
        "Pareto Frontiers",
        lambda name: name.startswith("pareto/") and name != TABULAR and not name.startswith(FURTHER),
    ),
    Page("tabular", "Pareto Frontiers, tables", lambda name: name == TABULAR),
    Page("beyond", "Pareto Frontiers, more and beyond", lambda name: name.startswith(FURTHER)),
    Page("hidden-progress", "Hidden Progress", lambda name: name.startswith("hidden-progress/")),
    Page("leaky", "Learning Parities with Neural Networks", lambda name: name.startswith("leaky/")),
    Page("theory", "Theory of Pareto Frontiers", lambda name: name.startswith("theory/")),
    Page("margins", "Feature Emergence", lambda name: name.startswith("margins/")),
    Page("induction", "Induction heads", lambda name: name.startswith("induction/")),
    Page("juntas", "Variable creation", lambda name: name.startswith("juntas/")),
)


def place_of(claim: Claim) -> str:
    """Where a claim is made, and whether it is ours."""
    return claim.where if claim.source == "paper" else f"{claim.where}{OURS}"


def refresh_index(folder: Path) -> None:
    """Count the claims of all pages in the docs' folder, and put the counts in the place of the former ones."""
    first = folder / PAGES[0].file
    if not first.exists():
        return
    former = re.escape(markdown_row(HEAD)) + r"(\n\|[^\n]*)*"
    first.write_text(re.sub(f"{former}|{re.escape(MARK)}", lambda _: index(folder), first.read_text(), count=1))


def index(folder: Path) -> str:
    """How many claims hold, by page, scale and source."""
    lines = [markdown_row(HEAD), "|---" * len(HEAD) + "|"]
    for page in PAGES:
        rows = list(_claim_rows(folder / page.file))
        for scale, cell in SCALES.items():
            for whose, ours in (("the paper's", False), ("ours", True)):
                verdicts = [_verdict(row[cell]) for row in rows if row[1].endswith(OURS) == ours]
                judged = [verdict for verdict in verdicts if verdict in COUNTED]
                if judged:
                    counts = [str(judged.count(verdict) or "") for verdict in COUNTED]
                    lines.append(
                        markdown_row([f"[{page.title}]({page.file})", scale, whose, str(len(judged)), *counts])
                    )
    return "\n".join(lines)


def _claim_rows(path: Path) -> Iterator[list[str]]:
    """The cells of every claim on a page: a row that begins with the claim's id in code."""
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("| `"):
            yield split_row(line)


def split_row(line: str) -> list[str]:
    """The cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _verdict(cell: str) -> str:
    return cell.split(":")[0].strip("*")
