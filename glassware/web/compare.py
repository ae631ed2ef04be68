"""Two selections side by side."""

from __future__ import annotations

from glassware.luck.side_by_side import side_by_side
from glassware.printing.side_by_side import cells_in_words
from glassware.reports.text import escape
from glassware.web.layout import attribute, field, page, table
from glassware.web.library import Library
from glassware.web.selection import select
from glassware.web.shelf import Shelf

MOST = 400  # cells


def compare(first: str, second: str, library: Library, shelf: Shelf) -> str:
    """Cells that two selections have in common, with intervals."""
    now = library.now()
    shelf.look()
    known = {f"sweep:{name}": f"sweep {name}" for name in now.sweeps}
    known |= {f"study:{one.study}:{one.scale}": f"{one.study}, {one.scale}" for one in shelf.held}
    for given in (first, second):
        if given and given not in known:
            known[given] = select(given, now, library, shelf).title
    form = "".join(
        field(label, name, f'<select name="{name}" id="{name}">{_options(known, given)}</select>')
        for label, name, given in (("A", "a", first), ("B", "b", second))
    )
    parts = ["<h1>Compare</h1>", f'<form class="filters" action="/compare">{form}<button>compare</button></form>']
    if first and second:
        found = side_by_side(*(select(one, now, library, shelf).rows for one in (first, second)))
        said = [[escape(field), escape(one), escape(other)] for field, one, other in found.differ]
        none = "<p>No field has one value in all of A and another in all of B.</p>"
        parts += ["<h2>What differs</h2>", table(["field", "A", "B"], said, name="what differs") if said else none]
        lines = []
        rows = found.table.to_dicts()
        for row in [*rows[:-1][:MOST], rows[-1]]:
            cell = [escape(row[field]) for field in found.fields] or ["all runs"]
            lines.append([*cell, *map(escape, cells_in_words(row))])
        fields = [*map(escape, found.fields)] or ["cell"]
        head = [*fields, "A succeed", "95% interval", "B succeed", "95% interval", "B − A", "95% interval"]
        numbers = list(range(len(fields), len(fields) + 6))
        parts += ["<h2>Cells</h2>", table(head, lines, name="cells", numbers=numbers)]
        alone = [f"{count:,} only in {side}" for count, side in zip(found.alone, "AB", strict=True) if count]
        if alone:
            parts.append(f"<p class='quiet'>Cells {' and '.join(alone)}; “all runs” counts theirs, too.</p>")
    elif len(known) < 2:
        parts.append("<p>The store has fewer than two sweeps and studies: there is nothing to compare yet.</p>")
    return page("Compare", "\n".join(parts), mark=now.mark, here="/compare")


def _options(known: dict[str, str], given: str) -> str:
    options = "".join(
        f'<option value="{attribute(of)}"{" selected" if of == given else ""}>{escape(said)}</option>'
        for of, said in known.items()
    )
    return f'<option value="">choose</option>{options}'
