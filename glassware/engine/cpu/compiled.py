"""The machine code of the CPU kernel."""

from __future__ import annotations

from pathlib import Path

from glassware.engine.machine_code import MachineCode

_code = MachineCode("kernel", Path(__file__).parent)
compiled, build = _code.compiled, _code.build
