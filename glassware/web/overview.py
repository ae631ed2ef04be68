"""The first page, and those of studies."""

from __future__ import annotations

import time
from urllib.parse import quote

from glassware.foundation.errors import GlasswareError
from glassware.foundation.quantities import about
from glassware.reports import elements
from glassware.reports.text import escape
from glassware.web.layout import bar, crumbs, link, page, study_path, sweep_path, table
from glassware.web.library import Library
from glassware.web.selection import UnknownError, select
from glassware.web.shelf import Shelf


def overview(library: Library, shelf: Shelf) -> str:
    """What a store holds: studies, sweeps by name, counts, and who is writing."""
    now = library.now()
    shelf.look()
    name = library.store.path.name or "store"
    succeeded = int(now.rows["success"].sum()) if len(now.rows) else 0
    runs = link("/runs", f"{len(now.rows):,} runs")
    parts = [f"<h1>{escape(name)}</h1>", f"<p>{runs}, {succeeded:,} of them succeeded.</p>", writing(library)]
    parts += ["<h2>Studies</h2>", _studies(shelf), "<h2>Sweeps</h2>"]
    sweeps = []
    for one in now.sweeps.values():
        there = select(f"sweep:{one.name}", now, library, shelf).rows
        won = int(there["success"].sum())
        counts = [f"{len(there):,}", f"{len(one.ids):,}", f"{won:,}"]
        sweeps.append([link(sweep_path(one.name), one.name), escape(one.title), *counts])
    head = ["sweep", "shows", "runs", "of", "succeed"]
    none = '<p class="quiet">None has a name yet: <code>glassware sweep FILE.toml</code> gives it the file\'s.</p>'
    parts.append(table(head, sweeps, name="sweeps", numbers=[2, 3, 4]) if sweeps else none)
    return page(name, "\n".join(parts), mark=_mark(now.mark, shelf), here="/")


def study(name: str, scale: str, library: Library, shelf: Shelf) -> str:
    """A study whole: claims, figures, text, how it was made."""
    mark = library.mark()
    one = shelf.section(name, scale)
    if one is None:
        raise UnknownError(f"the store has no results of {name} at scale {scale}")
    figures = "\n".join(elements.figure(drawing, str(i)) for i, drawing in enumerate(one.drawings))
    mine = quote(f"study:{name}:{scale}", safe="")
    ways = f"{link(f'/runs?of={mine}', 'its runs')} · {link(f'/cells?of={mine}', 'its cells')} · " + link(
        f"/compare?a={mine}", "compare it"
    )
    again = "".join(f"<pre><code>{escape(line)}</code></pre>" for line in one.again)
    parts = [
        crumbs({"overview": "/"}),
        f"<h1>{escape(one.title)}</h1>",
        f'<p class="quiet">{escape(name)}, at scale {escape(scale)}</p><p>{ways}</p>',
        elements.notes(one.notes),
        f"<h2>Claims</h2>\n{elements.claims_table(one.judgements)}" if one.judgements else "",
        f"<h2>Figures</h2>\n{figures}" if figures else "",
        f"<h2>What was asked</h2>\n{elements.description(one.text)}",
        f"<h2>How it was made</h2>\n{elements.fact_list(one.facts)}{again}",
    ]
    return page(name, "\n".join(parts), mark=mark, live="ask")


def state(library: Library, shelf: Shelf) -> dict[str, str]:
    """What a page asks every two seconds."""
    mark = library.mark()
    now = library.now()
    shelf.look()
    return {"mark": mark, "shelf": _mark(mark, shelf), "said": f"{len(now.rows):,} runs"}


def writing(library: Library) -> str:
    """How fast the store grows, and what is left; names no host."""
    try:
        notes = [note for note in library.store.disk.writers(library.store.path).values() if note is not None]
    except GlasswareError:  # a store that may only be read tells nobody who writes it
        return ""
    said = []
    for note in notes:
        spent = note.last - note.since
        rate = note.written / spent if spent > 0 else 0.0
        left = f"{note.left:,} left" if note.left is not None else ""
        pace = f"about {about(note.left / rate)}" if note.left and rate else ""
        quiet = time.time() - note.last
        late = f"nothing new for {about(quiet)}" if quiet > 60 else ""
        words = [word for word in (f"{note.written:,} runs written", left, pace, late) if word]
        total = note.written + (note.left or 0)
        share = 100 * note.written / total if total else 0
        said.append(f"<p>A sweep is running: {', '.join(words)}.</p>{bar(share, 'progress of a sweep')}")
    return "".join(said)


def _studies(shelf: Shelf) -> str:
    rows = []
    for one in shelf.held:
        title = link(study_path(one.study, one.scale), one.study)
        counts = [escape(one.scale), f"{one.runs:,}", f"{one.wanted:,}"]
        rows.append([title, *counts, escape(one.tally) or "none can be judged at this scale"])
    wait = "" if shelf.ready.is_set() else '<p class="quiet" role="status">Matching runs with studies …</p>'
    trouble = f'<p class="quiet">{escape(shelf.trouble)}</p>' if shelf.trouble else ""
    if not rows:
        return wait or trouble or '<p class="quiet">The store has runs of no study that is known here.</p>'
    return table(["study", "scale", "runs", "of", "claims"], rows, name="studies", numbers=[2, 3]) + wait + trouble


def _mark(mark: str, shelf: Shelf) -> str:
    """The overview is new also when another study has been found."""
    return f"{mark}-{len(shelf.held)}-{int(shelf.ready.is_set())}"
