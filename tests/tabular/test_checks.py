"""scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor

SMALL = {
    "hidden_layer_sizes": 32,
    "epochs": 40,
    "n_ensemble": 1,
    "learning_rate": 0.02,
    "batch_size": 32,
    "guided": False,
    "early_stopping": False,  # half the programs to compile: no second try
}
STOCHASTIC = "rows are dealt to minibatches by their number, and a repeated row is dealt twice"
EXPLAINED = {
    "check_sample_weight_equivalence_on_dense_data": STOCHASTIC,
    "check_sample_weight_equivalence_on_sparse_data": STOCHASTIC,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        SparseMLPClassifier(**SMALL),
        SparseMLPRegressor(**SMALL),
        SparseMLPClassifier(missing="refuse", **SMALL),
    ],
    expected_failed_checks=lambda estimator: EXPLAINED,
)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)
