"""The pages of claims in the docs, written by one command: every claim of every study beside what was measured.

Laptop scale is judged on the rows of a store. Paper scale takes hours of a GPU, so its judgements are *recorded*: files
of JSON in ``docs/recorded`` with who measured what, where and when. What a reader should know beside the tables is
written by hand, in ``docs/claims/PAGE.intro.md``; the tables take the place of its mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeAlias

from glassware.foundation.errors import GlasswareError
from glassware.printing.claims import failed_checks, markdown_row, with_detail
from glassware.printing.claims_index import PAGES, Page, place_of, refresh_index, split_row
from glassware.printing.recorded import Recorded, read_recorded
from glassware.studies import Claim, Judgement, Study, claims, results
from glassware.sweeps import Store

SOURCES = "## Where the numbers at paper scale come from"
MARK = "<!-- claims -->"  # in a page's introduction: the tables come here
HEAD = ["claim", "where", "needed", "laptop scale", "paper scale"]
LONGEST = 240  # characters of the counts behind a number

Judged: TypeAlias = Mapping[tuple[str, str], Judgement]
Kept: TypeAlias = Mapping[tuple[str, str], Recorded]


def write_pages(folder: Path, store: Store, chosen: Collection[Study]) -> list[Path]:
    """Write the pages of these studies into the docs' folder, and the index anew; returns the pages' paths."""
    names = {study.name for study in chosen}
    wanted = [page for page in PAGES if names & {study.name for study in page.studies()}]
    judged = {
        (found.study, found.claim): found
        for page in wanted
        for study in page.studies()
        for found in claims(study, "laptop", results(study, "laptop", store))
    }
    for said in failed_checks(list(judged.values())):
        raise GlasswareError(said)
    recorded = read_recorded(folder / "recorded")
    made = made_by(store)
    for page in wanted:
        intro = folder / "claims" / f"{page.name}.intro.md"
        if not intro.exists() or MARK not in intro.read_text():
            raise GlasswareError(f"{intro} must be there, with the mark {MARK} where the tables come")
        parts = [made, tables(page, judged, recorded), provenance(page, recorded)]
        text = intro.read_text().replace(MARK, "\n\n".join(part for part in parts if part))
        (folder / page.file).write_text(text.rstrip() + "\n")
    refresh_index(folder)
    return [folder / page.file for page in wanted]


def refresh_records(folder: Path, chosen: Collection[Study]) -> list[Path]:
    """Write what was recorded at paper scale into these studies' pages; what was judged at laptop scale stays."""
    names, recorded = {study.name for study in chosen}, read_recorded(folder / "recorded")
    wanted = [page for page in PAGES if names & {study.name for study in page.studies()}]
    for page in wanted:
        text, lines = (folder / page.file).read_text(), []
        claims_ = iter([(study.name, claim) for study in page.studies() for claim in study.claims])
        for line in text.splitlines():
            if line.startswith("| `"):  # in the order of the studies and their claims
                study, claim = next(claims_)
                laptop = split_row(line)[3].replace("\\|", "|")
                line = markdown_row([*claim_cells(claim), laptop, _paper(claim, recorded.get((study, claim.id)))])
            lines.append(line)
        former = re.compile(re.escape(SOURCES) + r"\n\n(?:- [^\n]*\n)+")
        sources = provenance(page, recorded) + "\n"
        found = former.sub(sources.replace("\\", r"\\"), "\n".join(lines) + "\n")
        (folder / page.file).write_text(found.rstrip() + "\n")
    refresh_index(folder)
    return [folder / page.file for page in wanted]


def claim_cells(claim: Claim) -> list[str]:
    """What a page says about a claim before any measurement: statement, place, threshold with its note."""
    needed = f"{claim.threshold}. *{claim.note[:1].upper()}{claim.note[1:]}.*" if claim.note else claim.threshold
    return [f"`{claim.id}`: {claim.statement}", place_of(claim), needed]


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


def provenance(page: Page, recorded: Kept) -> str:
    """Where the judgements of paper scale on a page come from."""
    names = {study.name for study in page.studies()}
    said = dict.fromkeys(one.provenance for (study, _), one in recorded.items() if study in names)
    return "\n".join([SOURCES, "", *(f"- {line}" for line in said)]) if said else ""


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
