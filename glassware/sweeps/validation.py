"""Runs from plain data: what TOML files, grids and the command line give."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from glassware.foundation.errors import SpecificationError
from glassware.foundation.explain import explain
from glassware.foundation.limits import check_depth
from glassware.training import Run


def build(data: Mapping[str, object]) -> Run:
    """A run from plain data, or an error that says in one sentence what is wrong with it."""
    check_depth({"run": data})  # before Pydantic, which can refuse a deep table but not say what it is
    try:
        return Run.model_validate(data)
    except ValidationError as error:
        raise SpecificationError(explain(error, Run)) from None
    except RecursionError:
        raise SpecificationError("the run is nested too deeply") from None
