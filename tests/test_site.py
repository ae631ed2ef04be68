"""The documentation site: every page has its place, it builds strictly, and a reader's browser fetches nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_every_page_has_its_place():
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    listed = re.findall(r"[\w/-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(page for page in pages if not page.startswith("claims/"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material", reason="the site is built where the extra `docs` is installed: make docs")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(words, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built.stderr
    return folder


def test_pages_fetch_nothing(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        said = page.read_text()
        fetched = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"|<link[^>]+href="([^"]+)"', said)
        assert not [one for one in map("".join, fetched) if re.match(r"(https?:)?//", one)], page.name
        assert 'class="arithmatex"' not in said, f"{page.name}: a formula was left as it is written"
