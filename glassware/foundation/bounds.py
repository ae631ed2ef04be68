"""Kinds of numbers that specifications hold, bounded so that float32 holds them too: no zero, no infinity, no one."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

Real: TypeAlias = Annotated[float, Field(ge=-1e30, le=1e30)]
Positive: TypeAlias = Annotated[float, Field(ge=1e-30, le=1e30)]
NotNegative: TypeAlias = Annotated[float, Field(ge=0, le=1e30)]
Fraction: TypeAlias = Annotated[float, Field(ge=0, le=0.9999999)]  # closer to 1, float32 would round it to 1
