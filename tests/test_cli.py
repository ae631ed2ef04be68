import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from glassware import studies
from glassware.cli import app
from glassware.sweeps import Forecast, Plan, Store, make_plan, read_sweep
from tests.test_api import STUDY, claim, first, trained  # noqa: F401 (a fixture)

SWEEP = """
seeds = 2
[run]
task = { n = 20, k = 3 }
model = { width = 8 }
batch = 8
steps = 60
evaluation = { every = 10, test = 128 }
[grid]
m = [30, "online"]
"""


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="glassware")


def sentence(result):
    """What a refused command said: one sentence, on standard error, without a traceback."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("glassware: ")
    assert "Traceback" not in line
    return line.removeprefix("glassware: ")


def snapshot(folder):
    return {p: (p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p in folder.rglob("*")}


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    """Workers of pytest-xdist say that they are 80 columns wide, where tables wrap."""
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tiny_study(monkeypatch):
    monkeypatch.setitem(studies.STUDIES, STUDY.name, STUDY)


@pytest.fixture
def full_store(folder):
    """A store with a finished sweep in it."""
    (folder / "good.toml").write_text(SWEEP)
    assert call("sweep", "good.toml", "--store", "store").exit_code == 0
    return folder / "store"


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["swep"], "no such command 'swep'. Did you mean 'sweep'? (see glassware --help)"),
        (["zzz"], "no such command 'zzz' (see glassware --help)"),
        (["run"], "missing argument 'STUDY' (see glassware run --help)"),
        (["run", "pareto/slices", "--sede", "1"], "no such option: --sede"),
        (["run", "pareto/sparcity"], "unknown study 'pareto/sparcity'; did you mean 'pareto/sparsity'?"),
        (["claims", "succes"], "unknown study 'succes'; did you mean 'pareto/success-frontier'?"),
        (["figures", "quite-another"], "unknown study 'quite-another'"),
        (["run", "test/tiny", "--scale", "lapto"], "unknown scale 'lapto'; scales are smoke, laptop, paper"),
        (["run", "test/tiny", "--seeds", "0"], "seeds must be at least 1, not 0"),
        (["run", "test/tiny", "--seeds", "-1"], "seeds must be at least 1, not -1"),
        (["run", "test/tiny", "--seeds", "few"], "invalid value for '--seeds'"),
        (["run", "test/tiny", "--lanes", "0"], "lanes must be at least 1, not 0"),
        (["claims", "test/tiny"], "there is no store at results/store; 'glassware run' makes one"),
        (["figures", "test/tiny"], "there is no store at results/store"),
        (["sweep", "absent.toml"], "cannot read sweep file absent.toml: No such file or directory"),
        (["sweep", "."], "cannot read sweep file .: Is a directory"),
    ],
)  # fmt: skip
def test_bad_command_lines(folder, tiny_study, words, said):
    assert sentence(call(*words)).startswith(said)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("k = 3", "k = 30", "bad.toml: k must be at most n: k = 30, n = 20"),
        ("width = 8", "width = -8", "bad.toml: model.width must be greater than or equal to 1, not -8"),
        ('[30, "online"]', "[30, 0]", "bad.toml: m must be greater than or equal to 1, not 0"),
        ("batch = 8", "optimiser = { name = 'sgd', lr = nan }", "bad.toml: optimiser.lr must be a finite number"),
        ("width = 8", "wdith = 8", "bad.toml: unknown key 'wdith' in model; did you mean 'width'?"),
        ("batch = 8", "bacth = 8", "bad.toml: unknown key 'bacth'; did you mean 'batch'?"),
        ("[grid]", "[gird]", "bad.toml: unknown key 'gird'; did you mean 'grid'?"),
        ("seeds = 2", "seeds = ", "bad.toml: not valid TOML: "),
        ("seeds = 2", "seeds = -2", "bad.toml: seeds must be at least 1, not -2"),
    ],
)  # fmt: skip
def test_bad_sweeps_leave_the_store_alone(full_store, folder, trained, old, new, said):  # noqa: F811
    assert old in SWEEP
    (folder / "bad.toml").write_text(SWEEP.replace(old, new))
    before = snapshot(folder)
    assert sentence(call("sweep", "bad.toml", "--store", "store")).startswith(said)
    assert sentence(call("sweep", "bad.toml", "--store", "other")).startswith(said)
    assert (trained, snapshot(folder)) == ([], before)


def spoil(store, how):
    part = next((store / "parts").iterdir())
    if how == "truncated":
        part.write_bytes(part.read_bytes()[:-100])
    elif how == "foreign":
        (store / "parts" / "notes.txt").write_text("mine")
    elif how == "newer":
        (store / "store.json").write_text('{"format": 1, "semantics": 999}')
    elif how == "damaged":
        (store / "store.json").write_text("{")
    return part


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("truncated", "{part} is cut short or not Parquet; remove it and its runs will be trained again"),
        ("foreign", "{store}/parts/notes.txt does not belong in a glassware store; remove it"),
        ("newer", "store {store} was written by a newer glassware (format 1, semantics 999; "),
        ("damaged", "{store}/store.json is damaged; "),
    ],
)
def test_bad_stores_are_named_and_left_alone(full_store, folder, tiny_study, trained, how, said):  # noqa: F811
    part = spoil(full_store, how)
    before = snapshot(folder)
    for words in (["sweep", "good.toml"], ["run", "test/tiny"], ["claims", "test/tiny"], ["figures", "test/tiny"]):
        told = sentence(call(*words, "--store", full_store))
        assert told.startswith(said.format(part=part, store=full_store)), told
    assert (trained, snapshot(folder)) == ([], before)


@pytest.mark.parametrize("place", ["file", "file/below", "."])
def test_places_that_cannot_be_a_store(folder, tiny_study, trained, place):  # noqa: F811
    (folder / "good.toml").write_text(SWEEP)
    (folder / "file").write_text("mine")
    before = snapshot(folder)
    for words in (["sweep", "good.toml"], ["run", "test/tiny"], ["claims", "test/tiny"]):
        assert place in sentence(call(*words, "--store", place))
    assert "is a file" in sentence(call("run", "test/tiny", "--figures", "file/below"))
    assert (trained, snapshot(folder)) == ([], before)


def test_a_full_disk(folder):
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("may not mount a small disk here")
    try:
        (folder / "good.toml").write_text(SWEEP)
        result = call("sweep", "good.toml", "--store", disk / "store")
        assert result.exit_code == 2
        said = f"cannot write to store {disk}/store: No space left on device; what it holds is intact"
        assert result.stderr == f"glassware: {said}\n"
        assert list((disk / "store" / "parts").iterdir()) == []
        subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
        assert call("sweep", "good.toml", "--store", disk / "store").exit_code == 0
        assert len(Store(disk / "store").read()) == 4
    finally:
        subprocess.run(["umount", disk], check=True)


KEYS = st.one_of(
    st.sampled_from(["seeds", "run", "grid", "zip", "m", "steps", "task", "model", "init", "optimiser", "evaluation"]),
    st.sampled_from(["n", "k", "width", "kernel", "scheme", "s", "lr", "name", "every", "test", "batch", "seed"]),
    st.sampled_from(["probes", "model.width", '"task.n"', '"optimiser.lr"']),
)
SCALARS = st.one_of(
    st.sampled_from(["true", "nan", "-inf", "1e400", "1979-05-27", '""', '"online"', '"sgd"', '"adam"', '"sparse"']),
    st.sampled_from(["0", "-1", "3", "100", "4294967296", "1" + "0" * 30, "0.1", "'mlp'", "'kernel-ridge'", "'rbf'"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(KEYS, inner, max_size=3).map(
            lambda d: "{" + ", ".join(f"{k} = {v}" for k, v in d.items()) + "}"
        ),
    ),
    max_leaves=4,
)
LINES = st.one_of(
    st.tuples(KEYS, VALUES).map(" = ".join),
    st.sampled_from(["[run]", "[grid]", "[[zip]]", "[run.task]", "[grid.model]", "[[grid]]", "[", '"""']),
    st.text(max_size=12),
)
CHANGES = st.tuples(st.sampled_from(SWEEP.strip().splitlines()), LINES)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.lists(LINES, max_size=8).map("\n".join), CHANGES.map(lambda c: SWEEP.replace(*c)), st.text()))
def test_no_sweep_file_shows_a_traceback(folder, text):
    (folder / "any.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["glassware.sweeps.sweep"], "train", lambda runs, **_: iter(()))
        patch.setattr(Plan, "estimate", lambda *_: Forecast((), 0.0, ()))
        result = call("sweep", "any.toml", "--store", "store")
    assert "Traceback" not in result.output
    if result.exit_code:
        sentence(result)


# -- what goes well ---------------------------------------------------------------------------------------------------


def test_a_study_from_end_to_end(folder, tiny_study, trained):  # noqa: F811
    words = ["run", "test/tiny", "--scale", "smoke"]
    result = call(*words)
    assert (result.exit_code, result.stderr, len(trained)) == (0, "", 8)
    said = result.stdout
    assert "test/tiny at scale smoke: Two widths of a small network" in said
    for stage in (1, 2):
        assert f"stage {stage} of 2: 4 runs: 0 done before, 4 to train" in said
    assert re.search(r"at most about \d+ \w+; less when runs succeed early", said)
    assert re.search(r"trained 4 runs in 0:\d\d: \d succeeded", said)
    table = re.sub(r"\s+", " ", said)
    for name, verdict in (("true", "✓ holds"), ("false", "✗ fails")):
        assert re.search(rf"│ {name} │ Section 1 │ 50% \[25%, 75%\] │ ≥ 50% │ {verdict} +│", table), said
    assert re.search(r"│ rare │ Section 1 │ – │ ≥ 50% │ \? not enough runs │", table)
    assert "1 of 3 claims hold" in said
    assert "not judged at scale smoke: large" in said
    for kind in ("png", "html"):
        path = f"results/figures/test/tiny/smoke/widths.{kind}"
        assert f"figure {path}" in said
        assert (folder / path).stat().st_size
    assert "results in results/store" in said

    before = snapshot(folder / "results/store")
    again = call(*words)
    assert (again.exit_code, len(trained)) == (0, 8)
    assert again.stdout.count("4 runs: 4 done before, 0 to train") == 2
    assert snapshot(folder / "results/store") == before

    more = call(*words, "--seeds", "3", "--lanes", "2")
    assert "6 runs: 4 done before, 2 to train" in more.stdout
    assert "4 runs: 4 done before" not in more.stdout  # the second stage grew with the first

    claims = call("claims", "test", "--scale", "smoke", "--json")
    assert (claims.exit_code, claims.stderr) == (0, "")
    assert [c["verdict"] for c in json.loads(claims.stdout)] == [
        "holds", "fails", "not enough runs", "not judged at this scale",
    ]  # fmt: skip
    assert "✗ fails" in call("claims", "test/tiny", "--scale", "smoke").stdout
    assert "1 of 3 claims hold" in call("claims", "--scale", "smoke").stdout

    drawn = call("figures", "test/tiny", "--scale", "smoke", "--figures", "elsewhere")
    assert drawn.stdout.split() == [
        word for kind in ("png", "html") for word in ("figure", f"elsewhere/test/tiny/smoke/widths.{kind}")
    ]


def test_claims_say_what_is_missing(folder, tiny_study):
    assert call("run", "test/tiny", "--seeds", "1").exit_code == 0
    assert "3 of 6 runs are missing; those that succeed finish first" not in call("claims", "test/tiny").stdout
    said = call("claims", "test/tiny", "--seeds", "2").stdout
    assert "2 of 6 runs are missing; those that succeed finish first" in said
    silent = replace(STUDY, claims=(claim("rare", None),), stages=(first,))
    studies.STUDIES[STUDY.name] = silent
    said = call("claims", "test/tiny", "--scale", "paper").stdout
    assert "test/tiny at scale paper: not enough runs for any of 1 claims yet" in said
    assert "glassware run test/tiny --scale paper" in said


def test_a_sweep_and_its_summary(folder):
    (folder / "good.toml").write_text(SWEEP)
    result = call("sweep", "good.toml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.search(r"field +value +runs +succeed +rate +95% interval +median steps", result.stdout)
    assert re.search(r"\nm +30 +2 +\d +\d+% +\d+% to \d+% +\S+", result.stdout)
    assert re.search(r"\n +online +2 +\d +\d+% +\d+% to \d+% +\S+", result.stdout)
    assert "results in results/store" in result.stdout
    assert len(Store("results/store").read()) == 4
    assert "results in st[red]:smile:" in call("sweep", "good.toml", "--store", "st[red]:smile:").stdout
    assert "4 runs: 4 done before, 0 to train" in call("sweep", "good.toml").stdout


def test_a_long_axis_is_cut_in_the_summary(folder):
    (folder / "long.toml").write_text(SWEEP.replace('[30, "online"]', str(list(range(10, 30)))))
    assert "and 8 more" in call("sweep", "long.toml", "--lanes", 4).stdout


def test_studies(monkeypatch):
    monkeypatch.setattr(
        studies, "STUDIES", {STUDY.name: STUDY, "test/one": replace(STUDY, name="test/one", stages=(first,))}
    )
    result = call("studies")
    assert result.exit_code == 0
    assert re.search(r"test/tiny +Two widths of a small network +4 \+ +4 \+ +4 \+ +4 *\n", result.stdout)
    assert re.search(r"test/one +Two widths of a small network +4 +4 +4 +4 *\n", result.stdout)


def test_info():
    assert set(json.loads(call("info", "--json").stdout)) >= {"glassware", "jax", "devices", "engine"}
    said = call("info").stdout
    for word in ("glassware", "semantics", "jaxlib", "optax", "polars", "device 0", "10,000", "lanes"):
        assert word in said


def test_help_and_version():
    assert re.fullmatch(r"glassware \d\S*\n", call("--version").stdout)
    for words in (["--help"], [], ["-h"]):
        said = call(*words).stdout
        assert all(word in said for word in ("Examples", "Ctrl-C", "results/store", "Exit codes", "studies"))
    said = call("sweep", "--help").stdout
    assert "[run]" in said
    assert 'm = [300, 1000, "online"]' in said


# -- what goes wrong --------------------------------------------------------------------------------------------------


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


def test_a_chart_that_fails_comes_after_the_claims(folder, monkeypatch):
    broken = replace(STUDY, figures={"bad": lambda _: 1 / 0})
    monkeypatch.setitem(studies.STUDIES, STUDY.name, broken)
    result = call("run", "test/tiny", "--seeds", "1")
    assert result.exit_code == 1
    assert "✗ fails" in result.stdout


GLASSWARE = [
    sys.executable,
    "-c",
    # A shell's background job starts with Ctrl-C ignored; these must not.
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from glassware.cli import main; main()",
]


def test_ctrl_c_keeps_what_is_finished(folder):
    sweep = folder / "long.toml"
    sweep.write_text(SWEEP.replace("seeds = 2", "seeds = 2000").replace("steps = 60", "steps = 600"))
    words = ["sweep", "long.toml", "--store", "store", "--lanes", "4"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*GLASSWARE, *words], cwd=folder, **pipes)
    deadline = time.monotonic() + 50
    while not list(folder.glob("store/parts/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    kept = make_plan(read_sweep(sweep), Store(folder / "store")).finished
    assert 0 < kept < 4000
    assert err == f"stopped: {kept:,} runs kept in store; run the same command to go on\n"
    assert f"trained {kept:,} of 4,000 runs" in out


def test_ctrl_c_elsewhere_is_quiet(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("glassware.api.list_studies", interrupted)
    result = call("studies")
    assert (result.exit_code, result.output) == (130, "")


def test_help_is_quick_and_a_closed_pipe_is_no_error(folder):
    code = "import sys; from glassware.cli import main; sys.argv = ['glassware', '--help']\ntry: main()\n"
    code += "finally: assert not {'jax', 'polars', 'numpy'} & set(sys.modules)"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Examples" in done.stdout

    read, write = os.pipe()
    os.close(read)
    closed = subprocess.run([*GLASSWARE, "--help"], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert closed.stderr == ""


# -- estimates --------------------------------------------------------------------------------------------------------


def test_an_estimate_from_end_to_end(folder, tiny_study, trained):  # noqa: F811
    """Nothing known; then all of the first stage; then all of it. Nothing is trained and no store is made."""
    words = ["estimate", "test/tiny", "--scale", "smoke"]
    blind = call(*words)
    assert (blind.exit_code, blind.stderr, trained, list(folder.iterdir())) == (0, "", [], [])
    said = blind.stdout
    assert "test/tiny at scale smoke: Two widths of a small network" in said
    assert re.search(r"width +runs +steps a run +budget +FLOPs +time +at most", said)
    for name, runs in (("4", 2), ("8", 2), ("all", 4)):
        assert re.search(rf"\n +{name} +{runs} +60 +60 +\S+e\+\d+ +\d+ s +\d+ s", said), said
    assert re.search(r"speed measured here \(\S+\), GFLOP/s: \S+ \(n = 20, width 4\), \S+ \(n = 20, width 8\)", said)
    assert "of the expected time rests 100% on the worst case, no early stop" in said
    assert re.search(r"4 runs of 4 left to train: about \d+ s, at most about \d+ s", said)
    assert "not counted: a later stage, whose runs depend on these" in said

    assert call("run", "test/tiny", "--scale", "smoke").exit_code == 0
    done = call(*words).stdout
    assert "of the expected time rests 100% on rows of the same cell" in done
    assert "all 8 runs are in the store: nothing is left to train" in done
    assert "later stage" not in done
    more = json.loads(call(*words, "--seeds", "3", "--json").stdout)
    assert (more["study"], more["scale"], more["runs"], more["todo"]) == ("test/tiny", "smoke", 6, 2)
    assert more["later_stages"] == 1
    assert more["basis"]["cell"] == pytest.approx(1)
    assert len(trained) == 8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pareto/sparcity"], "unknown study 'pareto/sparcity'; did you mean 'pareto/sparsity'?"),
        (["test/tiny", "--scale", "lapto"], "unknown scale 'lapto'"),
        (["test/tiny", "--engine", "kernals"], "unknown engine 'kernals'"),
        (["test/tiny", "--seeds", "0"], "seeds must be at least 1, not 0"),
        (["test/tiny", "--store", "file"], "file is a file, not a store folder"),
    ],
)
def test_estimates_that_are_refused(folder, tiny_study, words, said):
    (folder / "file").write_text("mine")
    assert sentence(call("estimate", *words)).startswith(said)
