"""The machine code of the kernel for tables."""

from __future__ import annotations

from pathlib import Path

from glassware.engine.machine_code import MachineCode, inlined

_code = MachineCode("tables", Path(__file__).parent)
compiled, build = _code.compiled, _code.build

__all__ = ["build", "compiled", "inlined"]
