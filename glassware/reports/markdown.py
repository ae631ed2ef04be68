"""A report as Markdown, its figures as PNG files in a folder beside it."""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Iterator, Sequence

from glassware.charts.save import png
from glassware.foundation.version import own_version
from glassware.printing.claims import VERDICTS, claims_markdown, markdown_row, tally
from glassware.reports.elements import anchor
from glassware.reports.sections import Section
from glassware.reports.text import Block, without_paths


def markdown_report(sections: Sequence[Section], folder: str) -> tuple[str, dict[str, bytes]]:
    """The text, and the PNG files that it shows by their names in ``folder``."""
    images: dict[str, bytes] = {}
    lines = ["# Results of glassware"] if len(sections) > 1 else []
    for one in sections:
        level = "##" if len(sections) > 1 else "#"
        lines += ["", *_section(one, level, folder, images)]
    made = f"Written {datetime.date.today().isoformat()} by glassware {own_version()}."
    return "\n".join([*lines, "", "---", "", made]).strip() + "\n", images


def _section(one: Section, level: str, folder: str, images: dict[str, bytes]) -> Iterator[str]:
    yield f"{level} {plain(one.name)}"
    yield ""
    yield f"{plain(one.title)}{f', at scale {one.scale}' if one.scale else ''}."
    for note in one.notes:
        yield f"\n> {plain(note)}"
    if one.text:
        yield from ("", f"{level}# What was asked", "", *_description(one.text, level))
    if one.judgements:
        judged = [found for found in one.judgements if found.verdict in VERDICTS]
        others = [found.claim for found in one.judgements if found.verdict not in VERDICTS]
        yield from ("", f"{level}# Claims")
        if judged:
            yield from ("", f"{tally(judged)}.", "", plain(claims_markdown(judged), tables=True))
        if others:
            yield from ("", f"Not judged at this scale: {', '.join(f'`{name}`' for name in others)}.")
    if one.table:
        head, *rows = one.table
        yield from ("", f"{level}# Success by field", "", markdown_row(head), "|---" * len(head) + "|")
        yield from (markdown_row([plain(cell) for cell in row]) for row in rows)
    if one.drawings:
        yield from ("", f"{level}# Figures")
    for drawing in one.drawings:
        file = f"{anchor(one)}-{re.sub(r'[^A-Za-z0-9._-]+', '-', drawing.name)}.png"
        images[file] = png(drawing.spec)
        yield from ("", f"![{plain(drawing.title).replace(']', ')')}]({folder}/{file})")
    yield from ("", f"{level}# How it was made", "")
    yield from (f"- {name}: {plain(said)}" for name, said in one.facts.items())
    if one.again:
        yield from ("", f"{level}# How to make it again", "", "```sh", *one.again, "```")
    if one.file:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", one.file)), default=0))
        yield from ("", "where its file says", "", f"{fence}toml", one.file.rstrip(), fence)


def _description(text: Sequence[Block], level: str) -> Iterator[str]:
    for place, block in enumerate(text):
        said = plain(block.text)
        if block.kind == "heading":
            yield f"{'' if place and text[place - 1].kind == 'text' else chr(10)}{level}## {said}\n"
        elif block.kind == "named":
            yield f"- **{plain(block.name)}**: {said}"
        else:
            yield f"{said}\n"


def plain(text: str, *, tables: bool = False) -> str:
    """The text so that Markdown shows it as it stands: no HTML, and outside tables no marks at the start of a line."""
    said = html.escape(without_paths(text), quote=False).replace("&amp;", "&").replace("&gt;", ">")
    said = said.replace("``", "`")
    return said if tables else re.sub(r"^(\d*)([#>+=-]|(?<=\d)[.)])(?=\s)", r"\1\\\2", " ".join(said.split()))
