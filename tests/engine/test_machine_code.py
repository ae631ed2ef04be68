"""Kept machine code that cannot be loaded is thrown away and made again."""

import pytest

from glassware.engine.machine_code import MachineCode


@pytest.fixture
def code(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSWARE_CACHE", str(tmp_path))
    made = MachineCode("test", tmp_path)
    made.folder.mkdir(parents=True)
    (made.folder / "function.nbc").write_bytes(b"half writ")
    return made


def test_what_is_damaged_is_made_again(code):
    def make():
        if code.folder.exists():
            raise EOFError("ran out of input")
        return "compiled"

    assert code.build(make) == "compiled"


def test_what_works_is_kept(code):
    assert code.build(lambda: "loaded") == "loaded"
    assert code.folder.exists()


def test_what_fails_twice_is_an_error(code):
    calls = []
    with pytest.raises(ZeroDivisionError):
        code.build(lambda: calls.append(1) or 1 / 0)
    assert len(calls) == 2
