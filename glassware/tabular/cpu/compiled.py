"""The machine code of the kernel for tables."""

from __future__ import annotations

from pathlib import Path

from glassware.engine.machine_code import MachineCode, inlined

_code = MachineCode("tables", Path(__file__).parent)
compiled, forget = _code.compiled, _code.forget

__all__ = ["compiled", "forget", "inlined"]
