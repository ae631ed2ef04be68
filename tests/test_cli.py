import os
import re
import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest

from glassware import studies
from glassware.printing.claims import print_claims
from glassware.printing.console import make_console
from glassware.printing.summary import print_summary
from tests.calls import GLASSWARE, call
from tests.tiny_study import STUDY


def pretended(function):
    """A program that is the command line upon one function of ``glassware.api.studies``, without JAX."""
    module = "sys.modules['glassware.api.studies'] = types.ModuleType('glassware.api.studies')"
    return f"import sys, types; made = {module}; made.{function} = {function}; {GLASSWARE[-1]}"


def test_help_and_version():
    assert re.fullmatch(r"glassware \d\S*\n", call("--version").stdout)
    for words in (["--help"], [], ["-h"]):
        said = call(*words).stdout
        assert all(word in said for word in ("Examples", "Ctrl-C", "results/store", "Exit codes", "studies"))
    said = call("sweep", "--help").stdout
    assert "[run]" in said
    assert 'm = [300, 1000, "online"]' in said


def test_never_is_explained_where_some_succeed(capsys):
    row = {"field": "m", "value": "30", "runs": 4, "rate": 0.5, "low": 0.2, "high": 0.8, "median_steps": None}
    for successes in (0, 2):
        print_summary(make_console(), pl.DataFrame([{**row, "successes": successes}]))
        assert ("never: the median run does not succeed" in capsys.readouterr().out) == (successes > 0)


def test_ids_of_claims_can_be_read_on_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    claim = "a-name-that-is-longer-than-its-column"
    words = {"study": "test/tiny", "scale": "smoke", "claim": claim, "statement": "It does.", "where": "Section 1"}
    found = {
        "threshold": "≥ 1",
        "source": "paper",
        "note": "",
        "measured": "2",
        "value": 2.0,
        "low": 1.0,
        "high": 3.0,
        "detail": "",
        "verdict": "holds",
    }
    print_claims(make_console(), [studies.Judgement(**words, **found)])
    assert claim in "".join(line.split("│")[1].strip() for line in capsys.readouterr().out.splitlines() if "│" in line)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--help"], 0),
        (["reproduce", "--help"], 0),
        (["swep"], 2),
        (["reproduce", "pareto/slices", "--scale", "lapto"], 2),
        (["reproduce", "pareto/slices", "--engine", "kernals"], 2),
        (["estimate", "pareto/slices", "--seeds", "0"], 2),
        (["sweep", "absent.toml"], 2),
        (["tabular", "absent.csv", "--target", "kind"], 2),
    ],
)
def test_help_and_mistakes_do_not_wait_for_large_imports(folder, words, code):
    """Nor does a terminal that knows nothing but ASCII break the help."""
    large = {"jax", "polars", "numpy", "altair", "sklearn", "glassware.studies", "glassware.engine"}
    program = f"import sys; from glassware.cli import main; sys.argv = ['glassware', *{words!r}]\n"
    program += f"try: main()\nfinally: print('large:', {large!r} & set(sys.modules))"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, "large: set()")
    assert len(done.stderr.splitlines()) == (code > 0)


def test_a_closed_pipe_is_no_error(folder):
    read, write = os.pipe()
    os.close(read)
    many = "figures = lambda *_, **__: ['a.png'] * 1_000\n" + pretended("figures")
    commands = (
        ([*GLASSWARE, "--help"], (0, 1)),  # what Typer's own help says then is Typer's
        ([sys.executable, "-c", many, "figures", "test/tiny"], (0,)),
    )
    for command, codes in commands:
        closed = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
        assert closed.stderr == ""
        assert closed.returncode in codes
    os.close(write)


def test_a_closed_standard_output_is_no_error(folder):
    shell = ["sh", "-c", '"$0" "$@" >&-', *GLASSWARE, "--version"]
    closed = subprocess.run(shell, stderr=subprocess.PIPE, text=True)
    assert (closed.returncode, closed.stderr) == (0, "")


def test_python_m_glassware(folder):
    done = subprocess.run([sys.executable, "-m", "glassware", "swep"], capture_output=True, text=True)
    told = "glassware: no such command 'swep'. Did you mean 'sweep', 'sweeps'? (see glassware --help)\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_the_unexpected_is_short_and_says_how_to_see_more(folder, monkeypatch):
    broken = replace(STUDY, stages=(lambda *_: [1 / 0],))
    monkeypatch.setitem(studies.STUDIES, STUDY.name, broken)
    result = call("reproduce", "test/tiny")
    assert result.exit_code == 1
    told = (
        "glassware: unexpected ZeroDivisionError: division by zero (set GLASSWARE_DEBUG=1 to see where it comes from)\n"
    )
    assert result.stderr == told
    monkeypatch.setenv("GLASSWARE_DEBUG", "1")
    assert "Traceback" in call("reproduce", "test/tiny").stderr


def test_ctrl_c_elsewhere_is_quiet(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("glassware.api.studies.list_studies", interrupted)
    result = call("studies")
    assert (result.exit_code, result.output) == (130, "")


# The garbage collector calls back while a command works, and Ctrl-C arrives in there: Python prints it and goes on.
LOST = """
import gc, sys, time

def callback(*_):
    gc.callbacks.remove(callback)
    raise KeyboardInterrupt

def list_studies():
    gc.callbacks.append(callback)
    gc.collect()
    time.sleep(20)
    sys.exit("not interrupted")

"""


def test_no_ctrl_c_is_lost(folder):
    command = [sys.executable, "-c", LOST + pretended("list_studies"), "studies"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_before_anything_is_begun_ends_at_once(folder):
    early = "import atexit; atexit.register(print, 'late'); from glassware.cli import interrupt; interrupt()"
    done = subprocess.run([sys.executable, "-c", early], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
