"""A real browser for the tests of pages; ``make browser`` gets a Chromium."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    expect = sync_playwright = None

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None or sync_playwright is None, reason="no Chromium or no playwright: 'make browser' gets both"
)


@contextmanager
def open_chromium() -> Iterator[Any]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@contextmanager
def open_tab(chromium: Any, address: str, **how: Any) -> Iterator[Any]:
    """A tab that notes what it asks for and what goes wrong in it; neither may be anything but the page's own."""
    context = chromium.new_context(base_url=address, **how)
    tab = context.new_page()
    asked, wrong = list[str](), list[str]()
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield tab
    context.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def serious(tab: Any) -> list[tuple[str, str]]:
    """What axe-core finds wrong with a page and calls serious, or worse."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="'make browser' gets axe-core").Axe()
    found = axe.run(tab).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
