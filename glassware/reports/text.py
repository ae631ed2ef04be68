"""What others wrote, put into a page: escaped, without folders of this machine, and a description in its parts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from glassware.foundation.names import printable

# A path from the root of a disk; "w/o" and "1/2" are none.
_PATH = re.compile(r"(?<![\w/\\.:])(?:[A-Za-z]:|~|file:/?/?)?[/\\](?:[^\s/\\'\"()<>]+[/\\])+([^\s/\\'\"()<>]*)")
_CODE = re.compile(r"``(.+?)``")


@dataclass(frozen=True)
class Block:
    """A piece of a description: a heading, a paragraph, or a paragraph with a name in front (a scale of a grid)."""

    kind: Literal["heading", "text", "named"]
    text: str
    name: str = ""


def without_paths(text: str) -> str:
    """The text with absolute paths cut down to their last name: a page is sent to others."""
    return _PATH.sub(r"\1", text)


def escape(text: object) -> str:
    """The text for HTML, inside an element or a quoted attribute."""
    return html.escape(without_paths(printable(str(text))))


def inline(text: str) -> str:
    """A line of a description for HTML: ``code`` is code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def blocks(about: str) -> Iterator[Block]:
    """The pieces of a study's description, which is written as docstrings are: indented below its headings."""
    for paragraph in re.split(r"\n\s*\n", about.strip("\n")):
        lines = paragraph.splitlines()
        if len(lines) > 1 and not lines[0].startswith(" ") and all(line.startswith("  ") for line in lines[1:]):
            yield Block("heading", lines[0].strip())
            yield from _indented(lines[1:])
        elif paragraph.strip():
            yield Block("text", " ".join(paragraph.split()))


def _indented(lines: list[str]) -> Iterator[Block]:
    """Entries below a heading: ``paper   text`` names one, and a line that follows a full stop begins another."""
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    found: list[Block] = []
    for line in lines:
        text, outer = line.strip(), len(line) - len(line.lstrip()) == margin
        named = re.match(r"(\S+(?: \S+)*) {2,}(\S.*)", text) if outer else None
        if named:
            found.append(Block("named", named[2], named[1]))
        elif not found or (outer and found[-1].kind == "text" and found[-1].text.endswith((".", ")."))):
            found.append(Block("text", text))
        else:
            found[-1] = Block(found[-1].kind, f"{found[-1].text} {text}", found[-1].name)
    yield from found
