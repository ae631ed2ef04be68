import io

import pytest

from glassware.commands.options import end_with
from glassware.printing.console import Screen, make_table
from glassware.progress import Progress


def screen():
    return Screen(file=io.StringIO(), highlight=False, markup=False, emoji=False, width=100)


def test_names_do_not_steer_the_terminal():
    console, table = screen(), make_table("b\x1b[2J", left=["a"])
    table.add_row("x\x1b[31m", "y\u202e")
    console.print("figure \x1b]0;title\x07.png", soft_wrap=True)
    console.print(table)
    said = console.file.getvalue()
    assert r"figure \x1b]0;title\x07.png" in said
    assert all(text in said for text in (r"x\x1b[31m", r"y\u202e", r"b\x1b[2J"))
    assert not set("\x1b\x07\u202e") & set(said)


def test_a_passing_line_may_look_like_markup():
    console = screen()
    with console.status("reading [/x]") as status:
        status.update("reading [/y] \x1b[2J")
        assert str(status.status) == r"reading [/y] \x1b[2J"


def test_progress_and_failures_spell_them_out(capsys):
    console = screen()
    Progress(console, title="a\x1b[31m").on_message("b\x9b")
    assert console.file.getvalue().split() == [r"a\x1b[31m", r"b\x9b"]
    with pytest.raises(Exception, match="1"):
        end_with(["c\x1b[31m"])
    assert capsys.readouterr().err.startswith(r"glassware: c\x1b[31m (set")
