"""The page in a real browser: what a student does in the first minute, by mouse, by keyboard, on a phone.

``make browser`` gets a Chromium.
"""

import re
import time

import pytest

from tests.browser import expect, needs_chromium, open_chromium, open_tab, serious

pytestmark = needs_chromium

INK = """canvas => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(Array.from({ length: pixels.length / 4 }, (_, i) => pixels.slice(4 * i, 4 * i + 4).join())).size;
}"""  # how many colours are on a canvas


@pytest.fixture(scope="module")
def chromium():
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def tab(chromium, page):
    with open_tab(chromium, page.address, viewport={"width": 1440, "height": 900}) as tab:
        tab.goto("/")
        yield tab


def fill(tab):
    """A training that ends in a second, filled in as one types."""
    typed = {"n, inputs": 20, "k, relevant": 2, "width": 12, "m, or online": 200, "steps": 600, "lr, rate": 0.2}
    for name, value in typed.items():
        tab.get_by_label(name, exact=True).fill(str(value))
    tab.get_by_label("slow motion").uncheck()


def tried(tab, rows, dots=10):
    """Wait until so many kinds of networks were tried, the last with so many seeds."""
    expect(tab.locator("#rows tr")).to_have_count(rows, timeout=90_000)
    expect(tab.locator("#rows tr").last.locator(".dots span")).to_have_count(dots)


def test_a_button_trains_and_what_was_tried_is_kept(tab):
    tab.get_by_label("width", exact=True).fill("77")
    tab.get_by_role("button", name="Narrow", exact=True).click()
    expect(tab.get_by_label("width", exact=True)).to_have_value("10")
    expect(tab.locator("#pace")).to_contain_text("model-steps per second, shown in slow motion", timeout=90_000)
    tab.get_by_role("button", name="Stop").click()
    expect(tab.locator("#luck")).to_have_text(re.compile(r"Stopped at step [\d,]+"))
    fill(tab)
    tab.get_by_role("button", name="Train ten").click()
    tried(tab, rows=1)
    tab.get_by_role("button", name="Ten more seeds").click()
    tried(tab, rows=1, dots=20)
    row = tab.locator("#rows tr")
    expect(row).to_contain_text("n = 20, k = 2, width 12, 200 examples, dense start, rate 0.2, 600 steps")
    learned = row.locator(".dots .yes").count()
    expect(row.locator("td").first).to_have_text(f"{learned} of 20")
    assert learned > 0  # of 20 networks for which this is easy
    expect(tab.locator("#python")).to_contain_text("range(10, 20)")


def test_nothing_is_lost_on_the_way_to_the_page(tab):
    fill(tab)
    tab.get_by_label("slow motion").check()
    tab.get_by_role("button", name="Train ten").click()
    for i in range(40):
        tab.locator(".curve").nth(i % 10).click()  # each click asks for another network's weights
    tried(tab, rows=1)
    steps = tab.evaluate("now.networks.map(one => one.step)")
    assert steps == [list(range(0, 601, 6))] * 10


def test_the_weights_of_a_chosen_seed_are_drawn(tab):
    fill(tab)
    tab.get_by_role("button", name="Train ten").click()
    tried(tab, rows=1)
    for seed in (0, 7):
        tab.locator(".curve").nth(seed).click()
        expect(tab.locator("#inside")).to_have_text(f"Inside the network of seed {seed}")
        expect(tab.locator("#weights")).to_have_attribute(
            "aria-label", re.compile(f"weights of seed {seed} at step 600")
        )
        assert tab.locator("#weights").evaluate(INK) > 20
        assert tab.locator("#sizes").evaluate(INK) > 5


def test_a_bad_value_is_said_where_it_stands(tab):
    fill(tab)
    tab.get_by_label("width", exact=True).fill("5000")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("alert")).to_have_text("Width must be less than or equal to 1000, not 5000.")
    expect(tab.get_by_label("width", exact=True)).to_be_focused()
    expect(tab.get_by_label("width", exact=True)).to_have_attribute("aria-invalid", "true")
    tab.get_by_label("width", exact=True).fill("12")
    tab.keyboard.press("Enter")
    tried(tab, rows=1)
    expect(tab.locator("#sorry")).to_be_empty()


def test_the_keyboard_is_enough(tab):
    focused = lambda: tab.evaluate("document.activeElement.textContent || document.activeElement.id")
    for wanted, key in (("slow", "Space"), ("Narrow", "Space"), ("seed 3", "Enter")):
        for _ in range(30):
            tab.keyboard.press("Tab")
            if focused().startswith(wanted):
                break
        else:
            pytest.fail(f"{wanted} cannot be reached")
        tab.keyboard.press(key)
        if wanted == "slow":
            expect(tab.get_by_label("slow motion")).not_to_be_checked()
            tab.locator(".skip").focus()
        if wanted == "Narrow":
            tried(tab, rows=1)
            expect(tab.locator("#said")).to_contain_text("of 10 learned it")
    expect(tab.locator("#inside")).to_have_text("Inside the network of seed 3")


def test_the_training_ends_with_the_page(tab, session):
    tab.get_by_role("button", name="Narrow", exact=True).click()
    expect(tab.locator("#pace")).to_contain_text("shown in slow motion", timeout=90_000)
    number = session.look(0, 0, 0)["number"]
    assert not session.look(number, 0, 0)["ended"]
    tab.goto("about:blank")
    end = time.monotonic() + 3  # seconds; the training takes seven
    while "replaced" not in session.look(number, 0, 0):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_two_pages_take_turns(chromium, page, tab):
    tab.get_by_role("button", name="Narrow", exact=True).click()
    expect(tab.locator("#stop")).to_be_enabled()
    with open_tab(chromium, page.address) as other:
        other.goto("/")
        fill(other)
        other.get_by_role("button", name="Train ten").click()
        expect(tab.locator("#luck")).to_have_text("Another page trains now")
        tried(other, rows=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_and_axe(chromium, page, scheme):
    with open_tab(
        chromium, page.address, viewport={"width": 375, "height": 700}, color_scheme=scheme, bypass_csp=True
    ) as tab:  # axe brings a script
        tab.goto("/")
        tab.get_by_text("Settings of your own").click()
        fill(tab)
        tab.get_by_role("button", name="Train ten").click()
        tried(tab, rows=1)
        tab.get_by_text("The same in Python").click()
        assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert serious(tab) == []
        tab.set_viewport_size({"width": 1440, "height": 900})
        assert serious(tab) == []
