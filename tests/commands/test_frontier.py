import re

from glassware.sweeps import Store
from tests.calls import SWEEP, call, sentence

GRID = SWEEP.replace("seeds = 2", "seeds = 4").replace('[30, "online"]', '[30, 60, "online"]\nmodel.width = [4, 8]')


def test_a_search_what_it_prints_and_draws(folder):
    (folder / "grid.toml").write_text(GRID)
    result = call("frontier", "grid.toml", "--precision", 2, "--work", 1)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "round 1, " in result.stdout
    assert re.search(r"model\.width +m at 50% +95% interval +runs +state", result.stdout)
    assert re.search(r"m +model\.width at 50% +95% interval", result.stdout)
    assert re.search(r"\d+ runs; of 6 cells \d+ measured", result.stdout)
    assert 0 < len(Store("results/store").ids()) <= 24
    assert (folder / "results/figures/frontier-grid.png").stat().st_size > 10_000
    page = (folder / "results/figures/frontier-grid.html").read_text()
    assert "n = 20, k = 3, dense" in page


def test_an_estimate_trains_nothing(folder):
    (folder / "grid.toml").write_text(GRID)
    result = call("frontier", "grid.toml", "--estimate", "--work", 0.5)
    assert result.exit_code == 0, result.stderr
    assert re.search(r"at most 24 runs, and about \d+:\d\d of training", result.stdout)
    assert not (folder / "results").exists()


def test_axes_that_are_none_are_refused(folder):
    (folder / "grid.toml").write_text(GRID)
    assert sentence(call("frontier", "grid.toml", "--axes", "m")) == "a frontier has two axes, as m,model.width, not m"
    assert not (folder / "results").exists()
