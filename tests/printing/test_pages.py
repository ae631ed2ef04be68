"""The docs' pages of claims: what they say is what the code says, and recorded judgements follow the present rule."""

import json
from pathlib import Path

import pytest

from glassware.foundation.errors import GlasswareError
from glassware.printing import claims_index, pages
from glassware.printing.claims import markdown_row
from glassware.printing.claims_index import PAGES, Page
from glassware.printing.pages import claim_cells, refresh_records, write_pages
from glassware.printing.recorded import read_recorded
from glassware.studies import STUDIES
from glassware.sweeps import Store
from tests.tiny_study import STUDY

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_lists_the_claims_of_the_code_word_for_word(page):
    """Where this fails, write the page again: glassware claims PAPER --pages docs --store results/store."""
    rows = [line for line in (DOCS / page.file).read_text().splitlines() if line.startswith("| `")]
    expected = [markdown_row(claim_cells(claim))[:-1] for study in page.studies() for claim in study.claims]
    assert [row[: len(start)] for row, start in zip(rows, expected, strict=True)] == expected


def test_every_study_is_on_one_page():
    assert sorted(study.name for page in PAGES for study in page.studies()) == sorted(STUDIES)


def test_recorded_judgements_are_of_claims_that_exist():
    known = {(study.name, claim.id) for study in STUDIES.values() for claim in study.claims if "paper" in claim.scales}
    assert set(read_recorded(DOCS / "recorded")) <= known


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder of docs with one page, about the tiny study."""
    monkeypatch.setattr(claims_index, "STUDIES", {STUDY.name: STUDY})
    shown = (Page("tiny", "Tiny", lambda name: name == STUDY.name), Page("other", "Other", lambda name: False))
    for module in (pages, claims_index):
        monkeypatch.setattr(module, "PAGES", shown)
    (tmp_path / "claims").mkdir()
    (tmp_path / "recorded").mkdir()
    (tmp_path / "claims/tiny.intro.md").write_text("# Tiny\n\n<!-- index -->\n\n<!-- claims -->\n\nBy hand.\n")
    return tmp_path


def record(docs, **judgement):
    made = {"version": "0.1.0", "date": "2026-11-16", "hardware": "one GPU", "minutes": 3, "rows": "All runs"}
    plain = {"study": STUDY.name, "claim": "true", "threshold": "≥ 20%", "measured": "50% [25%, 75%]", "detail": "",
             "value": 0.5, "low": 0.25, "high": 0.75, "verdict": "holds"}  # fmt: skip
    content = {"provenance": made, "judgements": [{**plain, **judgement}]}
    (docs / "recorded/one.json").write_text(json.dumps(content))


def written(docs, tmp_path_factory):
    (path,) = write_pages(docs, Store(tmp_path_factory.mktemp("store")), [STUDY])
    assert path == docs / "claims-tiny.md"
    return path.read_text()


def test_a_page_has_prose_counts_tables_and_provenance(docs, tmp_path_factory):
    record(docs, meets={"low": 0.2})
    said = written(docs, tmp_path_factory)
    assert said.startswith("# Tiny\n\n| page | scale |")
    assert said.endswith("By hand.\n")
    assert "| [Tiny](claims-tiny.md) | paper | the paper's | 4 | 1 |  |  |  | 3 |" in said
    assert "| `true`: It is said that true | Section 1 | ≥ 20% | **not enough runs** | holds: 50% [25%, 75%] |" in said
    assert "| `large`: It is said that large | Section 1 | ≥ 20% | not judged | not measured |" in said
    assert "- All runs: glassware 0.1.0, 2026-11-16, one GPU, 3 minutes." in said


def test_records_are_written_anew_and_what_was_judged_at_laptop_scale_stays(docs, tmp_path_factory):
    record(docs, meets={"low": 0.2})
    page = docs / "claims-tiny.md"
    page.write_text(written(docs, tmp_path_factory).replace("**not enough runs** |", "holds: 7 |", 1))
    record(docs, meets={"low": 0.8})
    assert refresh_records(docs, [STUDY]) == [page]
    said = page.read_text()
    assert "| ≥ 20% | holds: 7 | **fails**: 50% [25%, 75%] |" in said
    assert "| [Tiny](claims-tiny.md) | paper | the paper's | 4 |  | 1 |  |  | 3 |" in said
    assert said.count("- All runs: glassware 0.1.0") == 1
    assert said.endswith("By hand.\n")


def test_the_index_counts_pages_that_were_written_before(docs, tmp_path_factory):
    ours, theirs = (
        "| `a`: A \\| B | there (ours) | 1 | holds: 2 | not judged |",
        "| `b`: B | here | 1 | **fails**: 0 | holds |",
    )
    other = f"{ours}\n{theirs}\n"
    (docs / "claims-other.md").write_text(other)
    said = written(docs, tmp_path_factory)
    assert "| [Other](claims-other.md) | laptop | ours | 1 | 1 |  |  |  |  |" in said
    assert "| [Other](claims-other.md) | laptop | the paper's | 1 |  | 1 |  |  |  |" in said
    assert "| [Other](claims-other.md) | paper | the paper's | 1 | 1 |  |  |  |  |" in said
    assert (docs / "claims-other.md").read_text() == other
    (docs / "claims-other.md").write_text(other.replace("holds: 2", "**fails**: 2"))
    claims_index.refresh_index(docs)
    assert (docs / "claims-tiny.md").read_text() == said.replace(
        "laptop | ours | 1 | 1 |  |", "laptop | ours | 1 |  | 1 |"
    )


@pytest.mark.parametrize(
    ("judgement", "cell"),
    [
        ({"meets": {"low": 0.5}}, "**too close to call**: 50% [25%, 75%]"),
        ({"meets": {"high": 0.1, "strict": True}}, "**fails**: 50% [25%, 75%]"),
        ({"meets": "count"}, "holds: 50% [25%, 75%]"),
        ({}, "holds: 50% [25%, 75%] (verdict of 0.1.0)"),
        ({"meets": "count", "threshold": "≥ 1/3"}, "holds: 50% [25%, 75%]; judged against: ≥ 1/3"),
    ],
)
def test_a_recorded_number_is_judged_by_the_present_rule_where_its_threshold_is_known(
    docs, tmp_path_factory, judgement, cell
):
    record(docs, **judgement)
    assert f"| ≥ 20% | **not enough runs** | {cell} |" in written(docs, tmp_path_factory)


def test_what_cannot_be_written_is_a_sentence(docs, tmp_path_factory):
    (docs / "recorded/bad.json").write_text("[]")
    with pytest.raises(GlasswareError, match="holds no recorded judgements"):
        written(docs, tmp_path_factory)
    (docs / "recorded/bad.json").unlink()
    (docs / "claims/tiny.intro.md").write_text("no mark")
    with pytest.raises(GlasswareError, match="must be there, with the mark"):
        written(docs, tmp_path_factory)
