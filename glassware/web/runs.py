"""The table of runs, and the cells of a selection."""

from __future__ import annotations

from urllib.parse import quote

import polars as pl

from glassware.charts import specification
from glassware.charts.any_sweep import axes, sweep_figure
from glassware.charts.grid import make_grid
from glassware.charts.save import script_json, title_of
from glassware.foundation.errors import GlasswareError
from glassware.foundation.specs import seedless
from glassware.foundation.statistics import wilson
from glassware.luck.by_field import shown, summary
from glassware.reports import elements
from glassware.reports.sections import HEAD, Drawing, by_field
from glassware.reports.text import escape
from glassware.web.layout import attribute, bar, crumbs, field, link, page, table
from glassware.web.library import PART, Library
from glassware.web.overview import writing
from glassware.web.query import NONE, ROWS, Query, choices, chosen, ordered, text
from glassware.web.selection import Selected, select
from glassware.web.shelf import Shelf

# What every table of runs shows; what varies in the selection stands between.
FIRST, LAST = ["id"], ["success", "steps_to_success", "test_error"]
USUAL = ["task", "model", "n", "k", "m", "width", "init", "lr", "seed"]
MOST_COLUMNS = 9
DRAWN = 20_000  # runs whose curves are read for a figure
MOST_SPECS = 5_000  # different specifications, seeds apart, that are read and drawn; more take minutes
CELLS = 400  # listed below a heat map


def runs(query: Query, library: Library, shelf: Shelf) -> str:
    """Runs with filters, search, order and pages."""
    now = library.now()
    picked = select(query.of, now, library, shelf)
    offered = library.kept(f"choices {query.of}", lambda: choices(picked.rows))
    rows = chosen(picked.rows, query)
    pages = max(1, -(-len(rows) // ROWS))
    number = min(max(1, query.page), pages)
    part = ordered(rows, query, (number - 1) * ROWS, ROWS)
    names = columns(picked.rows, offered)
    body = [[_cell(name, value) for name, value in zip(names, row, strict=True)] for row in part.select(names).rows()]
    figures = [i for i, name in enumerate(names) if rows.schema[name].is_numeric()]
    their_cells = link(query.address("/cells"), "their cells")
    parts = [
        crumbs({"overview": "/", **dict(picked.trail)}),
        f"<h1>{escape(picked.title)}</h1>",
        _form(query, offered),
        f'<p role="status">{len(rows):,} of {len(picked.rows):,} runs · {their_cells}</p>',
        f'<div class="runs">{table([_head(query, name) for name in names], body, name="runs", numbers=figures)}</div>',
        _turn(query, number, pages),
    ]
    return page(picked.title, "\n".join(parts), mark=now.mark, here="/runs" if not query.of else "")


def columns(rows: pl.DataFrame, offered: dict[str, list[str]]) -> list[str]:
    """The columns of the table: those that vary first."""
    vary = [name for name in (*USUAL, *offered) if name in rows.columns and (name in offered or name == "seed")]
    usual = vary or [name for name in USUAL if name in rows.columns]
    middle = [name for name in dict.fromkeys(usual) if name not in (*FIRST, *LAST)][:MOST_COLUMNS]
    return [*FIRST, *middle, *(name for name in LAST if name in rows.columns)]


def _cell(name: str, value: object) -> str:
    if name == "id":
        return link(f"/run/{value}", str(value)[:10])
    if value is None:
        return "online" if name == "m" else "never" if name == "steps_to_success" else "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape(f"{value:,}" if isinstance(value, int) and name in ("steps_to_success", "steps") else value)


def _head(query: Query, name: str) -> str:
    """The head of a column: a link that orders by it."""
    up, down = query.sort == name, query.sort == f"-{name}"
    sign = " ▲" if up else " ▼" if down else ""
    order = "falling" if up else "rising"
    words = {"aria_label": f"{name}, order {order}", "id": f"by-{name}"}
    return link(query.address(sort=f"-{name}" if up else name, page=1), name + sign, **words)


def _form(query: Query, offered: dict[str, list[str]]) -> str:
    """Filters: one list per column that varies, and a search."""
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{_quoted(value)}">'
        for name, value in (("of", query.of), ("sort", query.sort))
        if value
    )
    lists = []
    for name in {**dict.fromkeys(query.where), **offered}:
        values = offered.get(name) or [query.where.get(name, "")]
        options = "".join(
            f'<option value="{_quoted(value)}"{" selected" if query.where.get(name) == value else ""}>'
            f"{escape('online' if name == 'm' and value == NONE else value)}</option>"
            for value in values
        )
        box = f'<select id="w-{_quoted(name)}" name="w.{_quoted(name)}"><option value="">any</option>{options}</select>'
        lists.append(field(name, f"w-{_quoted(name)}", box))
    box = f'<input id="q" type="search" name="q" value="{_quoted(query.search)}" '
    search = field("search", "q", box + 'placeholder="id or words of the specification">')
    clear = link(Query(of=query.of).address(), "clear")
    more = f"<details><summary>more filters</summary><div class='filters'>{''.join(lists[8:])}</div></details>"
    shown_lists = "".join(lists[:8]) + (more if len(lists) > 8 else "")
    return (
        f'<form class="filters" role="search" action="/runs" method="get">{hidden}{search}{shown_lists}'
        f"<button>filter</button> {clear}</form>"
    )


def _turn(query: Query, number: int, pages: int) -> str:
    """Links to the pages before and after."""
    before = link(query.address(page=number - 1), "‹ before", rel="prev") if number > 1 else ""
    after = link(query.address(page=number + 1), "after ›", rel="next") if number < pages else ""
    last = link(query.address(page=pages), "last") if number < pages else ""
    return f'<nav class="pages" aria-label="pages of runs">{before} page {number:,} of {pages:,} {after} {last}</nav>'


def cells(query: Query, library: Library, shelf: Shelf) -> str:
    """A selection by the fields that vary in it: a figure whose cells lead to their runs, and the same as a table."""
    now = library.now()
    picked = select(query.of, now, library, shelf)
    rows = chosen(picked.rows, query)
    name = query.of.partition(":")[2] if query.of.startswith("sweep:") else picked.title
    parts = [crumbs({"overview": "/", **dict(picked.trail[:1] if not query.of.startswith("sweep:") else ())})]
    parts += [f"<h1>{escape(picked.title)}</h1>", _progress(query, picked, rows), writing(library)]
    narrow = link(query.address("/runs"), "choose some of the runs")
    ways = [
        link(query.address("/runs"), f"{len(rows):,} runs"),
        link(f"/compare?a={quote(query.of, safe='')}", "compare"),
    ]
    parts.append(f"<p>{' · '.join(ways if query.of else ways[:1])}</p>")
    specs = rows.select(seedless().n_unique()).item()
    found = summary(rows) if 0 < specs <= MOST_SPECS else None
    if specs > MOST_SPECS:
        parts.append(f"<p>{specs:,} different specifications are too many for a figure: {narrow}.</p>")
    if found is not None:
        parts += _figure(query, picked, rows, found, library)
        lines = [[escape(cell) for cell in by_field(row)] for row in found.head(CELLS).iter_rows(named=True)]
        parts += ["<h2>Success by field</h2>", table(HEAD, lines, name="success by field", numbers=[2, 3, 4, 5])]
    if picked.file:
        parts.append(f"<h2>Its file</h2><pre><code>{escape(picked.file)}</code></pre>")
    return page(name, "\n".join(parts), mark=now.mark)


def _figure(query: Query, picked: Selected, rows: pl.DataFrame, found: pl.DataFrame, library: Library) -> list[str]:
    """The default figure, with an address for each of its cells, and the cells as a table."""
    varied = list(dict.fromkeys(found.filter(pl.col("field") != "all")["field"]))
    few = len(rows) <= DRAWN
    frame = library.whole(rows["id"]) if few else rows.drop(PART)
    by = axes(frame, varied)
    parts = []
    try:
        spec = specification(sweep_figure(frame, by, picked.title))
        column, down = [*by[2:], None, None][:2]  # as the figure has them, so that its cells have these numbers
        grid = make_grid(frame, down, column, by[0], by[1]) if len(by) > 1 else None
        known = {} if grid is None else {one["cell"]: _address(query, one, grid.by) for one in grid.table.to_dicts()}
        drawing = Drawing("success", title_of(spec) or picked.title, spec)
        parts.append(elements.figure(drawing, "0"))
        parts.append('<p class="picked" id="picked-chart-0" role="status"></p>')
        parts.append(f'<script type="application/json" id="cells-of-chart-0">{script_json(known)}</script>')
    except GlasswareError as error:
        parts.append(f'<p class="quiet">No figure: {escape(error)}.</p>')
    except Exception as error:  # whatever columns parts of one's own have
        parts.append(f'<p class="quiet">No figure: {escape(type(error).__name__)}.</p>')
    if not by:
        return parts
    counts = frame.group_by(by, maintain_order=True).agg(pl.len().alias("runs "), pl.col("success").sum().alias("won "))
    lines = []
    for row in counts.sort(by, nulls_last=True).head(CELLS).to_dicts():
        rate, low, high = wilson(row["won "], row["runs "])
        first, *others = [shown(name, row[name]) for name in by]
        address = _address(query, row, by)["address"]
        said = [f"{row['won ']:,} of {row['runs ']:,}", f"{rate:.0%}", f"{low:.0%} to {high:.0%}"]
        lines.append([link(address, first), *map(escape, others), *said])
    head = [*map(escape, by), "succeed", "rate", "95% interval"]
    numbers = [len(by), len(by) + 1, len(by) + 2]
    listed = table(head, lines, name="cells", numbers=numbers)
    return [*parts, f"<h2>Cells</h2>{listed}"]


def _address(query: Query, row: dict[str, object], by: list[str]) -> dict[str, str]:
    """Where the runs of a cell are, and what it is in words."""
    where = {name: NONE if row[name] is None else _spelt(row[name]) for name in by}
    return {"address": query.also(**where), "said": ", ".join(f"{name} {shown(name, row[name])}" for name in by)}


def _spelt(value: object) -> str:
    return pl.Series([value]).to_frame("value").select(text("value")).item() if value is not None else NONE


def _progress(query: Query, picked: Selected, rows: pl.DataFrame) -> str:
    if picked.wanted is None or query.where or len(rows) >= picked.wanted:
        return ""
    share = 100 * len(rows) / picked.wanted
    said = f"<p>{len(rows):,} of {picked.wanted:,} runs are there; those that succeed early finish first.</p>"
    return said + bar(share, "runs there")


def _quoted(value: str) -> str:
    return attribute(value).replace(">", "&gt;")
