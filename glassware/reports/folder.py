"""Reports of everything in a store: one page per study and sweep, and a first page that leads to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassware.printing.claims import VERDICTS, markdown_row, tally
from glassware.reports.markdown import markdown_report, plain
from glassware.reports.page import html_index, html_report
from glassware.reports.sections import Section


@dataclass(frozen=True)
class Entry:
    """What the first page says about another: its name, its title, how its claims stand, and where it is."""

    name: str
    title: str
    found: str
    link: str


def page(section: Section, format: str) -> tuple[Entry, dict[str, bytes]]:
    """The entry of a section on the first page, and the files of its own page by their places below the folder."""
    judged = [one for one in section.judgements if one.verdict in VERDICTS]
    place = section.name if section.scale else f"sweeps/{section.name}"
    found = tally(judged) if judged else section.facts.get("runs") or f"rows: {section.facts.get('rows', 'none')}"
    entry = Entry(section.name, section.title, found, f"{place}.{format}")
    if format == "html":
        return entry, {entry.link: html_report([section]).encode()}
    last = place.rpartition("/")[2]
    text, images = markdown_report([section], f"{last}-figures")
    return entry, {entry.link: text.encode()} | {f"{place}-figures/{name}": image for name, image in images.items()}


def first_page(entries: Sequence[Entry], scale: str, format: str) -> bytes:
    """The page that lists all others."""
    said = f"Everything that a store holds, studies at scale {scale}."
    if format == "html":
        return html_index(said, [(one.name, one.link, one.title, one.found) for one in entries]).encode()
    rows = [markdown_row([f"[{plain(one.name)}]({one.link})", plain(one.title), plain(one.found)]) for one in entries]
    head = markdown_row(["study or sweep", "shows", "found"])
    return "\n".join(["# Results", "", said, "", head, "|---|---|---|", *rows, ""]).encode()
