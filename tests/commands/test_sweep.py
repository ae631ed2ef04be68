import re
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassware.sweeps import Forecast, Plan, Store, make_plan, read_sweep
from tests.calls import GLASSWARE, SWEEP, call, sentence, snapshot


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
    again = call("sweep", "good.toml", "--csv", "rows.csv").stdout
    assert "4 runs: 4 done before, 0 to train" in again
    assert "rows in rows.csv" in again
    assert len((folder / "rows.csv").read_text().splitlines()) == 5


def test_a_long_axis_is_cut_in_the_summary(folder):
    (folder / "long.toml").write_text(SWEEP.replace('[30, "online"]', str(list(range(10, 30)))))
    assert "and 8 more" in call("sweep", "long.toml", "--lanes", 4).stdout


def test_ctrl_c_keeps_what_is_finished(folder):
    sweep = folder / "long.toml"
    sweep.write_text(SWEEP.replace("seeds = 2", "seeds = 2000").replace("steps = 60", "steps = 600"))
    words = ["sweep", "long.toml", "--store", "store", "--lanes", "4"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*GLASSWARE, *words], cwd=folder, **pipes)
    deadline = time.monotonic() + 150  # on a crowded machine a program starts slowly
    while not list(folder.glob("store/parts/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    kept = make_plan(read_sweep(sweep), Store(folder / "store")).finished
    assert 0 < kept < 4000
    assert err == f"stopped: {kept:,} runs kept in store; run the same command to go on\n"
    assert f"trained {kept:,} of 4,000 runs" in out


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


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("k = 3", "k = 30", "bad.toml: k must be at most n: k = 30, n = 20"),
        ("width = 8", "width = -8", "bad.toml: model.width must be greater than or equal to 1, not -8"),
        ('[30, "online"]', "[30, 0]", "bad.toml: m must be greater than or equal to 1, not 0"),
        ("batch = 8", "optimiser = { name = 'sgd', lr = nan }", "bad.toml: optimiser.lr must be a finite number"),
        ("width = 8", "wdith = 8", "bad.toml: unknown field 'wdith' of model 'mlp'; did you mean 'width'?"),
        ("batch = 8", "bacth = 8", "bad.toml: unknown field 'bacth' of run; did you mean 'batch'?"),
        ("[grid]", "[gird]", "bad.toml: unknown key 'gird' of a sweep file; did you mean 'grid'?"),
        ("seeds = 2", "seeds = ", "bad.toml: not valid TOML: "),
        ("seeds = 2", "seeds = -2", "bad.toml: seeds must be at least 1, not -2"),
    ],
)  # fmt: skip
def test_bad_sweeps_leave_the_store_alone(full_store, folder, trained, old, new, said):
    assert old in SWEEP
    (folder / "bad.toml").write_text(SWEEP.replace(old, new))
    before = snapshot(folder)
    assert sentence(call("sweep", "bad.toml", "--store", "store")).startswith(said)
    assert sentence(call("sweep", "bad.toml", "--store", "other")).startswith(said)
    assert (trained, snapshot(folder)) == ([], before)


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
