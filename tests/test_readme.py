"""The README's and the docs' code blocks run as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for i, code in enumerate(re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)):
            found.append((f"{page.name}-{i}", code))
    return found


@pytest.fixture
def _registries() -> Iterator[None]:
    """What a block makes known is forgotten after it."""
    import glassware as gw

    known = (gw.ACTIVATIONS, gw.MODELS, gw.PROBES, gw.STUDIES, gw.TASKS)
    kept = [(registry, dict(registry)) for registry in known]
    yield
    for registry, before in kept:
        for name in set(registry) - set(before):
            del registry[name]


@pytest.mark.usefixtures("_registries")
@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in blocks("python")])
def test_python_block_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "block", "exec", dont_inherit=True), {"__name__": "__main__"})


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in blocks("toml")])
def test_toml_block_is_a_sweep(code: str) -> None:
    from glassware.sweeps import parse_sweep

    assert parse_sweep(code)


def test_readme_has_code() -> None:
    assert any(name.startswith("README") for name, _ in blocks("python"))
    assert any(name.startswith("README") for name, _ in blocks("toml"))


def test_every_command_in_the_pages_exists() -> None:
    from typer.main import get_command

    from glassware.cli import app
    from glassware.studies import find

    known = get_command(app).commands  # type: ignore[attr-defined]
    used = set()
    for page in PAGES:
        shell = "".join(re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE))
        calls = re.findall(r"^(?:\$ )?glassware ([a-z]+)(.*)$", shell, re.MULTILINE)
        calls += re.findall(r"`glassware\s+([a-z]+)([^`]*)`", page.read_text())
        for name, words in calls:
            used.add(name)
            assert name in known, (page.name, name)
            given = words.split(" #")[0].split()
            options = {word for word in given if word.startswith("--")}
            assert options <= {option for p in known[name].params for option in p.opts}, (page.name, name, options)
            if name in ("run", "reproduce", "estimate", "figures") and given and "STUDY" not in given[0]:
                find(given[0])
    assert used >= {name for name, command in known.items() if not command.hidden}
