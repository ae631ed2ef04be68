"""What mkdocstrings shows of a docstring: its example as code, and every name that it describes."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"(?:^ *>>> .*(?:\n(?! *\n).+)*\n?)+", re.MULTILINE)
SEVERAL = re.compile(r"^( +)(\w+(?:, \w+)*), (\w+)(?=: )", re.MULTILINE)
FLAG = re.compile(r"\s*# doctest: \+\w+")


class Examples(Extension):
    """Sets lines that begin with ``>>>`` apart as code; Markdown would take them for quotations.

    Of several names that are described together (``low, high: ends``) the others would be taken for types; each refers
    to the last.
    """

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change a docstring as it is found."""
        if obj.docstring is not None:
            text = EXAMPLE.sub(_fenced, obj.docstring.value)
            obj.docstring.value = SEVERAL.sub(_one_by_one, text)


def _one_by_one(found: re.Match[str]) -> str:
    margin, others, last = found.groups()
    return "".join(f"{margin}{name}: with ``{last}``.\n" for name in others.split(", ")) + margin + last


def _fenced(found: re.Match[str]) -> str:
    lines = FLAG.sub("", found[0]).rstrip("\n")
    return f"\n```pycon\n{lines}\n```\n"
