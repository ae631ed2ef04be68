"""A report as one HTML file: text, claims, figures, versions; it needs no network and names no machine."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from urllib.parse import quote

from glassware.charts.save import javascript, licences
from glassware.foundation.version import own_version
from glassware.reports import elements
from glassware.reports.sections import Section
from glassware.reports.text import escape

# Scripts and styles stand in the file; nothing may be fetched, whatever a title holds.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<!--
{licences}
-->
<style>{style}</style>
</head>
<body>
<main>
<header><h1>{title}</h1>
<p class="quiet">A report of results, written {date} by glassware {version}.</p>
{contents}</header>
{sections}
</main>
<footer class="quiet">Figures answer to hovering and clicking, without a network. They are drawn by Vega, Vega-Lite and
vega-embed, whose licences stand at the head of this file.</footer>
<script>{vega}</script>
<script>const OPTIONS = {options};
{draw}</script>
</body>
</html>
"""


def html_report(sections: Sequence[Section]) -> str:
    """The report as one file."""
    title = f"{sections[0].name}: {sections[0].title}" if len(sections) == 1 else "Results of glassware"
    return PAGE.format(
        policy=POLICY,
        title=escape(title.rstrip(": ")),
        licences=licences(),
        style=elements.static("style.css"),
        date=datetime.date.today().isoformat(),
        version=escape(own_version()),
        contents=_contents(sections) if len(sections) > 1 else "",
        sections="\n".join(_section(one, alone=len(sections) == 1) for one in sections),
        vega=javascript() if any(one.drawings for one in sections) else "",
        options=elements.options(),
        draw=elements.static("name.js") + elements.static("draw.js"),
    )


def html_index(said: str, entries: Sequence[tuple[str, str, str, str]]) -> str:
    """A page of links: name, address, title and a line about each."""
    rows = "\n".join(
        f'<tr><th scope="row"><a href="{quote(link)}">{escape(name)}</a></th>'
        f"<td>{escape(title)}</td><td>{escape(found)}</td></tr>"
        for name, link, title, found in entries
    )
    head = "".join(f'<th scope="col">{one}</th>' for one in ("study or sweep", "shows", "found"))
    return PAGE.format(
        policy=POLICY,
        title="Results of glassware",
        licences=licences(),
        style=elements.static("style.css"),
        date=datetime.date.today().isoformat(),
        version=escape(own_version()),
        contents=f"<p>{escape(said)}</p>",
        sections=f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>",
        vega="",
        options=elements.options(),
        draw="",
    )


def _contents(sections: Sequence[Section]) -> str:
    lines = [
        f'<li><a href="#{elements.anchor(one)}">{escape(one.name)}</a> {escape(one.title)}</li>' for one in sections
    ]
    return f'<nav aria-label="contents"><ul>{"".join(lines)}</ul></nav>'


def _section(one: Section, *, alone: bool) -> str:
    """One study or sweep: what was found first, how it was made last."""
    place = elements.anchor(one)
    head = "" if alone else f"<h2>{escape(one.name)}</h2><p>{escape(one.title)}.</p>"
    figures = "\n".join(elements.figure(drawing, f"{place}-{i}") for i, drawing in enumerate(one.drawings))
    scale = f'<p class="quiet">At scale {escape(one.scale)}.</p>' if one.scale else ""
    made = "".join(f"<pre><code>{escape(line)}</code></pre>" for line in one.again)
    file = f"<p>where its file says</p><pre><code>{escape(one.file)}</code></pre>" if one.file else ""
    parts = {
        "What was asked": elements.description(one.text),
        "Claims": elements.claims_table(one.judgements),
        "Success by field": elements.table(one.table, f"success by field, {one.name}"),
        "Figures": figures,
        "How it was made": elements.fact_list(one.facts),
        "How to make it again": f"{made}{file}" if made else "",
    }
    body = "\n".join(f"<h2>{name}</h2>\n{said}" for name, said in parts.items() if said)
    if not alone:
        body = body.replace("<h3>", "<h4>").replace("</h3>", "</h4>").replace("<h2>", "<h3>").replace("</h2>", "</h3>")
    return f'<section id="{place}">{head}{scale}{elements.notes(one.notes)}\n{body}\n</section>'
