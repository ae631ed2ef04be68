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
    from glassware.models import ACTIVATIONS, MODELS
    from glassware.probes import PROBES

    kept = [(registry, dict(registry)) for registry in (ACTIVATIONS, MODELS, PROBES)]
    yield
    for registry, before in kept:
        for name in set(registry) - set(before):
            del registry[name]


@pytest.mark.usefixtures("_registries")
@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in blocks("python")])
def test_python_block_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "block", "exec", dont_inherit=True), {})


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in blocks("toml")])
def test_toml_block_is_a_sweep(code: str) -> None:
    from glassware.sweeps import parse_sweep

    assert parse_sweep(code)


def test_readme_has_code() -> None:
    assert any(name.startswith("README") for name, _ in blocks("python"))
    assert any(name.startswith("README") for name, _ in blocks("toml"))


def test_every_command_in_the_readme_exists() -> None:
    from glassware.cli import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    used = set(re.findall(r"^glassware ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert used
    assert used <= known
