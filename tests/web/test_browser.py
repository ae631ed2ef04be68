"""The page in a real browser: drawn, clicked, by keyboard, on a phone, in the dark.

``make browser`` gets a Chromium.
"""

from pathlib import Path

import pytest

from glassware.sweeps import grid, sweep
from tests.browser import expect, needs_chromium, open_chromium, open_tab, serious
from tests.helpers import TINY

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def chromium():
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def tab(chromium, page):
    with open_tab(chromium, page.address) as tab:
        yield tab


@pytest.fixture
def phone(chromium, page):
    small = {"viewport": {"width": 375, "height": 700}, "color_scheme": "dark", "has_touch": True}
    with open_tab(chromium, page.address, **small) as tab:
        yield tab


def test_a_cell_is_clicked_and_leads_to_its_runs_and_to_one(tab):
    tab.goto("/cells?of=sweep:data")
    heat = tab.locator("#chart-0 svg.marks")
    expect(heat).to_be_visible()
    tab.locator("#chart-0 svg.marks .mark-rect path").nth(1).click()
    tab.locator("#picked-chart-0 a").click()
    expect(tab.locator("h1")).to_be_visible()
    expect(tab.get_by_text("3 of 12 runs")).to_be_visible()
    tab.locator("table tbody th a").first.click()
    expect(tab.locator("h1")).to_contain_text("Run ")
    expect(tab.locator("figure svg.marks")).to_have_count(3)  # its curve, its loss, the first layer


def test_runs_are_filtered_and_ordered(tab):
    tab.goto("/runs?of=sweep:data")
    tab.get_by_label("m", exact=True).select_option("30")
    tab.get_by_role("button", name="filter").click()
    expect(tab.get_by_text("6 of 12 runs")).to_be_visible()
    tab.get_by_role("link", name="seed, order rising").click()
    assert tab.locator("tbody tr").first.locator("td").nth(2).inner_text() == "0"


def test_a_study_is_drawn(tab, study_address):
    tab.goto(study_address)
    expect(tab.locator("#chart-0 svg.marks")).to_be_visible()
    assert tab.locator("table.claims tbody tr").count() == 3


def test_the_keyboard_is_enough(tab):
    tab.goto("/")
    tab.keyboard.press("Tab")
    expect(tab.locator(".skip")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator("#content")).to_be_focused()
    for _ in range(12):
        tab.keyboard.press("Tab")
        if "sweep%3Adata" in (tab.evaluate("document.activeElement.href") or ""):
            break
    tab.keyboard.press("Enter")
    expect(tab.locator("#chart-0 svg.marks")).to_be_visible()


def test_two_are_compared(tab):
    tab.goto("/compare")
    tab.get_by_label("A", exact=True).select_option("sweep:data")
    tab.get_by_label("B", exact=True).select_option("sweep:fast/α")
    tab.get_by_role("button", name="compare").click()
    expect(tab.get_by_role("cell", name="0.3", exact=True)).to_be_visible()


def test_a_running_sweep_updates_by_itself(tab, store):
    tab.goto("/runs")
    before = tab.locator("p[role=status]").first.inner_text()
    sweep(grid(TINY, {"m": [60]}, seeds=1), store)
    expect(tab.locator("#content p[role=status]").first).not_to_have_text(before, timeout=15_000)
    expect(tab.locator("#news")).to_contain_text("runs")


def test_a_phone_in_the_dark(phone, study_address):
    for path in ("/", "/runs", "/cells?of=sweep:data", study_address, "/compare"):
        phone.goto(path)
        wide = phone.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is {wide} pixels too wide"
    assert phone.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chromium, page, run, study_address, scheme, folder):
    """Names, labels, contrast, landmarks, keyboard, on every page and in a report."""
    import glassware as gw

    sent = gw.report("data", "test/tiny", scale="smoke", store=page.store, to="report.html").absolute().as_uri()
    context = chromium.new_context(base_url=page.address, color_scheme=scheme, bypass_csp=True)  # axe brings a script
    tab = context.new_page()
    for path in ("/", "/runs", "/cells?of=sweep:data", f"/run/{run}", study_address, "/compare", sent):
        tab.goto(path)
        expect(tab.locator(".chart:empty")).to_have_count(0)
        assert serious(tab) == []
    context.close()


def test_a_report_needs_no_network(chromium, store, folder):
    import glassware as gw

    path = gw.report("data", store=store, to="report.html")
    context = chromium.new_context(offline=True)
    tab = context.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(Path(path).absolute().as_uri())
    expect(tab.locator("figure svg.marks")).to_be_visible()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()
