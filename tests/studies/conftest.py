from collections.abc import Callable

import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies import Study, train
from glassware.sweeps import Store


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """A rough interval will do where rows clearly hold or clearly fail; a test that needs a good one raises this."""
    monkeypatch.setattr(statistics, "RESAMPLES", 100)


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Study], tuple[Store, pl.DataFrame]]:
    """Store and rows of a study at smoke scale, each study trained once."""
    kept: dict[str, tuple[Store, pl.DataFrame]] = {}

    def get(study: Study) -> tuple[Store, pl.DataFrame]:
        if study.name not in kept:
            store = Store(tmp_path_factory.mktemp("store"))
            kept[study.name] = store, train(study, "smoke", store)
        return kept[study.name]

    return get
