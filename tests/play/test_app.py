"""The page asked over HTTP: what starts work, and what does not."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import glassware
from glassware.play.settings import PRESETS, SEEDS
from tests.play.conftest import LONG, QUICK, follow

SMALL = QUICK.model_dump()


def test_the_page_is_whole(page):
    code, headers, body = page.ask("GET", "/")
    assert code == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    for preset in PRESETS:
        assert f">{preset.name}</button>" in body
    assert body.count('class="curve"') == SEEDS
    assert re.findall(r"<script(?! src=)", body) == []
    for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', body):
        assert page.ask("GET", name)[0] == 200, name
    assert page.ask("GET", "/static/../session.py")[0] == 404
    assert page.ask("GET", "/nothing")[0] == 404


def test_a_training_is_started_followed_and_stopped(page, session):
    code, said = page.post("/start", {"settings": SMALL, "seed": 2})
    assert code == 200
    assert said["words"] == "n = 20, k = 2, width 12, 200 examples, dense start, rate 0.2, 600 steps"
    assert "gw.Parity(n=20, k=2)" in said["python"]
    follow(session, said["number"], lambda said, frames: said["ended"], seed=2)
    code, seen = page.post("/look", {"number": said["number"], "since": 3, "seed": 5})
    assert code == 200
    assert seen["picture"]["lane"] == 5
    assert len(seen["lanes"]) == SEEDS
    code, again = page.post("/start", {"settings": LONG.model_dump()})
    assert page.post("/stop", {"number": again["number"]}) == (200, {})
    assert page.post("/look", {"number": again["number"]})[1]["replaced"]


def test_a_rate_has_its_interval(page):
    code, rate = page.post("/rate", {"successes": 9, "trials": 10})
    assert (code, rate["value"], round(rate["low"], 2)) == (200, 0.9, 0.6)


@pytest.mark.parametrize("path", ["/start", "/look", "/stop", "/warm"])
@pytest.mark.parametrize(
    ("code", "headers"),
    [
        (403, {"X_Glassware_Token": None}),
        (403, {"X_Glassware_Token": "x" * 43}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Host": "evil.example"}),
        (403, {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"}),
        (413, {"Content_Length": "5000"}),
    ],
)
def test_only_its_own_page_starts_work(page, session, path, code, headers):
    before = session.look(0, 0, 0)["number"]
    assert page.post(path, {"settings": SMALL}, **headers)[0] == code
    assert session.look(0, 0, 0)["number"] == before


@pytest.mark.parametrize("path", ["/start", "/look", "/stop", "/warm"])
def test_a_link_starts_nothing(page, path):
    assert page.ask("GET", path, X_Glassware_Token=page.token)[0] in (404, 405)


def test_every_start_of_the_command_has_its_own_token(page, session):
    from glassware.play.app import make_app

    assert make_app(session).token != page.token


@pytest.mark.parametrize(
    ("path", "body", "sorry"),
    [
        ("/start", {"settings": SMALL, "seed": 10}, "seed must be a whole number from 0 to 9"),
        ("/look", {"number": "1"}, "number must be a whole number from 0 to 2147483648"),
        ("/look", {"number": True}, "number must be a whole number from 0 to 2147483648"),
        ("/rate", {"successes": 3, "trials": 2}, "a rate is of successes among trials: 3 of 2 cannot be"),
        ("/look", [1], "the request is not a JSON object"),
    ],
)
def test_what_is_wrong_is_one_sentence(page, session, path, body, sorry):
    before = session.look(0, 0, 0)["number"]
    assert page.post(path, body) == (400, {"sorry": sorry})
    assert session.look(0, 0, 0)["number"] == before


def test_bad_settings_are_answered_in_a_sentence(page, session):
    before = session.look(0, 0, 0)["number"]
    sorry = "m must be a number of examples, or online, not '<script>'"
    assert page.post("/start", {"settings": {"m": "<script>"}}) == (200, {"sorry": sorry})
    assert page.post("/start", {}) == (200, {"sorry": "settings are names with values"})
    assert session.look(0, 0, 0)["number"] == before


@pytest.mark.parametrize("body", ["", "{", "NaN", "[" * 4000])
def test_what_is_no_json_is_refused(page, body):
    assert page.ask("POST", "/start", body, X_Glassware_Token=page.token)[0] == 400


def test_only_the_child_trains():
    """The page does not even import what trains."""
    for path in (Path(glassware.__file__).parent / "play").glob("*.py"):
        names = {node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)}
        assert ("glassware.engine" in names) == (path.name == "child.py")
    program = "import sys, glassware.play.app; print({'glassware.engine', 'jax', 'altair'} & set(sys.modules))"
    root = Path(glassware.__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
