import pytest

from glassware import statistics


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    """Verdicts rest on the measured value, not on its interval: a rough interval will do here."""
    monkeypatch.setattr(statistics, "RESAMPLES", 50)
