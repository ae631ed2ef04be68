"""The notebooks of examples/: their cells run as they stand, and what is stored of their outputs is small and ours."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
LARGEST = 150_000  # bytes of pictures per notebook


def code(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def outputs(path):
    """What a reader sees without running anything: words printed, and pictures."""
    words, pictures = [], []
    for cell in code(path):
        for one in cell["outputs"]:
            data = one.get("data", {"text/plain": one.get("text", "")})
            assert one["output_type"] != "error"
            if "image/png" in data:
                pictures.append(base64.b64decode(data["image/png"]))
            words.append("".join(data["text/plain"]))
    return words, pictures


@pytest.fixture
def _as_before():
    import altair

    with altair.renderers.enable(altair.renderers.active), altair.theme.enable(altair.theme.active):
        yield


@pytest.mark.usefixtures("_as_before")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_run_and_print_what_is_stored(path, folder, capsys):
    names = {"__name__": "__main__"}
    for place, cell in enumerate(code(path)):
        said = "".join(cell["source"])
        exec(compile(said, f"{path.name}, cell {place}", "exec", dont_inherit=True), names)
        shown = "".join("".join(one.get("text", "")) for one in cell["outputs"])
        if shown:  # the words, not the numbers: those differ between processors
            assert letters(capsys.readouterr().out) == letters(shown), said
        capsys.readouterr()


def letters(text):
    return re.findall(r"[A-Za-z]+", text)


def test_the_four_notebooks_are_there_and_named_by_the_readme():
    assert {path.stem for path in NOTEBOOKS} == {"estimator", "first-steps", "frontier", "reading-a-network"}
    readme = (ROOT / "README.md").read_text()
    assert all(f"(examples/{path.name})" in readme for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_small_and_names_nobody(path):
    words, pictures = outputs(path)
    assert words, "run it and keep the outputs, so that it can be read on a page: see CONTRIBUTING.md"
    assert sum(map(len, pictures)) < LARGEST
    assert not re.search(r"/(home|tmp|root|Users)/", path.read_text())
    assert [cell["execution_count"] for cell in code(path)] == [*range(1, len(code(path)) + 1)]
