"""The examples in the docstrings of the public names are run as they stand."""

import doctest
import inspect

import pytest

import glassware

# What an example would not explain: exceptions, and packages with pages of their own.
WITHOUT = {"GlasswareError"}


def documented():
    """Public classes and functions by name."""
    found = {name: getattr(glassware, name) for name in dir(glassware)}
    return {name: one for name, one in found.items() if inspect.isclass(one) or inspect.isfunction(one)}


@pytest.fixture
def _registries():
    known = (glassware.TASKS, glassware.MODELS, glassware.PROBES, glassware.ACTIVATIONS, glassware.STUDIES)
    before = [dict(registry) for registry in known]
    yield
    for registry, kept in zip(known, before, strict=True):
        registry.clear()
        registry.update(kept)


@pytest.mark.usefixtures("_registries")
@pytest.mark.parametrize("name", sorted(documented()))
def test_an_example_says_the_truth(name, folder):
    text = inspect.getdoc(documented()[name])
    examples = doctest.DocTestParser().get_doctest(text, {"__name__": "example"}, name, None, None)
    assert examples.examples or name in WITHOUT, f"gw.{name} has no example"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    said = []
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(examples, out=said.append)
    assert not said, "".join(said)
