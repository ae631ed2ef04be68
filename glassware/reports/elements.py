"""Pieces of HTML that the report and the page have in common. Whatever is put into them is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from glassware.charts.save import OPTIONS, on_page, script_json
from glassware.printing.claims import VERDICTS, place_in_words, tally
from glassware.reports.sections import Drawing, Section
from glassware.reports.text import Block, escape, inline
from glassware.studies import Judgement

STATIC = Path(__file__).parent / "static"


@cache
def static(name: str) -> str:
    """A file of ours that goes into pages: the style sheet, the scripts."""
    return (STATIC / name).read_text(encoding="utf-8")


def description(text: Iterable[Block]) -> str:
    """A study's own text."""
    said = []
    for kind, group in groupby(text, key=lambda block: block.kind):
        if kind == "named":
            rows = "".join(f"<dt>{inline(one.name)}</dt><dd>{inline(one.text)}</dd>" for one in group)
            said.append(f"<dl>{rows}</dl>")
        else:
            tag = "h3" if kind == "heading" else "p"
            said += [f"<{tag}>{inline(one.text)}</{tag}>" for one in group]
    return "\n".join(said)


def claims_table(judgements: Sequence[Judgement]) -> str:
    """The claims that could be judged beside what was measured, how many hold, and which could not be judged."""
    judged = [one for one in judgements if one.verdict in VERDICTS]
    others = [one.claim for one in judgements if one.verdict not in VERDICTS]
    parts = []
    if judged:
        head = "".join(f'<th scope="col">{name}</th>' for name in ("claim", "where", "needed", "measured", "verdict"))
        rows = "\n".join(map(_claim, judged))
        parts.append(f"<p><strong>{escape(tally(judged))}.</strong></p>")
        named = f"claims of {escape(judged[0].study)}"
        parts.append(
            f'<div class="scroll" tabindex="0" role="region" aria-label="{named}"><table class="claims">'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        )
    if others:
        names = ", ".join(f"<code>{escape(name)}</code>" for name in others)
        parts.append(f'<p class="quiet">Not judged at this scale: {names}.</p>')
    return "\n".join(parts)


def _claim(one: Judgement) -> str:
    detail = f'<div class="quiet">{escape(one.detail)}</div>' if one.detail else ""
    note = f'<div class="quiet">{escape(one.note)}</div>' if one.note else ""
    return (
        f'<tr><th scope="row"><code>{escape(one.claim)}</code> {escape(one.statement)}</th>'
        f'<td data-label="where">{escape(place_in_words(one))}</td>'
        f'<td data-label="needed">{escape(one.threshold)}{note}</td>'
        f'<td data-label="measured">{escape(one.measured)}{detail}</td>'
        f'<td data-label="verdict">{verdict(one.verdict)}</td></tr>'
    )


def table(rows: Sequence[Sequence[str]], name: str = "success by field") -> str:
    """A table of words; its first row is its head."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[1:])
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def verdict(said: str) -> str:
    """A verdict: a word with a sign, so that no colour is needed to read it."""
    shown = VERDICTS[said][0] if said in VERDICTS else said
    return f'<span class="verdict {escape(said.replace(" ", "-"))}">{escape(shown)}</span>'


def fact_list(facts: Mapping[str, str]) -> str:
    """Names and values."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in facts.items())
    return f'<dl class="facts">{rows}</dl>'


def notes(said: Sequence[str]) -> str:
    """What must be known before the numbers are trusted."""
    return f'<ul class="notes">{"".join(f"<li>{escape(one)}</li>" for one in said)}</ul>' if said else ""


def figure(drawing: Drawing, place: str) -> str:
    """A figure; the script of the page draws what stands in its JSON."""
    return (
        f'<figure aria-label="{escape(drawing.title)}"><div class="chart" id="chart-{escape(place)}"></div>'
        f'<script type="application/json" class="vega" data-for="chart-{escape(place)}">'
        f"{script_json(on_page(drawing.spec))}</script>"
        f"<figcaption>{escape(drawing.title)}</figcaption></figure>"
    )


def options() -> str:
    """What vega-embed is told, as JSON."""
    return script_json(OPTIONS)


def anchor(section: Section) -> str:
    """The name of a section inside its page."""
    return "-".join("".join(c if c.isalnum() else " " for c in f"{section.name} {section.scale}").split())
