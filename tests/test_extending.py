"""The whole new problem of docs/extending.md: trained, killed, resumed, judged, drawn, estimated, shown."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import glassware as gw
from glassware.sweeps import Store
from tests.calls import call, sentence

PAGE = Path(__file__).parent.parent / "docs" / "extending.md"
(BLOCK,) = [code for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "class Rings" in code]

# Dies when so many runs are done, if any number is given; else goes to the end.
LIFE = """
import os, signal, sys
import glassware as gw
from glassware.sweeps import store
from glassware.sweeps.sweep import Silent
from rings import STUDY

class Mortal(Silent):
    done = 0
    def on_row(self, row):
        self.done += 1
        if self.done == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)

store.Writer.__init__.__defaults__ = (0.0, 1, None)  # every row is written at once
report = gw.reproduce(STUDY, "smoke", store="store", figures="figures", progress=Mortal())
print(report.judgements[0].verdict, len(report.frame), gw.estimate(STUDY, "smoke", store="store").left.runs)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rings")
    (place / "rings.py").write_text(BLOCK)
    (place / "life.py").write_text(LIFE)
    return place


def run(folder, *words):
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_example_is_short():
    words = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "120", "-"]
    formatted = subprocess.run(words, input=BLOCK, capture_output=True, text=True, check=True).stdout
    assert formatted == BLOCK
    assert len(BLOCK.splitlines()) < 60  # with blank lines


def test_killed_and_resumed_it_is_trained_once_judged_and_drawn(folder):
    assert run(folder, "life.py", "7").returncode == -signal.SIGKILL
    before = Store(folder / "store").read()
    assert 6 <= len(before) < 20
    ended = run(folder, "life.py", "0")
    assert ended.stdout.split("\n")[-2] == "holds 20 0", ended.stderr
    after = Store(folder / "store").read()
    assert after["id"].n_unique() == len(after) == 20
    assert after.join(before, on=["id", "seconds"], how="semi").height == len(before)  # what was there was kept
    assert {path.name for path in (folder / "figures").rglob("heat.*")} == {"heat.png", "heat.html"}


def test_a_run_is_shown_and_its_network_given_back(folder):
    row = Store(folder / "store").read().row(0, named=True)
    shown = run(folder, "-m", "glassware", "--parts", "rings.py", "show", row["id"][:8], "--store", "store")
    assert shown.returncode == 0, shown.stderr
    assert "task.name" in shown.stdout
    assert "rings" in shown.stdout
    assert list(folder.glob(f"results/figures/runs/{row['id']}.png"))
    code = (
        "import rings, glassware as gw\n"
        f"net = gw.network('{row['id']}', store='store')\n"
        "x, y = net.examples(10_000)\n"
        "print((net(x).argmax(axis=1) != y).mean())"
    )
    error = float(run(folder, "-c", code).stdout)
    np.testing.assert_allclose(error, row["test_error"], atol=2e-4)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("\nimport nothing_of_this_name", "broken.py cannot be imported, in line 2: ModuleNotFoundError"),
        ("import glassware as gw\ngw.register(3)", "broken.py, line 2: register a subclass of Task or Model"),
        ("import glassware.theory.boolean as b\nb.walsh_hadamard(None)", "glassware itself failed while it"),
    ],
)
def test_a_file_of_parts_that_fails_is_one_sentence(folder, code, said, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "broken.py").write_text(code)
    assert sentence(call("--parts", "broken.py", "info")).startswith(said)


def test_files_of_parts_find_their_neighbours_and_are_suggested_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("glassware.studies.STUDIES", dict(gw.STUDIES))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/beside.py").write_text("NAME = 'mine/beside'")
    lines = "from beside import NAME\nimport glassware as gw\n"
    (tmp_path / "sub/one.py").write_text(lines + "gw.register(gw.Study(NAME, '', '', (lambda *_: [],), ()))")
    (tmp_path / "two.py").write_text("import glassware as gw\ngw.register(gw.Study('mine/two', '', '', (), ()))")
    gw.Store("results/store").parts_path.mkdir(parents=True)
    both = ["--parts", "sub/one.py", "--parts", "two.py"]
    said = "no results of mine/beside at scale smoke yet: glassware --parts sub/one.py --parts two.py reproduce mine"
    assert sentence(call(*both, "figures", "mine/beside", "--scale", "smoke")).startswith(said)
    assert "mine/two" in call(*both, "studies").stdout
    assert "or by --parts FILE" in sentence(call("figures", "yours/three"))
