"""What a page may ask for."""

import pytest

import glassware as gw
from glassware.foundation.errors import GlasswareError
from glassware.play.settings import MOST_WORK, PRESETS, SEEDS, Settings, read
from glassware.play.words import in_python, in_words


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_ten_runs_and_so_is_its_program(preset):
    program = in_python(preset.settings)
    made = {}
    exec(program.split("rows =")[0], made)
    seeds = eval(program.split('"seed": ')[1].split("}")[0])
    assert gw.grid(made["base"], {"seed": seeds}) == preset.settings.runs()
    assert [run.seed for run in preset.settings.runs()] == list(range(SEEDS))


def test_other_seeds_are_other_runs_and_nothing_else_is():
    one, other = (Settings(first=first, slow=first > 0) for first in (0, SEEDS))
    assert in_words(one) == in_words(other)
    assert not set(one.runs()) & set(other.runs())
    assert {run.cell() for run in (*one.runs(), *other.runs())} == {one.runs()[0].cell()}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"width": 1001}, "width must be less than or equal to 1000, not 1001"),
        ({"width": 0}, "width must be greater than or equal to 1, not 0"),
        ({"n": ""}, "n must be a valid integer, unable to parse string as an integer, not ''"),
        ({"n": 2, "k": 3}, "k must be at most n: k = 3, n = 2"),
        ({"n": 2, "k": 1, "init": "sparse"}, "n must be at least 3 where every neuron starts with two of the inputs"),
        ({"m": "many"}, "m must be a number of examples, or online, not 'many'"),
        ({"m": 10**7}, "m must be less than or equal to 1000000, not 10000000"),
        ({"lr": float("inf")}, "lr must be a finite number, not inf"),
        ({"init": "glorot"}, "init must be 'dense' or 'sparse', not 'glorot'"),
        ({"stesp": 9}, "unknown field 'stesp' of settings; did you mean 'steps'?"),
        ([1], "settings are names with values"),
    ],
)
def test_a_bad_value_is_one_sentence(given, said):
    with pytest.raises(GlasswareError) as refused:
        read(given)
    assert str(refused.value) == said


def test_what_would_take_minutes_is_refused():
    most = {"n": 100, "width": 1000, "steps": MOST_WORK // 100_000}
    assert read(most).steps == 10_000
    with pytest.raises(GlasswareError, match=r"would take minutes.* is 1,000,100,000"):
        read({**most, "steps": 10_001})
