"""Sweep files that nobody would write."""

from __future__ import annotations

import json
import random
import string
from typing import Any

from glassware.foundation.errors import GlasswareError
from glassware.sweeps.files import parse_sweep
from glassware.training import Run
from tests.fuzz.specs import known, places, spoilt

LETTERS = string.printable + "é\u2028\x00\x1b\udcff数"
LINES = [
    "seeds = 2", "seeds = 4999999", "seeds = -1", "[run]", "[grid]", "[[zip]]", "[zip]", "[grid.model]", "[run.task]",
    "m = [1, 'online']", "'model.width' = [8, [9, 9]]", "name = 'a'", "title = ''", "seed = [1]", "x = 1979-05-27",
    "grid." + "a." * 3000 + "b = [1]", "m = " + "[" * 500 + "]" * 500, "k = 0x" + "f" * 5000, "lr = 1e999", "m = nan",
    "\"a\\nb\" = 1", "'optimiser.lr' = [0.1, 0.2]", "model = [{}]", "''' open", "[run", "= 3", "steps = [10, 20]",
]  # fmt: skip


def value(one: Any) -> str:
    """A value as TOML, or nearly."""
    if isinstance(one, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {value(inner)}" for key, inner in one.items()) + "}"
    if isinstance(one, list | tuple):
        return "[" + ", ".join(map(value, one)) + "]"
    try:
        return json.dumps(one, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(type(one))


def text(chance: random.Random) -> str:
    """A sweep file: a specification, perhaps a spoilt one, a grid over some of its fields, and accidents."""
    spec = chance.choice(known()) if chance.random() < 0.6 else spoilt(chance)
    lines = (
        ["seeds = 2", "[run]", *(f"{key} = {value(one)}" for key, one in spec.items())]
        if isinstance(spec, dict)
        else []
    )
    lines.append(chance.choice(["[grid]", "[[zip]]"]))
    for path in chance.sample(places(spec), min(chance.randint(0, 3), len(places(spec)))):
        other = chance.choice(known())
        lines.append(f'"{".".join(map(str, path))}" = {value([other.get(str(path[0])), spoilt(chance)])}')
    for _ in range(chance.randint(0, 3)):
        place = chance.randint(0, len(lines))
        if chance.random() < 0.5:
            lines.insert(place, chance.choice(LINES))
        elif lines:
            line = lines[place % len(lines)]
            cut = chance.randint(0, len(line))
            junk = "".join(chance.choices(LETTERS, k=chance.randint(0, 3)))
            lines[place % len(lines)] = line[:cut] + junk + line[cut + chance.randint(0, 2) :]
    return "\n".join(lines)


def judge(number: int, seed: int) -> str:
    """Whether a text is a sweep, or refused in one sentence."""
    try:
        written = text(random.Random(f"text {seed} {number}"))
    except RecursionError:  # a specification too deep to be written
        return "unwritten"
    try:
        runs = parse_sweep(written)
    except GlasswareError as error:
        said = str(error)
        assert said, "refused without a word"
        assert len(said.splitlines()) == 1, f"more than one line: {said!r}"
        assert len(said) < 2000, f"{len(said)} letters: {said[:200]!r}"
        return "refused"
    assert runs
    assert all(isinstance(run, Run) for run in runs)
    return "a sweep"
