"""Claims in print: every verdict has its mark, notes stand beside it, and ours are counted apart."""

from glassware.printing.claims import claims_markdown, print_claims, tally
from glassware.printing.console import make_console
from glassware.studies import Judgement


def judged(claim, verdict, source="paper", note=""):
    return Judgement(
        study="test/tiny", scale="laptop", claim=claim, statement=f"It is said that {claim}", where="Section 1",
        threshold="≥ 50%", source=source, note=note, measured="50% [25%, 75%]", value=0.5, low=0.25, high=0.75,
        detail="1 of 2", verdict=verdict,
    )  # fmt: skip


SIX = [judged(str(i), "holds") for i in range(4)] + [judged("close", "too close to call", note="threshold chosen late")]


def test_the_tally_counts_the_paper_and_ours_apart():
    assert tally(SIX) == "4 of 5 claims of the paper hold, 1 is too close to call"
    ours = [judged("a", "holds", "ours"), judged("b", "fails", "ours"), judged("c", "fails", "ours")]
    assert tally([*SIX, *ours]).endswith("; 1 of 3 of ours hold, 2 fail")
    assert tally(ours[:2]) == "1 of 2 claims of ours hold, 1 fails"
    assert tally([judged("a", "not enough runs")]) == "0 of 1 claims of the paper hold, 1 lacks runs"


def test_too_close_to_call_has_its_own_mark_and_notes_are_shown(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    print_claims(make_console(), [*SIX, judged("us", "holds", "ours")])
    said = capsys.readouterr().out
    assert "≈ too close to call" in said
    assert "threshold chosen late" in said
    assert "4 of 5 claims of the paper hold, 1 is too close to call; 1 of 1 of ours hold" in said


def test_markdown_has_notes_and_marks_what_is_ours():
    lines = claims_markdown([SIX[-1], judged("us", "holds", "ours")]).splitlines()
    assert lines[2].endswith("| 50% [25%, 75%] (1 of 2) | **too close to call**; threshold chosen late |")
    assert "| Section 1 (ours) |" in lines[3]
