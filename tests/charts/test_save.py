import json
import re
import struct
from pathlib import Path

import altair as alt
import pytest
import vl_convert

from glassware.charts import save, specification, success_curves
from glassware.charts import save as save_function
from glassware.charts.save import javascript, on_page
from glassware.charts.theme import CONFIG
from glassware.foundation.errors import GlasswareError
from tests.charts.made import cell, frontier


def chart(title: str = "Rates") -> alt.TopLevelMixin:
    return success_curves(frontier(), x="m", colour="width", row="init", title=title)


def test_png_and_page_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    paths = save(chart(), folder, "rates")
    assert paths == (folder / "rates.png", folder / "rates.html")
    assert sorted(path.name for path in folder.iterdir()) == ["rates.html", "rates.png"]
    png = paths[0].read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert width > 800
    assert height > 800
    assert len(png) > 30_000


def test_the_page_needs_no_network(tmp_path: Path) -> None:
    _, path = save(chart(), tmp_path, "rates")
    page = path.read_text(encoding="utf-8")
    head, script, body = re.fullmatch(r"(.*?<script>)(.*?)(</script>.*)", page, re.DOTALL).groups()  # type: ignore[union-attr]
    assert "vegaEmbed" in script
    assert len(script) > 500_000
    for part in (head, body):
        assert not re.search(r"\b(src|href)\s*=", part)
        assert "@import" not in part
    assert re.findall(r"https?://[^\"]*", body) == [specification(chart())["$schema"]]


def test_a_title_cannot_end_the_script(tmp_path: Path) -> None:
    _, path = save(chart("</script><b>&"), tmp_path, "rates")
    page = path.read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert "<title>&lt;/script&gt;&lt;b&gt;&amp;</title>" in page


def test_nothing_in_the_data_can_open_a_comment_or_a_script(tmp_path: Path) -> None:
    """After ``<!--<script>`` a browser takes the rest of the page for a comment, and shows none of it."""
    drawn = chart("<!--<script> & </SCRIPT >")
    _, path = save(drawn, tmp_path, "rates")
    embedded = path.read_text(encoding="utf-8").rpartition("<script>")[2].partition("</script>")[0]
    assert "<" not in embedded
    spec, _ = json.JSONDecoder().raw_decode(embedded, embedded.index("{"))
    assert spec == json.loads(json.dumps(on_page(specification(drawn))))


def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    for name in ("a" * 250, "caf\udce9"):
        with pytest.raises(GlasswareError, match="the name"):
            save(chart(), tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GlasswareError, match=r"cannot write the figure 'rates' into .*file"):
        save(chart(), tmp_path / "file", "rates")
    (tmp_path / "rates.png").mkdir()
    with pytest.raises(GlasswareError, match="cannot write the figure"):
        save(chart(), tmp_path, "rates")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "rates.png"]


def test_the_house_look_neither_changes_nor_heeds_the_users_settings() -> None:
    with alt.theme.enable("dark"):
        spec = specification(chart())
        assert alt.theme.active == "dark"
    assert spec == specification(chart())
    assert spec["config"]["background"] == CONFIG["background"] == "white"
    assert spec["config"]["axis"] == CONFIG["axis"]
    own = specification(chart().configure_axis(labelFontSize=30))  # type: ignore[attr-defined]
    assert own["config"]["axis"] == {**CONFIG["axis"], "labelFontSize": 30}


def test_charts_can_be_set_side_by_side(tmp_path: Path) -> None:
    pair = success_curves(cell(1, 2), x="m", colour="width", title="") | alt.Chart().mark_point()  # type: ignore[operator]
    assert save_function(pair, tmp_path, "pair")[0].stat().st_size > 5000


def test_the_script_is_bundled_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda **_: calls.append(1) or "let a = '</script>'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    try:
        for _ in range(2):
            javascript.cache_clear()
            assert javascript() == "let a = '<\\/script>'"
        assert len(calls) == 1
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # cannot be written
        javascript.cache_clear()
        assert javascript()
        assert len(calls) == 2
    finally:
        javascript.cache_clear()
