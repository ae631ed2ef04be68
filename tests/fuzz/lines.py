"""Command lines that nobody would type, in a folder of stores, files and things that are neither."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import typer

from glassware import studies
from glassware.cli import app
from tests.calls import SWEEP, call
from tests.fuzz.texts import text
from tests.tiny_study import STUDY

FRESH = 100  # command lines after which the folder is made anew
NUMBERS = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "1000000000",
    "9" * 5000,
    "0x10",
    "nan",
    "inf",
    "1.5",
    "",
    "１",
    "1_0",
    "1e9",
    "-0.5",
]
PLACES = [
    "store", "store", "damaged", "other", "absent", "notes.txt", "good.toml", "spoilt.toml", "", ".", "a\x1b[31mb",
    "caf\udce9", "x" * 300, "a/" * 2000, "/dev/null", "/dev/full", "/dev/zero", "fifo", "loop", "s4://b/x", "s3://",
    "file:///x", "s3://a/../b", "<!--<script>", "-", "--", "table.csv", "store/parts", "store/store.json", "a\0b",
    "store/../store", "http://x",
]  # fmt: skip
WORDS = [
    "test/tiny", "test/tiny", "tiny", "test", "", "a", "swept", "../x", "\x1b[2J", "n=20", "k=3", "n=", "=",
    "n=9999999999", "m", "model.width", "m,model.width", "species", "png", "csv", "json", "html", "smoke", "laptop",
    "auto", "kernels", "slurm", "ray://127.0.0.1:1", "1/2", "3/2", "0/0", "task.n=21", "task.n=", "steps=1e999",
    "optimiser.momentum=0.9", "caf\udce9", "test/tiny@steps=60", "test/tiny@", "{}", "--help", "🙂", "a" * 300,
]  # fmt: skip
# What would serve a page, train for minutes, or is timed by others, is called with something that ends it.
ENDED = {"open": ["--text"], "bench": ["--shapes", "none"], "threshold": ["--budget", "8"], "frontier": ["--work", "8"],
         "play": ["--port", "0"], "tabular": ["--methods", "none"]}  # fmt: skip


@cache
def commands() -> list[tuple[tuple[str, ...], list[Any]]]:
    """Every command with its parameters."""

    def walk(command: Any, name: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], list[Any]]]:
        if hasattr(command, "commands"):
            return [found for key, one in command.commands.items() for found in walk(one, (*name, key))]
        return [(name, command.params)]

    return walk(typer.main.get_command(app))


@cache
def pattern() -> Path:
    """A folder with a store and what else lies about."""
    studies.STUDIES[STUDY.name] = STUDY
    home = Path(tempfile.mkdtemp(prefix="glassware-fuzz-"))
    (home / "good.toml").write_text('name = "swept"' + SWEEP)
    assert call("sweep", home / "good.toml", "--store", home / "store", "--figures", home / "f").exit_code == 0
    for name in ("damaged", "other"):
        shutil.copytree(home / "store", home / name)
    part = next((home / "damaged" / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:-50] + b"\0" * 50)
    (home / "notes.txt").write_text("mine")
    (home / "table.csv").write_text("a,b,species\n" + "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(30)))
    return home


def folder(chance: random.Random) -> Path:
    """A copy of it."""
    made = Path(tempfile.mkdtemp(prefix="glassware-fuzz-"))
    shutil.copytree(pattern(), made, dirs_exist_ok=True)
    (made / "loop").symlink_to("loop")
    os.mkfifo(made / "fifo")
    with contextlib.suppress(RecursionError):  # a specification too deep to be written
        (made / "spoilt.toml").write_text(text(chance), errors="surrogateescape")
    return made


def line(chance: random.Random) -> list[str]:
    """A command with some of its options, each with a value that it may or may not take."""
    name, parameters = chance.choice(commands())
    words = list(name)
    for one in parameters:
        told = str(one.name)
        option = one.param_type_name == "option"
        if chance.random() > (0.25 if option else 0.95):
            continue
        pools = {True: NUMBERS, False: PLACES if told in NAMED_PLACES else WORDS}
        pool = chance.choice([pools[told in NAMED_NUMBERS]] * 4 + [NUMBERS, PLACES, WORDS])
        flag = getattr(one, "is_flag", False)
        words += [chance.choice(one.opts)] if option else []
        words += [] if flag else [chance.choice(pool)]
    if chance.random() < 0.1:
        words.insert(chance.randint(0, len(words)), chance.choice([*WORDS, *PLACES, "--no-such", "-x"]))
    return [*words, *ENDED.get(name[0], [])]


NAMED_PLACES = {
    "store",
    "figures",
    "output",
    "folder",
    "into",
    "other",
    "file",
    "csv",
    "data",
    "figure",
    "out",
    "pages",
}
NAMED_NUMBERS = {"seeds", "lanes", "level", "precision", "budget", "tries", "work", "port", "folds", "rows", "k", "m"}


def judge(number: int, seed: int) -> str:
    """Whether a command ends well, or with one sentence on standard error."""
    chance = random.Random(f"line {seed} {number}")
    if number % FRESH == 0 or Path.cwd().parent != Path(tempfile.gettempdir()):
        os.chdir(folder(random.Random(f"folder {seed} {number // FRESH}")))
    words = line(chance)
    result = call(*words)
    said, words = result.stderr, [word[:60] for word in words]
    assert result.exception is None or isinstance(result.exception, SystemExit), f"{words}: {result.exception!r}"
    assert "Traceback" not in said, f"{words}: {said}"
    assert "GLASSWARE_DEBUG" not in said, f"{words}: {said[-500:]}"
    assert result.exit_code in (0, 2), f"{words}: exit code {result.exit_code}: {said[-500:]}"
    assert not set("\x1b\x9b\u202e") & set(said + result.stdout), f"{words}: {said[-300:]!r} {result.stdout[-300:]!r}"
    if result.exit_code == 2 and said.strip():
        assert said.strip().splitlines()[-1].startswith("glassware: "), f"{words}: {said[-300:]}"
    return "refused" if result.exit_code else "done"
