"""Sweep files: a base run and its axes in TOML.

name = "wide-or-narrow"         # under which the store remembers it; the file's own name unless given
title = "Does width help?"      # what it shows, in a line

seeds = 8                       # seeds 0..7 of every combination

[run]
m = 1000
steps = 6000
task = { n = 50, k = 3 }
model = { width = 100 }

[grid]                          # every combination of these
"m" = [300, 1000, "online"]
"model.width" = [10, 100]

[[zip]]                         # these move together
"init.scheme" = ["dense", "sparse"]
"optimiser.lr" = [0.1, 0.05]
"""

from __future__ import annotations

import re
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassware.foundation.errors import GlasswareError
from glassware.foundation.explain import short, unknown
from glassware.foundation.limits import check_depth
from glassware.foundation.part import dotted
from glassware.sweeps.grid import grid
from glassware.training import Run

KEYS = ["name", "title", "seeds", "run", "grid", "zip"]
LONGEST = 100  # characters of a name
MOST_BYTES = 2**24
_NAME = re.compile(r"[\w][\w .+@=,-]*(/[\w][\w .+@=,-]*)*")


@dataclass(frozen=True)
class SweepFile:
    """What a sweep file says: the sweep's name and title, its runs, and its text as it was."""

    name: str
    title: str
    runs: list[Run]
    text: str


def read_sweep(path: str | Path) -> list[Run]:
    """The runs of a TOML sweep file."""
    return read_sweep_file(path).runs


def read_sweep_file(path: str | Path) -> SweepFile:
    """A TOML sweep file."""
    try:
        text = _text(Path(path))
    except OSError as error:
        raise GlasswareError(f"cannot read sweep file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise GlasswareError(f"{path} is not a text file in UTF-8") from None
    try:
        data = _load(text)
        # A file's name may hold anything; as the name of a sweep it is cut down to what one can type.
        usual = re.sub(r"[^\w.+-]+", "-", Path(path).stem).strip("-.")[:LONGEST] or "sweep"
        name, title = data.pop("name", usual), data.pop("title", "")
        return SweepFile(check_name(name), check_title(title), _runs(data), text)
    except GlasswareError as error:
        raise GlasswareError(f"{path}: {error}") from None


def _text(path: Path) -> str:
    """What a file says. A pipe of the shell, as ``<(..)``, is one; any other might be waited for forever."""
    mode = path.stat().st_mode
    if not (
        stat.S_ISREG(mode) or stat.S_ISDIR(mode) or str(path).startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/"))
    ):
        raise GlasswareError(f"{path} is not a file")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise GlasswareError(f"{path} has more than {MOST_BYTES:,} bytes, which no sweep file has")
    return data.decode("utf-8-sig")  # some editors begin it with a mark


def parse_sweep(text: str) -> list[Run]:
    """The runs of a sweep given as TOML text."""
    data = _load(text)
    check_name(data.pop("name", "sweep"))
    check_title(data.pop("title", ""))
    return _runs(data)


def check_name(name: object) -> str:
    """The name of a sweep, if it can be one: it is typed in commands, and names a file of the store."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > LONGEST or not name.isprintable():
        raise GlasswareError(
            f"the name of a sweep is up to {LONGEST} letters, digits and . - _ +, beginning with a letter or digit, "
            f"not {short(name)}"
        )
    return name


def check_title(title: object) -> str:
    """The title of a sweep: a line."""
    if not isinstance(title, str) or "\n" in title.strip() or len(title) > 10 * LONGEST:
        raise GlasswareError(f"the title of a sweep is a line of text, not {short(title)}")
    return title.strip()


def _load(text: str) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: TOML's own, or a number of thousands of digits
        raise GlasswareError(f"not valid TOML: {error}") from None
    check_depth(data)
    for key in data:
        if key not in KEYS:
            raise GlasswareError(unknown("key", key, "a sweep file", KEYS))
    return data


def _runs(data: dict[str, Any]) -> list[Run]:
    run, axes, zips, seeds = data.get("run"), data.get("grid", {}), data.get("zip", []), data.get("seeds")
    if not isinstance(run, dict):
        raise GlasswareError("a sweep needs a table [run]")
    if not isinstance(axes, dict):
        raise GlasswareError("grid must be a table of axes")
    if not isinstance(zips, list) or not all(isinstance(group, dict) for group in zips):
        raise GlasswareError("zip must be an array of tables: write [[zip]]")
    if seeds is not None and (not isinstance(seeds, int) or isinstance(seeds, bool)):
        raise GlasswareError(f"seeds must be a whole number, not {short(seeds)}")
    # Tables inside the grid are dotted fields: [grid.model] width = [..] is "model.width" = [..].
    flat = {field: _values(field, values) for field, values in dotted(axes)}
    flat_zips = [{field: _values(field, values) for field, values in dotted(group)} for group in zips]
    return grid(run, flat, zips=flat_zips, seeds=seeds)


def _values(field: str, values: object) -> list[object]:
    if not isinstance(values, list):
        raise GlasswareError(f"axis {field!r} must be a list of values, not {short(values)}")
    if not values:
        raise GlasswareError(f"axis {field!r} has no values")
    return values
