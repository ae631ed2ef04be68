"""One JAX start and one compilation cache for the whole session; hypothesis without a clock."""

import importlib
import os
import shutil
import tempfile

import pytest
from hypothesis import settings

from tests.shapes import check_axes

check_axes()

# Workers and the subprocesses of the kill tests inherit the environment, so a shape is compiled once a session.
OWNS_CACHE = "JAX_COMPILATION_CACHE_DIR" not in os.environ
if OWNS_CACHE:
    os.environ["JAX_COMPILATION_CACHE_DIR"] = tempfile.mkdtemp(prefix="glassware-tests-")
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "0"

# Two workers on two cores: threads of BLAS that wait for one another cost minutes on matrices as small as ours.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# Tests compile far more than they train: a fifth of the suite would be LLVM at work on programs that run for a moment.
# XLA's own passes stay on. `make gpu` compiles as users do.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, max_examples=5000)  # look for new ones: --hypothesis-profile=search
settings.load_profile("suite")


def pytest_unconfigure(config: pytest.Config) -> None:
    if OWNS_CACHE:
        shutil.rmtree(os.environ["JAX_COMPILATION_CACHE_DIR"], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _start_jax() -> None:
    from glassware.engine import devices

    devices()  # a test that touches JAX first would leave it one device


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trained(monkeypatch):
    """Runs handed to the engine, in order."""
    from glassware.engine import train

    seen = []

    def watched(runs, **options):
        runs = list(runs)
        seen.extend(runs)
        return train(runs, **options)

    monkeypatch.setattr(importlib.import_module("glassware.sweeps.sweep"), "train", watched)
    return seen
