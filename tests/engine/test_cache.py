import os
import subprocess
import sys
import warnings

import jax
import pytest

from glassware.engine import cache
from glassware.engine.cache import cache_folder, keep_compiled

# Train in a new process: the findings, what was compiled and loaded, and what JAX's monitoring heard.
TRAIN = """
import sys, jax
heard = []
jax.monitoring.register_event_listener(lambda event, **_: heard.append(event))
from glassware.engine import cache, train
from tests.helpers import findings, tiny
cache.WORTH_KEEPING = 0.0
found = findings(train([tiny(seed=seed) for seed in range(4)], lanes=2))
hits = sum(event.endswith("compilation_cache/cache_hits") for event in heard)
print(hits, sorted(found.items()), file=sys.stdout)
"""


def environment(**changes):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "GLASSWARE_"))}
    return {**inherited, **{name: str(value) for name, value in changes.items()}}


def start(**changes):
    done = subprocess.run([sys.executable, "-c", TRAIN], env=environment(**changes), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    hits, findings = done.stdout.split(maxsplit=1)
    return int(hits), findings


@pytest.fixture
def untouched(monkeypatch):
    """JAX as it is without a cache, and put back afterwards; no variables set."""
    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")
    before = {name: getattr(jax.config, name) for name in names}
    jax.config.update(names[0], None)
    for name in (cache.VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with warnings.catch_warnings():
        yield monkeypatch
    for name, value in before.items():
        jax.config.update(name, value)


@pytest.mark.slow
def test_a_second_start_loads_what_the_first_compiled_and_finds_the_same(tmp_path):
    first = start(XDG_CACHE_HOME=tmp_path)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert first[0] == 0
    assert kept
    assert all(path.is_relative_to(tmp_path / "glassware" / "programs") for path in kept)
    again = start(XDG_CACHE_HOME=tmp_path)
    assert again[0] > 0
    assert again[1] == first[1]
    for path in kept:  # a process killed while it wrote, or a failing disk
        path.write_bytes(path.read_bytes()[:100])
    damaged = start(XDG_CACHE_HOME=tmp_path)
    assert damaged == (0, first[1])


def test_where_it_is(untouched, tmp_path):
    untouched.setenv("HOME", str(tmp_path))
    assert cache_folder().parent == tmp_path / ".cache/glassware/programs"
    untouched.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert cache_folder().parent == tmp_path / "mine/glassware/programs"
    untouched.setenv(cache.VARIABLE, str(tmp_path / "other"))
    assert keep_compiled() == cache_folder()
    assert jax.config.jax_compilation_cache_dir == str(cache_folder())
    assert cache_folder().parent == tmp_path / "other/programs"
    assert cache_folder().is_dir()


def test_another_processor_has_another_folder(untouched):
    here = cache_folder()
    untouched.setattr(cache.platform, "machine", lambda: "another")
    assert cache_folder() != here


@pytest.mark.parametrize("word", ["off", "OFF", "0"])
def test_it_can_be_switched_off(untouched, tmp_path, word):
    untouched.setenv("HOME", str(tmp_path))
    untouched.setenv(cache.VARIABLE, word)
    assert keep_compiled() is None
    assert jax.config.jax_compilation_cache_dir is None
    assert list(tmp_path.iterdir()) == []


def test_a_cache_of_the_users_own_is_left_alone(untouched, tmp_path):
    jax.config.update("jax_compilation_cache_dir", str(tmp_path / "own"))
    assert keep_compiled() is None
    assert jax.config.jax_compilation_cache_dir == str(tmp_path / "own")


def test_a_folder_that_cannot_be_written_is_no_error(untouched, tmp_path):
    (tmp_path / "file").write_text("mine")
    untouched.setenv(cache.VARIABLE, str(tmp_path / "file"))
    assert keep_compiled() is None
    untouched.setenv(cache.VARIABLE, str(tmp_path / "locked"))
    untouched.setattr(cache.os, "access", lambda *_: False)  # root may write anywhere
    assert keep_compiled() is None
    assert jax.config.jax_compilation_cache_dir is None


def test_the_oldest_programs_go(untouched, tmp_path):
    untouched.setenv(cache.VARIABLE, str(tmp_path))
    untouched.setattr(cache, "MOST_PROGRAMS", 3)
    folder = keep_compiled()
    for age in range(5):
        (folder / f"program-{age}").write_bytes(b"code")
        os.utime(folder / f"program-{age}", (1e9 - age, 1e9 - age))
    jax.config.update("jax_compilation_cache_dir", None)
    assert keep_compiled() == folder
    assert sorted(path.name for path in folder.iterdir()) == ["program-0", "program-1", "program-2"]
