"""Specifications that nobody would write: those of every study, with fields replaced, moved, taken away and added."""

from __future__ import annotations

import copy
import random
from functools import cache
from typing import Any

from glassware.foundation.errors import GlasswareError
from glassware.studies import STUDIES
from glassware.sweeps import run_id
from glassware.sweeps.identity import spec_json
from glassware.sweeps.validation import build
from glassware.training import Run

SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 10, 64, 1000, 2**16, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**400, 0.5,
    -0.0, 1e-300, 1e-40, 1e39, 1e300, float("nan"), float("inf"), -float("inf"), "", " ", "name", "online", "full",
    "sgd", "adam", "epochs", "dense", "sparse", "final", "first", "a\nb", "\x1b[31m", "\u2028", "\udce9", "\0",
    "<!--<script>", "9" * 5000, "{}", "null", "1e999", b"bytes", 1j, (), [], {}, [[]], {"name": []}, {"": 0},
]  # fmt: skip


@cache
def known() -> list[dict[str, Any]]:
    """Specifications of all kinds: the first and last run of the first stage of every study."""
    found: dict[str, dict[str, Any]] = {}
    for study in STUDIES.values():
        for run in study.runs("smoke", 1)[:: max(1, len(study.runs("smoke", 1)) - 1)] if study.stages else ():
            found[spec_json(run)] = run.canonical()
    return list(found.values())


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in nested tables and lists, but for what is very deep."""
    if len(path) > 8:
        return []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inner for found in ((*path, key), *places(one, (*path, key)))]


def at(spec: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        spec = spec[key]
    return spec


def junk(chance: random.Random, depth: int = 0) -> Any:
    """Any value: a scalar mostly, or a small table or list of them; now and then a very deep one."""
    kind = chance.random()
    if depth > 3 or kind < 0.75:
        return chance.choice(SCALARS) if kind < 0.7 else chance.uniform(-10, 10) * 10 ** chance.randint(-40, 40)
    if kind < 0.76:
        deep: Any = 1
        for _ in range(chance.choice([30, 40, 3000])):
            deep = [deep] if kind < 0.755 else {"a": deep}
        return deep
    if kind < 0.88:
        return [junk(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    return {str(chance.choice(SCALARS)): junk(chance, depth + 1) for _ in range(chance.randint(0, 4))}


def spoilt(chance: random.Random) -> Any:
    """A specification with up to four changes; now and then something else altogether."""
    if chance.random() < 0.02:
        return junk(chance)
    spec = copy.deepcopy(chance.choice(known()))
    for _ in range(chance.choice([1, 1, 1, 2, 3, 4])):
        path = chance.choice(places(spec) or [("task",)])
        holder, last = at(spec, path[:-1]), path[-1]
        what = chance.choice(["nudge", "nudge", "replace", "remove", "add", "transplant"])
        before = holder[last]
        if what == "nudge" and isinstance(before, int | float):
            holder[last] = chance.choice(
                [before + 1, before - 1, 2 * before, before // 2, 0.9 * min(before, 1e9), -before]
            )
        elif what == "nudge" and not isinstance(before, str):  # a table or a list, of which something is changed later
            continue
        elif what == "remove":
            del holder[last]
        elif what == "transplant":
            other = chance.choice(known())
            theirs = chance.choice(places(other))
            holder[last] = copy.deepcopy(at(other, theirs))
        elif what == "add" and isinstance(holder, dict):
            holder[str(chance.choice([*SCALARS, *places(chance.choice(known()))[0]]))] = junk(chance)
        else:
            holder[last] = junk(chance)
    return spec


def judge(number: int, seed: int) -> str:
    """Whether a specification becomes a run, which its text gives again, or is refused in one sentence."""
    spec = spoilt(random.Random(f"spec {seed} {number}"))
    try:
        run = build(spec)
    except GlasswareError as error:
        said = str(error)
        assert said, "refused without a word"
        assert len(said.splitlines()) == 1, f"more than one line: {said!r}"
        assert len(said) < 2000, f"{len(said)} letters: {said[:200]!r}"
        return "refused"
    again = Run.model_validate_json(spec_json(run))
    assert spec_json(again) == spec_json(run)
    assert run_id(again) == run_id(run)
    if not run.model.solved:  # which ignores what is said of training
        assert again == run
        assert hash(run.shape()) == hash(again.shape())
    return "a run"
