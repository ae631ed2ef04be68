import pytest

from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import check_path, printable


def test_control_characters_are_spelt_out_and_letters_of_any_language_stay():
    assert printable("a\x1b[31mb\x07\x9b\r\u202e\udcff") == r"a\x1b[31mb\x07\x9b\r\u202e\udcff"
    for plain in ("naïve Grüße 数据 — ✓", "two\nlines", "a\u00a0b"):
        assert printable(plain) == plain


def test_usual_paths_pass(tmp_path):
    for path in (tmp_path, "results/store", "C:/data", "a:b", "数据/ünï", "-", "", "a" * 255):
        check_path(path)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("s3://bucket/x", "s3://bucket/x is an address, not a folder"),
        ("s3:/bucket", "s3://bucket is an address"),
        ("file:///tmp", "an address"),
        ("a\0b", r"zero byte: a\\x00b"),
        ("caf\udce9", r"the name caf\\udce9 is not text in UTF-8"),
        ("a" * 256, "too long"),
        ("a/" * 3000, "too long"),
        ("数" * 100, "too long"),
    ],
)
def test_names_of_nothing_that_can_be_are_refused(path, said):
    with pytest.raises(GlasswareError, match=said) as caught:
        check_path(path)
    assert str(caught.value).isprintable()
