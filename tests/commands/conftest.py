import shutil

import pytest

from glassware import studies
from tests.calls import SWEEP, call
from tests.tiny_study import STUDY


@pytest.fixture
def tiny_study(monkeypatch):
    monkeypatch.setitem(studies.STUDIES, STUDY.name, STUDY)


@pytest.fixture(scope="package")
def swept(tmp_path_factory):
    """A store with a finished sweep in it, trained once."""
    home = tmp_path_factory.mktemp("swept")
    (home / "good.toml").write_text(SWEEP)
    assert call("sweep", home / "good.toml", "--store", home / "store").exit_code == 0
    return home


@pytest.fixture
def full_store(swept, folder):
    """The finished sweep and its file in the working folder."""
    shutil.copytree(swept, folder, dirs_exist_ok=True)
    return folder / "store"
