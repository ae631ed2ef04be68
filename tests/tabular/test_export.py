"""An exported model, predicted from by the example, in a process that can import nothing but NumPy."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor
from tests.tabular.test_tables import PRICE, SMALL, polars_frame

EXAMPLE = Path(__file__).parents[2] / "examples" / "tabular" / "predict_exported.py"
ALONE = """
import runpy, sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("glassware", "jax", "sklearn", "scipy", "polars", "pandas", "numba"):
            raise ImportError(name)
sys.meta_path.insert(0, Nothing())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def predicted(folder, model, frame):
    model.export(folder / "model.npz")
    frame.write_csv(folder / "rows.csv")
    words = [sys.executable, "-I", "-c", ALONE, EXAMPLE, folder / "model.npz", folder / "rows.csv"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return np.array([[float(word) for word in line.split(",")] for line in done.stdout.splitlines()])


def test_numpy_alone_predicts_what_the_estimator_does(tmp_path):
    frame = polars_frame().with_columns(pl.col("flag").cast(pl.Int8))
    model = SparseMLPClassifier(**{**SMALL, "epochs": 3}).fit(frame, np.digitize(PRICE, [0.0, 2.0]))
    odd = frame[:60].with_columns(
        street=pl.when(pl.int_range(60) % 5 > 0).then("street").otherwise(pl.lit("nowhere")),
        age=pl.when(pl.int_range(60) % 2 > 0).then("age"),
        when=pl.when(pl.int_range(60) % 3 > 0).then("when"),
        town=pl.when(pl.int_range(60) % 4 > 0).then(pl.col("town").cast(pl.String)),
    )
    assert {type(view).__name__ for view in model.views_} == {"Scaling", "Cuts"}
    np.testing.assert_allclose(predicted(tmp_path, model, odd), model.predict_proba(odd), atol=1e-6)


@pytest.mark.parametrize("preset", ["patient", "paper"])
def test_the_other_presets_and_numbers(tmp_path, preset):
    frame = polars_frame().select("age", "rooms")
    model = SparseMLPRegressor(**{**SMALL, "preset": preset, "epochs": 3})
    model.fit(frame, np.column_stack([PRICE, 1e9 * PRICE]))
    np.testing.assert_allclose(predicted(tmp_path, model, frame), model.predict(frame), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", [SparseMLPClassifier, SparseMLPRegressor])
def test_what_screening_found(tmp_path, kind):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(400, 4)), rng.binomial(2, 0.5, (400, 4))])
    said = np.sign(X[:, 0] * X[:, 1]) + 2 * ((X[:, 4] == 1) == (X[:, 5] == 1))
    X[::9, 0] = X[::7, 5] = np.nan
    model = kind(n_ensemble=3, epochs=3, random_state=0).fit(X, said > 1 if kind is SparseMLPClassifier else said)
    assert {(0, 1), (4, 5)} <= {one.columns for one in model.found_sets_}
    assert {type(view).__name__ for view in model.views_} == {"Focused"}
    given = getattr(model, "predict_proba", model.predict)(X)
    found = predicted(tmp_path, model, pl.DataFrame(X, schema=[str(i) for i in range(8)]).fill_nan(None))
    np.testing.assert_allclose(np.squeeze(found), given, rtol=1e-5, atol=1e-5)


def test_a_place_that_cannot_be_written_gets_a_sentence(tmp_path):
    model = SparseMLPClassifier(**{**SMALL, "epochs": 1}).fit(PRICE[:, None], PRICE > 0)
    with pytest.raises(ValueError, match=r"cannot write .*model.npz: No such file or directory"):
        model.export(tmp_path / "absent" / "model.npz")
