"""The pages of claims in the docs, written by one command: every claim of every study beside what was measured.

Laptop scale is judged on the rows of a store. Paper scale takes hours of a GPU, so its judgements are *recorded*: files
of JSON in ``docs/recorded`` with who measured what, where and when. What a reader should know beside the tables is
written by hand, in ``docs/claims/PAGE.intro.md``; the tables take the place of its mark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from glassware.foundation.errors import GlasswareError
from glassware.printing.claims import failed_checks, markdown_row, with_detail
from glassware.printing.recorded import Recorded, read_recorded
from glassware.studies import STUDIES, Claim, Judgement, Study, claims, results
from glassware.studies.claim import Source
from glassware.sweeps import Store

# In a page's introduction: the tables come here, and the counts of all pages.
MARK, INDEX = "<!-- claims -->", "<!-- index -->"
HEAD = ["claim", "where", "needed", "laptop scale", "paper scale"]
COUNTED = ("holds", "fails", "too close to call", "not enough runs", "not measured")
LONGEST = 240  # characters of the counts behind a number

Judged: TypeAlias = Mapping[tuple[str, str], Judgement]
Kept: TypeAlias = Mapping[tuple[str, str], Recorded]


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
PAGES = (
    Page("pareto", "Pareto Frontiers", lambda name: name.startswith("pareto/") and name != TABULAR),
    Page("tabular", "Pareto Frontiers, tables", lambda name: name == TABULAR),
    Page("hidden-progress", "Hidden Progress", lambda name: name.startswith("hidden-progress/")),
    Page("leaky", "Learning Parities with Neural Networks", lambda name: name.startswith("leaky/")),
    Page("theory", "Theory of Pareto Frontiers", lambda name: name.startswith("theory/")),
    Page("margins", "Feature Emergence", lambda name: name.startswith("margins/")),
    Page("induction", "Induction heads", lambda name: name.startswith("induction/")),
)


def write_pages(folder: Path, store: Store) -> list[Path]:
    """Write every page into the docs' folder; returns their paths."""
    judged = {
        (found.study, found.claim): found
        for study in STUDIES.values()
        for found in claims(study, "laptop", results(study, "laptop", store))
    }
    for said in failed_checks(list(judged.values())):
        raise GlasswareError(said)
    recorded = read_recorded(folder / "recorded")
    made = made_by(store)
    paths = []
    for page in PAGES:
        intro = folder / "claims" / f"{page.name}.intro.md"
        if not intro.exists() or MARK not in intro.read_text():
            raise GlasswareError(f"{intro} must be there, with the mark {MARK} where the tables come")
        parts = [made, tables(page, judged, recorded), provenance(page, recorded)]
        text = intro.read_text().replace(MARK, "\n\n".join(part for part in parts if part))
        text = text.replace(INDEX, index(judged, recorded))
        paths.append(folder / page.file)
        paths[-1].write_text(text.rstrip() + "\n")
    return paths


def claim_cells(claim: Claim) -> list[str]:
    """What a page says about a claim before any measurement: statement, place, threshold with its note."""
    place = claim.where if claim.source == "paper" else f"{claim.where} (ours)"
    needed = f"{claim.threshold}. *{claim.note[:1].upper()}{claim.note[1:]}.*" if claim.note else claim.threshold
    return [f"`{claim.id}`: {claim.statement}", place, needed]


def tables(page: Page, judged: Judged, recorded: Kept) -> str:
    """One table per study."""
    lines = []
    for study in page.studies():
        lines += [f"## {study.name}", "", f"{study.title}.", "", markdown_row(HEAD), "|---" * len(HEAD) + "|"]
        for claim in study.claims:
            key = study.name, claim.id
            cells = [_laptop(claim, judged.get(key)), _paper(claim, recorded.get(key))]
            lines.append(markdown_row([*claim_cells(claim), *cells]))
        lines.append("")
    return "\n".join(lines).rstrip()


def _laptop(claim: Claim, found: Judgement | None) -> str:
    if "laptop" not in claim.scales:
        return "not judged"
    return "not measured" if found is None else _cell(found.verdict, found.measured, found.detail)


def _paper(claim: Claim, found: Recorded | None) -> str:
    if "paper" not in claim.scales:
        return "not judged"
    if found is None:
        return "not measured"
    against = "" if found.threshold == claim.threshold else f"; judged against: {found.threshold}"
    return _cell(found.verdict, found.measured, found.detail) + found.doubt + against


def _cell(verdict: str, measured: str, detail: str) -> str:
    said = verdict if verdict == "holds" else f"**{verdict}**"
    if verdict == "not enough runs" and measured == "–":
        return said
    return f"{said}: {with_detail(measured, _short(detail))}"


def _short(detail: str) -> str:
    """The detail, cut between two of its parts where it is long."""
    if len(detail) <= LONGEST:
        return detail
    return detail[:LONGEST].rpartition("; ")[0] + "; …" if "; " in detail[:LONGEST] else detail[:LONGEST] + "…"


def index(judged: Judged, recorded: Kept) -> str:
    """How many claims hold, by paper, scale and source."""
    lines = [markdown_row(["page", "scale", "whose claims", "claims", *COUNTED]), "|---" * (4 + len(COUNTED)) + "|"]
    for page in PAGES:
        for scale in ("laptop", "paper"):
            for source in ("paper", "ours"):
                verdicts = _verdicts(page, scale, source, judged, recorded)
                if verdicts:
                    whose = "the paper's" if source == "paper" else "ours"
                    counts = [str(verdicts.count(verdict) or "") for verdict in COUNTED]
                    lines.append(
                        markdown_row([f"[{page.title}]({page.file})", scale, whose, str(len(verdicts)), *counts])
                    )
    return "\n".join(lines)


def _verdicts(
    page: Page,
    scale: str,
    source: Source,
    judged: Judged,
    recorded: Kept,
) -> list[str]:
    known: Mapping[tuple[str, str], Judgement | Recorded] = judged if scale == "laptop" else recorded
    keys = [
        (study.name, claim.id)
        for study in page.studies()
        for claim in study.claims
        if scale in claim.scales and claim.source == source
    ]
    return [known[key].verdict if key in known else "not measured" for key in keys]


def provenance(page: Page, recorded: Kept) -> str:
    """Where the judgements of paper scale on a page come from."""
    names = {study.name for study in page.studies()}
    said = dict.fromkeys(one.provenance for (study, _), one in recorded.items() if study in names)
    return (
        "\n".join(["## Where the numbers at paper scale come from", "", *(f"- {line}" for line in said)])
        if said
        else ""
    )


def made_by(store: Store) -> str:
    """What made the rows at laptop scale."""
    rows = store.read()
    kinds = rows.select("glassware", "jax", "device").unique().drop_nulls().sort("glassware", "jax", "device").rows()
    named = "; ".join(f"glassware {own}, JAX {jax}, {device}" for own, jax, device in kinds)
    return (
        f"Laptop scale: {len(rows):,} runs of this store ({named}) and the tables computed beside them."
        if kinds
        else ""
    )
