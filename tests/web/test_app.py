"""The page asked over HTTP: what it says, and what it refuses."""

import json
import re

import pytest

from glassware.web.app import make_app
from glassware.web.listening import serve
from tests.calls import call, sentence, snapshot
from tests.reports.test_report import HOSTILE

PATHS = ["/", "/runs", "/cells?of=sweep:data", "/runs?of=sweep:data", "/compare?a=sweep:data&b=sweep:fast%2F%CE%B1"]


def words(body):
    return " ".join(re.sub(r"<script.*?</script>|<[^>]*>", " ", body, flags=re.DOTALL).split())


def test_the_overview_lists_sweeps_at_once_and_studies_soon(page):
    said = words(page.body("/"))
    assert "20 of" not in said
    assert "data &lt;/script&gt;" in said
    assert re.search(r"fast/α 3 3 \d", said)
    body = page.wait("/", "test/tiny</a>", 120)
    assert "1 of 3 claims of the paper hold" in body


def test_a_study_is_shown_whole(page, study_address):
    said = words(page.body(study_address))
    for part in (
        "Two widths of a small network",
        "1 of 3 claims",
        "≥ 20%",
        "50% [25%, 75%]",
        "About.",
        "glassware 0.2.0",
    ):
        assert part in said, part
    assert 'class="vega"' in page.body(study_address)


def test_cells_lead_to_their_runs_and_these_to_a_run(page):
    body = page.body("/cells?of=sweep:data")
    known = json.loads(re.search(r'id="cells-of-chart-0">(.*?)</script>', body, re.DOTALL)[1])
    assert len(known) == 4
    assert all(one["address"].replace("&", "&amp;") in body for one in known.values())  # in the table as well
    runs = page.body(known["0"]["address"])
    assert "3 of 12 runs" in runs
    (first, *_) = re.findall(r'href="(/run/[0-9a-f]+)"', runs)
    assert "Specification" in page.body(first)


def test_a_run_shows_its_curves_specification_and_weights(page, run):
    body = page.body(f"/run/{run}")
    assert "kept at" in body
    assert "0.w, 20 × 4, final" in body
    assert "relevant inputs above the line" in body
    assert "0.w, 20 × 4, first" in page.body(f"/run/{run}?step=first")
    for spec in re.findall(r'class="vega"[^>]*>(.*?)</script>', body, re.DOTALL):
        json.loads(spec, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("", 23),
        ("w.m=30", 9),
        ("w.m=(none)", 10),
        ("of=sweep:data&w.m=30&w.width=4", 3),
        ("q=%22width%22%3A4", 8),
        ("w.success=true&w.success=false", None),
        ("w.nothing=1", 0),
        ("w.width=abc", 0),
        ("w.id=x", 0),
        ("page=99999999999999999999&sort=nothing", 23),
        ("page=-1&sort=-seed", 23),
    ],
)
def test_filters(page, asked, left):
    found = re.search(r"([\d,]+) of [\d,]+ runs", page.body(f"/runs?{asked}"))
    assert left is None or found[1] == str(left)


def test_rows_are_ordered(page):
    for sign in ("", "-"):
        seeds = re.findall(r'<td class="number">(\d+)</td>', page.body(f"/runs?of=sweep:fast/%CE%B1&sort={sign}seed"))
        assert [int(one) for one in seeds[:: len(seeds) // 3]] == ([0, 1, 2] if not sign else [2, 1, 0])


def test_two_selections_stand_side_by_side(page):
    said = words(page.body("/compare?a=sweep:data&b=sweep:fast%2F%CE%B1"))
    assert "optimiser.lr 0.1 0.3" in said
    assert "all runs" in said


@pytest.mark.parametrize("path", PATHS)
def test_nothing_in_a_name_is_run(page, path):
    body = page.body(path)
    assert HOSTILE not in body
    assert body.count("<script src=") == 3
    assert re.findall(r"<script(?! src=| type=\"application/json\")", body) == []


@pytest.mark.parametrize("path", [*PATHS, "/static/page.js", "/nothing", "/state"])
def test_every_answer_forbids_what_is_not_ours(page, path):
    _, headers, _ = page.ask(path)
    headers = {name.lower(): value for name, value in headers.items()}
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe-eval" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/nothing", 404),
        ("/static/../app.py", 404),
        ("/static/..%2f..%2fapp.py", 404),
        ("/static/%2fetc%2fpasswd", 404),
        ("/run/../../../etc/passwd", 404),
        ("/run/%2e%2e%2f%2e%2e%2fstore.json", 404),
        ("/run/*", 404),
        ("/run/abc", 404),
        ("/run/%00", 404),
        ("/run/" + "a" * 300, 404),
        ("/study/..%2f..%2fetc?scale=smoke", 400),
        ("/study/test/tiny?scale=<script>", 400),
        ("/study/test/tiny", 400),
        ("/runs?of=sweep:../../etc/passwd", 404),
        ("/runs?of=cell:%00", 404),
        ("/runs?of=study:test/tiny:huge", 400),
        ("/cells?of=%3Cscript%3E", 404),
        ("/compare?a=sweep:nothing&b=sweep:data", 404),
        ("/runs?q=" + "x" * 10_000, 414),
    ],
)
def test_odd_addresses_are_refused(page, path, code):
    found, _, body = page.ask(path)
    assert found == code
    assert "<script>" not in body
    assert "root:" not in body


def test_an_address_of_a_megabyte_is_refused(page):
    try:
        code, _, _ = page.ask("/runs?q=" + "x" * 1_000_000)
    except ConnectionError:  # the server has hung up before the end
        return
    assert code in (400, 414)
    assert page.ask("/")[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "127.0.0.1:x", "0.0.0.0", "@"]
)
def test_other_hosts_are_refused(page, host):
    assert page.ask("/", host=host)[0] == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:80"])
def test_the_names_of_this_machine_are_not(page, host):
    assert page.ask("/", host=host)[0] == 200


def test_another_page_may_link_here_and_ask_nothing(page):
    assert page.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200
    for path in ("/", "/state", "/static/page.js"):
        assert page.ask(path, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="cors")[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_the_page_only_reads(page, method):
    assert page.ask("/", method=method)[0] == 405


def test_looking_changes_nothing_and_names_no_place(page, store, run, study_address):
    # Who writes is asked behind a gate, whose file is touched; see ``sweeps.lock``.
    files = lambda: {path: one for path, one in snapshot(store.path).items() if path.name != "lock-gate"}
    before = files()
    for path in (*PATHS, study_address, f"/run/{run}", "/state"):
        body = page.body(path)
        assert str(store.path) not in body
        assert str(store.path.parent) not in body
    assert files() == before


def test_what_is_new_appears(page, store):
    from glassware.sweeps import grid, sweep
    from tests.helpers import TINY

    before = json.loads(page.body("/state"))
    assert json.loads(page.body("/state")) == before
    sweep(grid(TINY, {"m": [40]}, seeds=1), store, name="new")
    assert json.loads(page.body("/state"))["mark"] != before["mark"]
    assert "sweep%3Anew" in page.body("/")


def test_an_empty_store_has_a_page(folder):

    (folder / "empty").mkdir()
    done = call("open", "empty")
    assert done.exit_code == 0  # no terminal: as text
    assert sentence(call("open", "nowhere", "--page")).startswith("there is no store at nowhere")


def test_a_port_that_is_taken_is_named(page, store):
    with pytest.raises(Exception, match=f"cannot listen on port {page.port}: "):
        serve(make_app(store), page.port, 8420, lambda address: pytest.fail("it listens"))
