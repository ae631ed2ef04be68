import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassware.foundation.errors import GlasswareError
from glassware.sweeps import files, grid, parse_sweep, read_sweep
from glassware.training import Run
from tests.helpers import TINY

RUN = """
[run]
batch = 8
steps = 60
task = { n = 20, k = 3 }
model = { width = 8 }
evaluation = { every = 10, test = 100 }
"""


def test_the_example_in_the_documentation_is_a_sweep():
    example = "seeds" + files.__doc__.split("seeds", 1)[1]
    runs = parse_sweep(example)
    assert len(runs) == 8 * 3 * 2 * 2
    assert {(run.init.scheme, run.optimiser.lr) for run in runs} == {("dense", 0.1), ("sparse", 0.05)}


def test_a_file_says_what_the_grid_says(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        'seeds = 2\n[grid]\nm = [30, "online"]\n[grid.model]\nwidth = [8, 9]\n'
        "[[zip]]\nbatch = [4, 8]\nsteps = [20, 40]\n" + RUN
    )
    expected = grid(
        TINY, {"m": [30, None], "model.width": [8, 9]}, zips=[{"batch": [4, 8], "steps": [20, 40]}], seeds=2
    )
    assert read_sweep(path) == read_sweep(str(path)) == expected
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))  # as some editors write it
    assert read_sweep(path) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs a table \\[run\\]"),
        ("run = 3", "needs a table \\[run\\]"),
        ("[run", "not valid TOML"),
        ("seed = 3" + RUN, "unknown key 'seed' of a sweep file; did you mean 'seeds'"),
        ("seeds = 1.5" + RUN, "seeds must be a whole number, not 1.5"),
        ("seeds = true" + RUN, "seeds must be a whole number"),
        ("seeds = 0" + RUN, "seeds must be at least 1"),
        ("seeds = -4" + RUN, "seeds must be at least 1"),
        ("seeds = 4999999" + RUN, "seeds must be at most 1,000,000, not 4999999"),
        (
            "seeds = 1000000\ngrid = { m = [1, 2, 3] }" + RUN,
            "the grid has 3,000,000 runs, more than 2,000,000",
        ),
        ("grid." + "a." * 3000 + "b = [1]" + RUN, "nested more than 32 deep"),
        ("run." + "a." * 3000 + "b = 1", "nested more than 32 deep"),
        ("grid.'" + "a." * 3000 + "b' = [1]" + RUN, "nested more than 32 deep"),
        ("[[zip]]\n" + "a." * 3000 + "b = [1]" + RUN, "nested more than 32 deep"),
        ("grid = 3" + RUN, "grid must be a table"),
        ("zip = 3" + RUN, "write \\[\\[zip\\]\\]"),
        ("grid = { m = 3 }" + RUN, "axis 'm' must be a list of values, not 3"),
        ("grid = { m = [] }" + RUN, "axis 'm' has no values"),
        ("grid = { steps = [15] }" + RUN, "steps must be a multiple of evaluation.every = 10, not 15"),
        (RUN + "stepz = 3", "unknown field 'stepz' of evaluation|unknown field 'stepz'"),
        ("seeds = 0x" + "f" * 5000 + RUN, "seeds must be at most"),
        ("seeds = " + "9" * 5000 + RUN, "not valid TOML"),
        ("grid = { m = [0x" + "f" * 5000 + "] }" + RUN, "m must be"),
        ('"a\\nb" = 1' + RUN, "unknown key"),
        ('grid = { "a\\nb" = 1 }' + RUN, "must be a list"),
        ("x = " + "[" * 5000, "not valid TOML"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text, words):
    with pytest.raises(GlasswareError, match=words) as caught:
        parse_sweep(text)
    assert len(str(caught.value).splitlines()) == 1


def test_an_unreadable_file_is_named(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "bad.toml").write_text("seeds =")
    os.mkfifo(tmp_path / "pipe")  # nobody writes into it
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**25)
    for name, words in (
        ("pipe", "is not a file"),
        ("huge", "no sweep file has"),
        ("absent", "No such file"),
        ("binary", "UTF-8"),
        ("bad.toml", "TOML"),
        (".", "directory"),
    ):
        with pytest.raises(GlasswareError, match=words) as caught:
            read_sweep(tmp_path / name)
        assert str(tmp_path) in str(caught.value)


LINES = st.sampled_from(
    ["seeds = 2", "[run]", "[grid]", "[[zip]]", "[zip]", "[grid.model]", "[run.task]", "n = 20", "k = 3", "steps = 60",
     "task = { n = 20, k = 3 }", "model = { width = 8 }", "evaluation = { every = 10 }", "m = [1, 'online']",
     "'model.width' = [8, 9]", "'optimiser.lr' = [0.1]", "optimiser = { lr = 1 }", "init = { scheme = 'sparse' }",
     "'m.x' = [1]", "m = nan", "seed = -1", "'.' = [1]", "'' = [[]]", "run = 1979-05-27", "width = [[8, 9], 8]",
     "probes = ['x']", "loss = 'hinge\\n'", "\"a\\nb\" = 1", "model = [{}]", "lr = 1e999", "grid = {}"]
)  # fmt: skip


@given(st.lists(LINES | st.text(max_size=20), max_size=14).map("\n".join) | st.text(max_size=200))
def test_any_text_is_a_sweep_or_one_sentence(text):
    sentence, runs = None, []
    try:
        runs = parse_sweep(text)
    except GlasswareError as error:
        sentence = str(error)
    assert (len(sentence.splitlines()) == 1) if sentence is not None else runs
    assert all(isinstance(run, Run) for run in runs)
