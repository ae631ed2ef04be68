import numpy as np
import polars as pl
import pytest

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor

SUPPORT = [17, 42, 88]


def planted(rows, seed):
    x = np.random.default_rng(seed).choice([-1.0, 1.0], size=(rows, 103))
    return x, x[:, SUPPORT].prod(axis=1) > 0


@pytest.fixture(scope="module")
def fitted():
    model = SparseMLPClassifier(
        512,
        learning_rate=3e-3,
        weight_decay=5.0,
        epochs=20,
        batch_size=64,
        n_ensemble=1,
        early_stopping=False,
        preset="patient",
        random_state=0,
    )
    return model.fit(*planted(10_000, 0))


def test_a_parity_among_a_hundred_noise_columns_is_learnt_and_named(fitted):
    x, y = planted(2000, 1)
    assert fitted.score(x, y) > 0.99
    importances = fitted.feature_importances_
    assert sorted(np.argsort(-importances)[:3]) == SUPPORT
    assert importances.sum() == pytest.approx(1)
    table = fitted.interactions(k=3, X=x, y=y)
    assert table.height == 10
    assert table["features"][0].to_list() == SUPPORT
    assert table["strength"][0] > 10 * table["strength"][1]
    assert table["score_drop"][0] == pytest.approx(0.5, abs=0.1)
    assert fitted.interactions(k=3, top=1)["features"][0].to_list() == SUPPORT  # the weights alone


def test_strength_is_that_of_the_product_and_not_of_sums():
    """y = x0 x1 + 2 x2: the pair (0, 1) has an interaction of standard deviation 1, every other pair none."""
    x = np.random.default_rng(0).choice([-1.0, 1.0], size=(500, 4))
    y = x[:, 0] * x[:, 1] + 2 * x[:, 2]
    frame = pl.DataFrame(x, schema=["a", "b", "c", "d"])
    model = SparseMLPRegressor(64, epochs=100, n_ensemble=1, learning_rate=0.01, random_state=0).fit(frame, y)
    table = model.interactions(k=2, X=frame, y=y)
    assert table["features"][0].to_list() == ["a", "b"]
    assert table["strength"][0] == pytest.approx(1.0, abs=0.15)
    assert table["strength"][1] < 0.2
    single = model.interactions(k=1, X=frame, top=1)
    assert single["features"][0].to_list() == ["c"]
    assert single["strength"][0] == pytest.approx(2.0, abs=0.2)


def test_bad_questions_get_a_sentence(fitted):
    with pytest.raises(ValueError, match="k must lie between 1 and 6, not 7"):
        fitted.interactions(k=7)
    with pytest.raises(ValueError, match="y needs X"):
        fitted.interactions(y=[1])
