"""Examples in the docstrings of the package say the truth."""

import doctest
import importlib
import pkgutil

import pytest

from glassware.theory import variable_creation


@pytest.mark.parametrize("name", [found.name for found in pkgutil.iter_modules(variable_creation.__path__)])
def test_examples(name):
    assert not doctest.testmod(importlib.import_module(f"{variable_creation.__name__}.{name}")).failed
