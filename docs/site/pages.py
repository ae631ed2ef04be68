"""A hook of mkdocs: pages made while the site is built, of notebooks, of the command line's help, of results."""

from __future__ import annotations

import base64
import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
RESULTS = ROOT / "results" / "pages"  # as `glassware report --all` writes them


def on_config(config: MkDocsConfig, **_: Any) -> MkDocsConfig:
    """A place for the pages of one's own results, where there are any."""
    if config.nav is not None and (RESULTS / "index.md").exists():
        config.nav.append({"Your store": [{"Results": "results/index.md"}]})
    return config


def on_files(files: Files, *, config: MkDocsConfig, **_: Any) -> Files:
    """The files of the site with ``tutorials/*.md`` and ``reference/commands.md`` among them."""
    made: dict[str, str | bytes] = {"reference/commands.md": commands_page()}
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        made |= notebook_page(path)
    if (RESULTS / "index.md").exists():
        for path in sorted(path for path in RESULTS.rglob("*") if path.suffix in (".md", ".png")):
            made[f"results/{path.relative_to(RESULTS).as_posix()}"] = path.read_bytes()
    for place, content in made.items():
        files.append(File.generated(config, place, content=content))
    return files


# -- notebooks: Jupyter's own converter brings thirty packages and scripts from the network ---------------------------


def notebook_page(path: Path) -> dict[str, str | bytes]:
    """A notebook as Markdown, and its pictures as files beside it."""
    name, parts = path.stem, list[str]()
    made: dict[str, str | bytes] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(_linked(text))
            continue
        parts.append(f"```python\n{text}\n```")
        printed = []
        for one in cell["outputs"]:
            data = one.get("data", {"text/plain": one.get("text", "")})
            if "image/png" in data:
                picture = f"{name}-{len(made) + 1}.png"
                made[f"tutorials/{picture}"] = base64.b64decode(data["image/png"])
                words = "".join(data["text/plain"]).replace("]", ")")
                printed.append(f"![{words}]({picture})")
            elif said := re.sub(r"\x1b\[[\d;]*m", "", "".join(data["text/plain"])).strip("\n"):
                printed.append(f"```{{ .text .no-copy }}\n{said}\n```")
        parts += printed
    parts.append(f"This page is the notebook `examples/{path.name}`.")
    return {**made, f"tutorials/{name}.md": "\n\n".join(parts) + "\n"}


def _linked(text: str) -> str:
    """Links to other notebooks and to pages of docs/, as the site has them."""
    return re.sub(r"\]\((?:\.\./docs/)([\w-]+\.md)", r"](../\1", text.replace(".ipynb)", ".md)"))


# -- the command line -------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from glassware.cli import app

    parts = [
        "# Commands",
        "As `glassware COMMAND --help` says. The short way in is [the command line](../command-line.md).",
    ]
    parts += _commands("glassware", get_command(app))
    return "\n\n".join(parts) + "\n"


def _commands(name: str, group: Any) -> list[str]:
    parts = list[str]()
    for word, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            parts += _commands(f"{name} {word}", command)
            continue
        first, *rest = (command.help or "").replace("\b", "").strip().splitlines()
        usage = " ".join([name, word, *(_usage(one) for one in command.params if one.param_type_name == "argument")])
        parts += [f"## {name} {word}", first, f"```text\n{usage} [OPTIONS]\n```"]
        for indented, lines in groupby((line for line in rest if line.strip()), lambda line: line.startswith("  ")):
            said = [line.strip() for line in lines]
            parts.append("\n".join(["```sh", *said, "```"]) if indented else _plain(" ".join(said)))
        options = [one for one in command.params if not getattr(one, "hidden", False) and getattr(one, "help", None)]
        if options:
            rows = [f"| `{_usage(one)}` | {_plain(one.help)} |" for one in options]
            parts.append("\n".join(["| | |", "|---|---|", *rows]))
    return parts


def _usage(one: Any) -> str:
    if one.param_type_name == "argument":
        return str(one.metavar or one.name.upper())
    return ", ".join(one.opts) + (f" {one.metavar}" if one.metavar else "")


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
