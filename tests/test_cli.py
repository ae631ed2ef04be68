import os
import re
import subprocess
import sys
from dataclasses import replace

from glassware import studies
from tests.calls import GLASSWARE, call
from tests.tiny_study import STUDY


def test_help_and_version():
    assert re.fullmatch(r"glassware \d\S*\n", call("--version").stdout)
    for words in (["--help"], [], ["-h"]):
        said = call(*words).stdout
        assert all(word in said for word in ("Examples", "Ctrl-C", "results/store", "Exit codes", "studies"))
    said = call("sweep", "--help").stdout
    assert "[run]" in said
    assert 'm = [300, 1000, "online"]' in said


def test_help_is_quick_and_a_closed_pipe_is_no_error(folder):
    code = "import sys; from glassware.cli import main; sys.argv = ['glassware', '--help']\ntry: main()\n"
    code += "finally: assert not {'jax', 'polars', 'numpy'} & set(sys.modules)"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Examples" in done.stdout

    read, write = os.pipe()
    os.close(read)
    for words, codes in ((["--help"], (0, 1)), (["studies"], (0,))):  # what Typer's own help says then is Typer's
        closed = subprocess.run([*GLASSWARE, *words], stdout=write, stderr=subprocess.PIPE, text=True)
        assert closed.stderr == ""
        assert closed.returncode in codes
    os.close(write)


def test_python_m_glassware(folder):
    done = subprocess.run([sys.executable, "-m", "glassware", "swep"], capture_output=True, text=True)
    told = "glassware: no such command 'swep'. Did you mean 'sweep'? (see glassware --help)\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_the_unexpected_is_short_and_says_how_to_see_more(folder, monkeypatch):
    broken = replace(STUDY, stages=(lambda *_: [1 / 0],))
    monkeypatch.setitem(studies.STUDIES, STUDY.name, broken)
    result = call("run", "test/tiny")
    assert result.exit_code == 1
    told = (
        "glassware: unexpected ZeroDivisionError: division by zero (set GLASSWARE_DEBUG=1 to see where it comes from)\n"
    )
    assert result.stderr == told
    monkeypatch.setenv("GLASSWARE_DEBUG", "1")
    assert "Traceback" in call("run", "test/tiny").stderr


def test_ctrl_c_elsewhere_is_quiet(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("glassware.api.list_studies", interrupted)
    result = call("studies")
    assert (result.exit_code, result.output) == (130, "")
