"""The frame of every page, and pieces that several of them use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from glassware.reports.text import escape

FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · glassware</title>
<link rel="icon" href="data:,">
{files}
</head>
<body {data}>
<a class="skip" href="#content">Skip to content</a>
<header class="bar"><nav aria-label="pages"><a href="/" class="home">glassware</a> {bar}</nav></header>
<main id="content" tabindex="-1">
{body}
</main>
<p id="news" role="status" aria-live="polite"></p>
</body>
</html>
"""
PAGES = {"/": "Overview", "/runs": "Runs", "/compare": "Compare"}
FILES = ("style.css", "page.css", "vega.js", "name.js", "page.js")


def frame(title: str, body: str, *, files: Sequence[str], bar: str = "", data: Mapping[str, str]) -> str:
    """A whole page, of whichever command.

    Args:
        title: of the window.
        body: HTML, escaped where it must be.
        files: its styles and scripts, by name.
        bar: HTML beside the name at the top.
        data: what its scripts are told.
    """
    said = " ".join(f'data-{name}="{escape(value)}"' for name, value in data.items())
    return FRAME.format(title=escape(title), body=body, files="\n".join(map(_file, files)), data=said, bar=bar)


def _file(name: str) -> str:
    if name.endswith(".css"):
        return f'<link rel="stylesheet" href="/static/{name}">'
    return f'<script src="/static/{name}" defer></script>'


def page(title: str, body: str, *, mark: str, here: str = "", live: str = "yes") -> str:
    """A whole page of ``glassware open``.

    Args:
        title: of the window.
        body: HTML, escaped where it must be.
        mark: of the store as this page shows it.
        here: which of the pages in the bar it is.
        live: ``yes``: what is new replaces what is shown; ``ask``: when the reader says so; ``no``: never.
    """
    links = " ".join(
        f'<a href="{path}"{" aria-current=page" if path == here else ""}>{name}</a>' for path, name in PAGES.items()
    )
    data = {"mark": mark, "live": live, "of": "shelf" if here == "/" else "mark"}
    return frame(title, body, files=FILES, bar=links, data=data)


def bar(share: float, name: str) -> str:
    """How far something is, in percent."""
    return (
        f'<div class="progress" role="progressbar" aria-label="{escape(name)}" aria-valuenow="{share:.0f}" '
        f'aria-valuemin="0" aria-valuemax="100"><div style="width:{share:.1f}%"></div></div>'
    )


def field(label: str, name: str, box: str) -> str:
    """A field of a form with its label; ``name`` is the id of the box."""
    return f'<div class="field"><label for="{name}">{escape(label)}</label>{box}</div>'


def link(address: str, said: object, **more: str) -> str:
    """A link; the address is one of ours."""
    extra = "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in more.items())
    return f'<a href="{attribute(address)}"{extra}>{escape(said)}</a>'


def attribute(address: str) -> str:
    """An address of ours as an attribute; not cut down as paths of the machine are."""
    return address.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, name: str, numbers: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; the first of each row names it."""
    align = lambda i: ' class="number"' if i in numbers else ""
    top = "".join(f'<th scope="col"{align(i)}>{one}</th>' for i, one in enumerate(head))
    body = []
    for first, *others in rows:
        cells = "".join(f"<td{align(i)}>{cell}</td>" for i, cell in enumerate(others, start=1))
        body.append(f'<tr><th scope="row"{align(0)}>{first}</th>{cells}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><table>'
        f"<thead><tr>{top}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def crumbs(trail: Mapping[str, str]) -> str:
    """Where a page is: addresses by what they are called."""
    inside = " › ".join(link(address, said) for said, address in trail.items())
    return f'<nav class="crumbs" aria-label="where">{inside}</nav>'


def study_path(name: str, scale: str) -> str:
    """The address of a study's page."""
    return f"/study/{quote(name, safe='/@=,+.-')}?scale={quote(scale)}"


def sweep_path(name: str) -> str:
    """The address of a sweep's page."""
    return f"/cells?of={quote('sweep:' + name, safe='')}"
