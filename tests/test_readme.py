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
    assert blocks("toml")


def test_readme_fits_a_screen_and_a_half_and_counts_as_the_claims_pages_do() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 110
    judged: dict[str, list[int]] = {}
    for line in (ROOT / "docs/claims.md").read_text().splitlines():
        page = re.match(r"\| \[[^]]+\]\((.+?)\) \| laptop \| the paper's \|", line)
        if page:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            judged[page[1]] = [int(cells[i] or 0) for i in (3, 4, 5, 6)]  # claims, holds, fails, too close to call
    rows = [line for line in readme.splitlines() if line.startswith("| [")]
    pages = [re.findall(r"\(docs/(.+?)\)", row) for row in rows]
    assert sorted(page for named in pages for page in named) == sorted(judged)
    for row, named in zip(rows, pages, strict=True):
        said = [int(cell) for cell in row.strip("|").split("|")[1:]]
        assert said == [sum(judged[page][i] for page in named) for i in range(4)], row


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
