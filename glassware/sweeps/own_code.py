"""Rows and the code that made them: a run's id names its parts, not what the code of these parts does.

Parts that come with glassware change their meaning with ``SEMANTICS`` only. A part of one's own may be edited at any
time, and rows of its former self would be found under the same ids. So a row of such a part says by which code it was
made (column ``own_code``), and whoever reads it beside other code is told.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel

from glassware.models import ACTIVATIONS
from glassware.probes import PROBES
from glassware.training import Run

COLUMN = "own_code"
# Fingerprints are made of bytecode, which differs between versions of Python: only those of one version are compared.
PYTHON = sys.implementation.cache_tag or sys.version
LIBRARIES = [Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib")]
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)

log = logging.getLogger("glassware")


def own_code(run: Run) -> str | None:
    """Which code made a row: a fingerprint of every part of the run that glassware does not bring; None without any."""
    marks = [f"{part} {_fingerprint(made)}" for part, made in _parts(run) if not _is_ours(made)]
    return "; ".join([PYTHON, *marks]) if marks else None


def tell_of_other_code(rows: pl.DataFrame, runs: Mapping[str, Run], where: object) -> None:
    """Say in a sentence in the log which rows were made by other code of a part than it has now."""
    if COLUMN not in rows.columns:
        return
    now: dict[tuple[object, ...], str | None] = {}
    others: dict[str, int] = {}
    for key, before in rows.select("id", COLUMN).drop_nulls().iter_rows():
        run = runs.get(key)
        if run is None:
            continue
        kind = type(run.task), type(run.model), getattr(run.model, "activation", None), run.probes
        if kind not in now:
            now[kind] = own_code(run)
        for part in _changed(before, now[kind]):
            others[part] = others.get(part, 0) + 1
    for part, count in others.items():
        log.warning(
            f"rows in {where} ({count:,} of {len(rows):,}) were made by other code of the {part} than it has now and "
            "are used as they are; to train them again, change its name, give it a field, or use another store"
        )


def _changed(before: str, now: str | None) -> list[str]:
    """The parts whose fingerprint is another one now."""
    (python, *old), (same_python, *new) = before.split("; "), (now or "").split("; ")
    known = dict(mark.rsplit(" ", 1) for mark in new)
    marks = [mark.rsplit(" ", 1) for mark in old]
    return [part for part, mark in marks if python == same_python and known.get(part, mark) != mark]


def _parts(run: Run) -> Iterator[tuple[str, Any]]:
    """What of a run can be of one's own, by name."""
    yield f"task '{run.task.name}'", type(run.task)
    yield f"model '{run.model.name}'", type(run.model)
    activation = getattr(run.model, "activation", None)
    if activation in ACTIVATIONS:
        yield f"activation '{activation}'", ACTIVATIONS[activation].function
    for probe in run.probes:
        yield f"probe '{probe}'", PROBES[probe].measure


def _is_ours(made: Any) -> bool:
    return str(getattr(made, "__module__", "")).startswith("glassware.")


def _fingerprint(made: Any) -> str:
    digest = hashlib.sha256()
    for words in _Reader(str(made.__module__).split(".")[0]).describe(made):
        digest.update(words.encode() + b"\0")
    return digest.hexdigest()[:8]


class _Reader:
    """Says what classes, functions and constants do, as text: bytecode, constants, and what of one's own it names."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.seen: dict[int, object] = {}  # kept alive: a number of an object that is gone may be another's

    def describe(self, made: Any) -> Iterator[str]:
        """Nothing for what is not of one's own, and for objects whose text would tell where they are in memory."""
        if isinstance(made, PLAIN):
            yield repr(made)
            return
        if id(made) in self.seen or _is_ours(made):
            return
        self.seen[id(made)] = made
        function = _function(made)
        if isinstance(made, np.ndarray):
            yield f"{made.dtype} {made.shape} {hashlib.sha256(np.ascontiguousarray(made).tobytes()).hexdigest()}"
        elif isinstance(made, Mapping):
            yield from self._named({str(name): value for name, value in made.items()})
        elif isinstance(made, tuple | list):
            for value in made:
                yield from self.describe(value)
        elif isinstance(made, frozenset | set):
            yield repr(sorted(map(repr, made)))
        elif isinstance(made, partial):
            yield from self.describe((made.func, made.args, made.keywords))
        elif isinstance(made, type):
            yield from self._class(made)
        elif function is not None and self._is_own(function):
            cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
            yield from self.describe((function.__defaults__, function.__kwdefaults__, cells))
            yield from self._code(function.__code__, function.__globals__, function.__doc__)

    def _class(self, made: type) -> Iterator[str]:
        """A task or a model: the defaults of its fields, its methods and the values of its class; likewise its bases.

        Of any other class nothing: its functions may be anything.
        """
        if not issubclass(made, BaseModel):
            return
        yield from self._named({name: field.default for name, field in made.model_fields.items()})
        for owner in made.__mro__:
            if issubclass(owner, BaseModel) and owner is not BaseModel and not _is_ours(owner):
                written = {name: value for name, value in vars(owner).items() if name in owner.__class_vars__}
                functions = {name: _function(value) for name, value in vars(owner).items()}
                own = {name: f for name, f in functions.items() if f is not None and f.__module__ == owner.__module__}
                yield from self._named(dict(sorted({**written, **own}.items())))

    def _code(self, code: CodeType, names: Mapping[str, Any], doc: str | None) -> Iterator[str]:
        yield code.co_code.hex()
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._code(constant, names, None)
            elif constant is None or constant != doc:
                yield from self.describe(constant)
        # What may be filled while it runs, such as a cache, is no constant.
        constant_names = (n for n in code.co_names if n.isupper() or not isinstance(names.get(n), dict | list | set))
        yield from self._named({name: names.get(name) for name in constant_names})

    def _named(self, values: Mapping[str, Any]) -> Iterator[str]:
        for name, value in values.items():
            yield name
            yield from self.describe(value)

    def _is_own(self, function: FunctionType) -> bool:
        """Whether a function is one's own rather than a library's."""
        if function.__module__ and function.__module__.split(".")[0] == self.package:
            return True
        file = function.__globals__.get("__file__")
        return file is None or not any(Path(file).resolve().is_relative_to(library) for library in LIBRARIES)


def _function(made: Any) -> FunctionType | None:
    """The function inside a method, a property or a decorator, if there is one."""
    for _ in range(5):
        if isinstance(made, FunctionType):
            return made
        inside = (getattr(made, name, None) for name in ("__wrapped__", "__func__", "fget", "func"))
        made = None if isinstance(made, type) else next((inner for inner in inside if inner is not None), None)
    return None


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a function that names itself, still being defined
        return False
