"""The documentation site: every page has its place, it builds strictly, and a reader's browser fetches nothing."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import glassware as gw
from benchmarks import doc_images
from glassware.studies import find

ROOT = Path(__file__).parent.parent


def test_every_page_has_its_place():
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    made = {f"tutorials/{path.stem}.md" for path in (ROOT / "examples").glob("*.ipynb")} | {"reference/commands.md"}
    listed = re.findall(r"[\w/-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(made | {page for page in pages if not page.startswith("claims/")})


def test_every_image_is_shown_and_the_command_that_makes_images_knows_it():
    pages = "".join(page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    images = {path.name for path in (ROOT / "docs/images").iterdir()}
    assert images == set(re.findall(r"images/([\w.-]+)\)", pages))
    for name in (*doc_images.FIGURES, doc_images.PLAN):
        assert f"{name}.png" in images
    for study, _, figure in doc_images.FIGURES.values():
        assert figure in find(study).figures
    assert all((doc_images.ROWS / f"{file}.parquet").is_file() for file in doc_images.STORED.values())
    others = images - {f"{name}.png" for name in (*doc_images.FIGURES, doc_images.PLAN)}
    assert all(name in doc_images.__doc__ for name in others)


def test_every_public_name_is_in_the_reference():
    page = (ROOT / "docs/reference/python.md").read_text()
    named = re.findall(r"^::: glassware\.([\w.]+)$", page, re.MULTILINE)
    functions = [f"charts.{name}" for name in gw.charts.__all__]
    public = {name for name in dir(gw) if inspect.isclass(getattr(gw, name)) or inspect.isfunction(getattr(gw, name))}
    assert sorted(named) == sorted([*public, *functions])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material", reason="the site is built where the extra `docs` is installed: make docs")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(words, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built.stderr
    return folder


def test_tutorials_and_reference_are_made_from_their_sources(site):
    tutorial = (site / "tutorials/first-steps.html").read_text()
    assert "learned: True at step" in tutorial
    assert "first-steps-1.png" in tutorial
    assert (site / "tutorials/first-steps-1.png").read_bytes().startswith(b"\x89PNG")
    reference = (site / "reference/python.html").read_text()
    assert "&gt;&gt;&gt;" in reference
    assert "<blockquote>" not in reference  # an example that was not set apart as code
    assert "<code>model,</code>" not in reference  # one of two names that are described together
    assert "with <code>init</code>" in reference
    commands = (site / "reference/commands.html").read_text()
    assert "glassware store merge" in commands
    assert "--set FIELD=VALUE" in commands


def test_pages_fetch_nothing(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        said = page.read_text()
        fetched = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"|<link[^>]+href="([^"]+)"', said)
        assert not [one for one in map("".join, fetched) if re.match(r"(https?:)?//", one)], page.name
        assert 'class="arithmatex"' not in said, f"{page.name}: a formula was left as it is written"
