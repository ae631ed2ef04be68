"""Reports as they are sent to others."""

import getpass
import re
import socket
from dataclasses import replace
from html.parser import HTMLParser

import altair as alt
import polars as pl
import pytest

import glassware as gw
from glassware import studies
from tests.calls import call, sentence, snapshot
from tests.helpers import TINY
from tests.tiny_study import STUDY, WIDTHS

HOSTILE = "</script><script>alert(1)</script><!--<script>"


def hostile(frame):
    table = frame.select("width").with_columns(pl.lit(HOSTILE).alias(HOSTILE))
    return alt.Chart(table, title=HOSTILE).mark_point().encode(x="width:O")


def failing(frame):
    raise RuntimeError("no such file: /home/ann/mine/data.csv")


NASTY = replace(
    STUDY,
    name="test/nasty",
    title=HOSTILE,
    about=f"{HOSTILE}\n\nGrids\n    smoke   {HOSTILE}\n",
    claims=tuple(replace(claim, statement=HOSTILE, where=HOSTILE, note=HOSTILE) for claim in STUDY.claims),
    figures={**WIDTHS, "hostile": hostile, "failing": failing},
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A store with the rows of the tiny study, trained once."""
    store = tmp_path_factory.mktemp("report") / "store"
    gw.reproduce(STUDY, "smoke", store=store, figures=None)
    return store


@pytest.fixture
def known(monkeypatch):
    for study in (STUDY, NASTY):
        monkeypatch.setitem(studies.STUDIES, study.name, study)


class Page(HTMLParser):
    """What a browser would see: text outside scripts, addresses that elements load, scripts that run."""

    def __init__(self, text):
        super().__init__()
        self.words, self.loads, self.scripts, self.inside = [], [], 0, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        self.scripts += tag == "script" and dict(attributes).get("type") != "application/json"
        self.loads += [value for name, value in attributes if name in ("src", "href") and not value.startswith("#")]

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside not in ("script", "style"):
            self.words.append(data)


def test_a_report_has_text_claims_figures_and_how_it_was_made(results, folder, known):
    path = gw.report("test/tiny", scale="smoke", store=results)
    assert path.as_posix() == "results/report.html"
    page = Page(path.read_text())
    said = " ".join(" ".join(page.words).split())
    for words in (
        "test/tiny: Two widths of a small network", "What was asked", "About.", "1 of 3 claims of the paper hold",
        "It is said that true", "Section 1", "≥ 20%", "50% [25%, 75%]", "✓ holds", "✗ fails",
        "? not enough runs", "Not judged at this scale", "8 runs", "glassware 0.2.0, JAX", "cpu",
        "glassware reproduce test/tiny --scale smoke",
    ):  # fmt: skip
        assert words in said, words
    assert page.loads == []  # it needs no network
    assert "University of Washington" in path.read_text()  # the licence of the scripts in it


def test_nothing_in_a_title_is_run(results, folder, known):
    text = gw.report("test/nasty", scale="smoke", store=results).read_text()
    plain = Page(gw.report("test/tiny", scale="smoke", store=results).read_text())
    page = Page(text)
    assert page.scripts == plain.scripts == 2
    assert HOSTILE not in text
    assert HOSTILE in "".join(page.words)
    assert "figure 'failing' of test/nasty cannot be drawn: RuntimeError: no such file: data.csv" in "".join(page.words)


def test_a_report_names_nobody_and_no_place(results, folder, known):
    ours = [
        socket.gethostname(),
        str(folder),
        str(results),
        *([getpass.getuser()] if getpass.getuser() != "root" else []),
    ]
    for name in ("r.html", "r.md"):
        text = gw.report("test/tiny", "test/nasty", scale="smoke", store=results, to=name).read_text()
        body = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)  # Vega's own words are not ours
        assert not [word for word in ours if word in body]
        assert "/home/ann" not in body


def test_markdown_has_its_figures_beside_it(results, folder, known):
    path = gw.report("test/tiny", scale="smoke", store=results, to="sent/tiny.md")
    text = path.read_text()
    (image,) = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert (folder / "sent" / image).read_bytes().startswith(b"\x89PNG")
    assert text.startswith("# test/tiny\n")
    assert "| `true`: It is said that true | Section 1 | ≥ 20% |" in text
    nasty = gw.report("test/nasty", scale="smoke", store=results, to="nasty.md").read_text()
    assert "<script" not in nasty


def test_several_studies_have_contents(results, folder, known):
    text = gw.report("test", scale="smoke", store=results).read_text()
    assert text.count("<section ") == 2
    assert re.findall(r'href="#([^"]+)"', text) == re.findall(r'<section id="([^"]+)"', text)


def test_the_command(results, folder, known):
    before = snapshot(results)
    done = call("report", "test/tiny", "--scale", "smoke", "--store", results, "-o", "a b.html")
    assert (done.exit_code, done.stdout) == (0, "report a b.html\n"), done.output
    assert call("report", "test/tiny", "--scale", "smoke", "--store", results, "--format", "md").exit_code == 0
    assert (folder / "results" / "report.md").exists()
    assert snapshot(results) == before  # a report reads


def test_all_that_a_store_has_is_a_page_each(results, folder, known):
    gw.sweep(gw.grid(gw.Run(**TINY), seeds=2), results, name="mine", title="A sweep of mine")
    gw.reproduce("test/tiny", "smoke", store=results, figures=None, set={"batch": 4})
    done = call("report", "--all", "--scale", "smoke", "--store", results)
    assert done.exit_code == 0, done.output
    said = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
    pages = {"test/tiny.md", "test/nasty.md", "test/tiny@batch=4.md", "sweeps/mine.md"}
    assert sorted(said) == sorted(f"results/pages/{one}" for one in {*pages, "index.md"})
    index = (folder / "results/pages/index.md").read_text()
    assert set(re.findall(r"\]\((.*?)\)", index)) == pages
    assert "1 of 3 claims of the paper hold, 1 fails, 1 lacks runs" in index
    assert "<script" not in index
    shown = [(place, place.parent / image) for page in pages for place in [folder / "results/pages" / page]
             for image in re.findall(r"!\[.*?\]\((.*?)\)", place.read_text())]  # fmt: skip
    assert len(shown) > 2
    assert all(image.is_file() for _, image in shown)


def test_all_pages_as_html_need_no_network(results, folder, known):
    done = call("report", "--all", "--scale", "smoke", "--store", results, "--format", "html", "-o", "site")
    assert done.stdout.splitlines()[-1] == "report site/index.html"
    index = Page((folder / "site/index.html").read_text())
    assert {"test/tiny.html", "test/nasty.html"} <= set(index.loads)
    assert HOSTILE in "".join(index.words)
    assert Page((folder / "site/test/tiny.html").read_text()).loads == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["pareto/slices"],
            "no results of pareto/slices at scale laptop yet: glassware reproduce pareto/slices --scale",
        ),
        (["test/tinny"], "unknown study 'test/tinny'; did you mean 'test/tiny'?"),
        (["test/tiny", "-o", "r.pdf"], "a report ends in .html or .md, not as r.pdf does; or give --format"),
        (["test/tiny", "-o", "."], ". is a folder; name a file, as report.html"),
        (["test/tiny", "--format", "pdf"], "invalid value for '--format'"),
        ([], "missing argument 'STUDY|SWEEP...'"),
        (["test/tiny", "--all"], "give --all or names, not both"),
        (["--all", "--scale", "smoke", "-o", "file"], "file is a file; --all writes a folder of pages"),
        (["test/tiny", "--scale", "smoke", "-o", "file/r.html"], "cannot write file/r.html: "),
    ],
)
def test_bad_requests(results, folder, known, words, said):
    (folder / "file").write_text("mine")
    assert sentence(call("report", *words, "--store", results)).startswith(said)
    assert [path.name for path in folder.iterdir()] == ["file"]
