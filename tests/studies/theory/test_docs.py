"""The examples of docs/theory.md run and print what they say."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "theory.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def printed(block, capsys):
    exec(compile(block, "docs/theory.md", "exec"), {})
    return capsys.readouterr().out


def test_noise(capsys):
    out = printed(BLOCKS[0], capsys)
    assert "(3, 50, 101, 200, 299)" in out
    assert "some labels are wrong" in out
    assert "(0, 1, 2)" in out


def test_luck(capsys):
    width, gradient, none = printed(BLOCKS[1], capsys).splitlines()
    assert [float(value) for value in width.split()] == pytest.approx([408.33, 0.632], rel=1e-3)
    assert gradient == "[ 0.    0.   -0.25  0.    0.    0.  ]"
    assert float(none) == 0


def test_leaky(capsys):
    learned, fixed, majority = (float(value) for value in printed(BLOCKS[2], capsys).split())
    assert learned == 1.0
    assert fixed == pytest.approx(0.27, abs=0.03)
    assert majority == 0.25


def test_the_printed_bound(capsys):
    bound, error, corrected = (float(value) for value in printed(BLOCKS[3], capsys).split())
    assert [bound, error, corrected] == pytest.approx([0.0116, 0.0178, 0.2636], rel=0.01)
    assert bound < error < corrected


def test_margins(capsys):
    best, proved, ratio, shares, pair = printed(BLOCKS[4], capsys).splitlines()
    assert [float(value) for value in best.split()] == pytest.approx([2.076648e-3, 126], rel=1e-6)
    assert proved == "True"
    assert float(ratio) == pytest.approx(0.9464, abs=1e-4)
    assert eval(shares) == pytest.approx(
        {"(4)": 0, "(3,1)": 0.39, "(2,2)": 0.175, "(2,1,1)": 0.39, "(1,1,1,1)": 0.046}, abs=2e-3
    )
    quaternions, dihedral = (float(value) for value in pair.split())
    assert quaternions < dihedral


def test_variable_creation(capsys):
    exact, fixed, grown = printed(BLOCKS[5], capsys).splitlines()
    assert exact.startswith("True {'W_Q': 7.88")
    assert [float(fixed), float(grown)] == pytest.approx([0.58, 2.29], abs=0.006)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", PAGE))))
def test_every_test_the_page_names_exists(name):
    tests = Path(__file__).parents[2]
    assert any(f"def {name}(" in path.read_text() for path in tests.rglob("test_*.py"))


def test_every_study_is_on_the_page():
    from glassware.studies import juntas, leaky, theory

    assert len(BLOCKS) == 6
    for study in (*leaky.STUDIES, *theory.STUDIES, juntas.bounds.STUDY, juntas.constructions.STUDY):
        assert f"`{study.name}`" in PAGE
