import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassware.foundation.errors import GlasswareError
from glassware.sweeps import run_id
from glassware.sweeps.identity import spec_json
from glassware.sweeps.validation import build
from glassware.training import Run
from tests.helpers import TINY

FULL = {
    "task": {"name": "parity", "n": 20, "k": 3, "support": [1, 2, 3], "noise": 0.1},
    "m": 50,
    "sampling": "epochs",
    "model": {"name": "mlp", "width": [8]},
    "init": {
        "scheme": "sparse",
        "s": 2,
        "eps": 0.1,
        "seed": 3,
        "pairing": "tickets",
        "neurons": [0, 1, 2, 3, 4, 5, 6, 7],
        "parent_width": 9,
    },
    "start": {"run": "0123456789abcdef0123", "step": 30, "leaves": ["0.*"]},
    "loss": "square",
    "penalty": [{"name": "mixed-norm", "weight": 0.1, "inner": 2.0, "outer": 3.0, "power": 1.0}],
    "optimiser": {
        "name": "sgd",
        "lr": 0.1,
        "weight_decay": 0.01,
        "layer_rates": [1.0, 2.0],
        "momentum": 0.9,
        "schedule": {"name": "cosine", "steps": 60, "warm_up": 5, "floor": 0.1},
    },
    "batch": 8,
    "steps": 60,
    "evaluation": {
        "every": 10,
        "growth": 1.5,
        "test": 100,
        "train": 10,
        "metrics": ["hinge_loss"],
        "measure": "accuracy",
        "direction": "above",
        "success": 0.9,
        "stop": True,
    },
    "probes": ["weight_norms"],
    "keep": ["first", 30, "final"],
    "seed": 1,
    "pairing": "same data",
}

WORDS = st.sampled_from(["", "name", "parity", "adam", "adamw", "kaiming", "online", "n", "a\nb", "\u2028", "widht"])
NUMBERS = st.sampled_from([0, 1, -1, 2, 10, 2**31, 2**32, 2**64, 10**4000, 0.5, -0.0, 1e39, 1e300, 1e-300])
SCALARS = st.none() | st.booleans() | st.integers() | NUMBERS | st.floats() | WORDS | st.text(max_size=8)
KEYS = WORDS | st.text(max_size=8)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4))


def paths(data, prefix=()):
    for key, value in data.items():
        yield (*prefix, key)
        if isinstance(value, dict):
            yield from paths(value, (*prefix, key))


@st.composite
def specs(draw):
    """A whole specification in which some fields are replaced, taken away or added."""
    spec = copy.deepcopy(draw(st.sampled_from([FULL, TINY])))
    for _ in range(draw(st.integers(0, 4))):
        *parents, last = draw(st.sampled_from(sorted(paths(FULL))))
        holder = spec
        for parent in parents:
            holder = holder.get(parent)
            if not isinstance(holder, dict):
                break
        else:
            change = draw(st.sampled_from(["replace", "remove", "add"]))
            if change == "remove":
                holder.pop(last, None)
            else:
                holder[last if change == "replace" else draw(KEYS)] = draw(JSON)
    return spec


@given(specs() | st.dictionaries(KEYS, JSON, max_size=5))
def test_any_data_is_a_run_or_one_sentence(data):
    sentence, run = "", None
    try:
        run = build(data)
    except GlasswareError as error:
        sentence = str(error)
    if run is None:
        assert len(sentence.splitlines()) == 1
        return
    again = Run.model_validate_json(spec_json(run))
    assert again == run
    assert run_id(again) == run_id(run)
    assert hash(run.shape()) == hash(again.shape())
    if sum(run.model.widths) < 10_000:
        run.values()  # every number fits where it goes


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"stepz": 3}, "unknown field 'stepz' of run; did you mean 'steps'?"),
        ({"task": {"n": 20, "k": 3, "nois": 0.1}}, "unknown field 'nois' of task 'parity'; did you mean 'noise'?"),
        ({"model": {"widht": 8}}, "unknown field 'widht' of model 'mlp'; did you mean 'width'?"),
        (
            {"optimiser": {"name": "sgd", "lr": 0.1, "momentun": 1}},
            "unknown field 'momentun' of optimiser 'sgd'; did you mean",
        ),
        ({"optimiser": {"lr": 0.1}}, "optimiser needs a name"),
        (
            {"optimiser": {"name": "lion", "lr": 0.1}},
            "must be one of 'sgd', 'adam', 'adamw', not 'lion'",
        ),
        ({"optimiser": {"name": "adam"}}, "optimiser.lr is missing"),
        ({"task": {"k": 3}}, "task.n is missing"),
        ({"batch": 0}, "batch must be greater than or equal to 1, not 0"),
        ({"batch": "many"}, "batch must be a valid integer, unable to parse string as an integer, not 'many'"),
        ({"loss": "l1"}, "unknown loss 'l1'; known: hinge, square, logistic, correlation, cross-entropy"),
        ({"steps": 65}, "steps must be a multiple of evaluation.every = 10, not 65"),
        ({"steps": 2**31, "batch": 1}, "steps must be less than 2147483648"),
        ({"steps": 10**8, "batch": 100}, "steps x batch must stay below 2**32, not 100000000 x 100"),
        ({"sampling": "epochs"}, "sampling by epochs needs a fixed sample: give m"),
        ({"seed": 2**64}, "seed must be less than"),
        ({"seed": -1}, "seed must be greater than or equal to 0, not -1"),
        ({"optimiser": {"name": "sgd", "lr": 1e39}}, "optimiser.lr must be"),
        ({"optimiser": {"name": "adam", "lr": 0.1, "eps": 1e300}}, "optimiser.eps must be less than or equal to 1000"),
        ({"loss": "l" * 5000}, "unknown loss 'lll"),
        ({"l" * 5000: 1}, "... of run; valid: task"),
        ({"pairing": "half \ud83d"}, "pairing must be text in UTF-8, not 'half \\ud83d'"),
        ({"task": [[[]]] * 3}, "task must be"),
        ({"optimiser": {"name": "sgd", "lr": float("nan")}}, "optimiser.lr must be a finite number, not nan"),
        ({"optimiser": {"name": "sgd", "lr": 1, "layer_rates": [1]}}, "one entry for each of the 2 layers, not 1"),
    ],
)
def test_a_mistake_is_named_with_what_would_be_valid(change, sentence):
    with pytest.raises(GlasswareError) as caught:
        build({**TINY, **change})
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 700


def test_a_table_too_deep_to_be_written_is_refused():
    deep = 1
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(GlasswareError, match="nested more than 32 deep"):
        build({**TINY, "task": {"name": deep}})
