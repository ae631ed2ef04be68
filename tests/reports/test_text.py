import pytest

from glassware.reports.text import Block, blocks, escape, inline, without_paths

ABOUT = """What it shows, in a line.

A paragraph of
two lines with ``code``.

Grids
    paper   n = 200,
            and more
    smoke   seconds

Decisions
    One thing: this.
    Another: that,
    and on.
"""


def test_a_description_has_headings_named_entries_and_paragraphs():
    assert list(blocks(ABOUT)) == [
        Block("text", "What it shows, in a line."),
        Block("text", "A paragraph of two lines with ``code``."),
        Block("heading", "Grids"),
        Block("named", "n = 200, and more", "paper"),
        Block("named", "seconds", "smoke"),
        Block("heading", "Decisions"),
        Block("text", "One thing: this."),
        Block("text", "Another: that, and on."),
    ]
    assert list(blocks("")) == []


def test_every_study_has_a_readable_description():
    from glassware.studies import STUDIES

    for study in STUDIES.values():
        found = list(blocks(study.about))
        assert found, study.name
        assert " ".join(study.about.split()) == " ".join(f"{one.name} {one.text}".strip() for one in found)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/ann/work/mine.py, line 3", "mine.py, line 3"),
        ("(/home/ann/mine.py)", "(mine.py)"),
        (r"C:\Users\ann\mine.py", "mine.py"),
        ("~/work/mine.py", "mine.py"),
        ("file:///home/ann/mine.py", "mine.py"),
        ("12/25; 1/2/3 and w/o a path", "12/25; 1/2/3 and w/o a path"),
        ("pareto/success-frontier/laptop", "pareto/success-frontier/laptop"),
        ("https://arxiv.org/abs/1", "https://arxiv.org/abs/1"),
    ],
)
def test_folders_of_this_machine_are_left_out(text, left):
    assert without_paths(text) == left


def test_nothing_of_a_text_is_markup():
    assert escape("<script>'\"&\x1b") == "&lt;script&gt;&#x27;&quot;&amp;\\x1b"
    assert inline("``<b>`` and <i>") == "<code>&lt;b&gt;</code> and &lt;i&gt;"
