"""What the writer of an overview is shown, and how what it wrote is checked and told."""

from __future__ import annotations

from typing import Any

from arena_tui.overview_cases import MATCHES_EACH, REASON_CHARS, cases_of
from arena_tui.report.overview_text import citations, marked, overview_lines, overview_notes
from arena_tui.report.result import StandingRow


def standing(rank: int, id_: str, **more: Any) -> StandingRow:
    return StandingRow(rank, id_, 1300.0 - rank, matches=5, **more)


def match(
    seq: int, a: str, b: str, winner: str = "a", rationale: str = "because", **more: Any
) -> dict[str, Any]:
    row = {"group": "main", "seq": seq, "hyp_a": a, "hyp_b": b, "winner": winner, "overruled_by": None}
    return row | {"rationale": rationale} | more


def test_best_are_those_that_play_and_have_played() -> None:
    rows = [
        standing(1, "a", state="rejected"), standing(2, "b", state="pinned"),
        standing(2, "twin", twin_of="b"), StandingRow(3, "never", 1200.0), standing(4, "c"), standing(5, "d"),
    ]  # fmt: skip
    (case,) = cases_of(rows, [match(1, "b", "c")], 2)
    assert [row.id for row in case.best] == ["b", "c"]
    assert case.labels == {"b": "1", "c": "2"}


def test_only_decided_matches_with_reasons_of_the_best_are_shown() -> None:
    rows = [standing(n, id_) for n, id_ in enumerate("abcd", 1)]
    matches = [
        match(1, "a", "b", "draw"), match(2, "a", "b", "void"), match(3, "c", "d"), match(4, "a", "c", "b"),
        match(5, "a", "d", overruled_by=1), match(6, "b", "c", rationale=" "), match(7, "d", "b"),
        match(8, "x", "y", group="other"),
    ]  # fmt: skip
    (case,) = cases_of(rows, matches, 2)
    assert [(e.number, e.winner, e.loser) for e in case.exhibits] == [(4, "c", "a"), (7, "d", "b")]
    assert case.played == {1, 2, 3, 4, 5, 6, 7}
    assert cases_of(rows, [match(1, "a", "b", "draw")], 2) == []


def test_matches_among_the_best_come_first_then_the_highest_in_rank() -> None:
    rows = [standing(n, f"e{n}") for n in range(1, 40)]
    matches = [match(n, "e1", f"e{n}") for n in range(30, 2, -1)] + [match(99, "e2", "e1", "b")]
    (case,) = cases_of(rows, matches, 1)
    assert len(case.given) == MATCHES_EACH
    assert sorted(case.given) == case.given == [3, 4, 5, 6, 7, 8, 9, 99]
    (case,) = cases_of(rows, matches, 2)
    assert 99 in case.given


def test_long_reasons_keep_their_end() -> None:
    rows = [standing(1, "a"), standing(2, "b")]
    (case,) = cases_of(rows, [match(1, "a", "b", rationale="x" * 9000 + "so a wins")], 1)
    reason = case.exhibits[0].reason
    assert reason.startswith("[...] ")
    assert reason.endswith("so a wins")
    assert len(reason) <= REASON_CHARS + 6


def test_citations_are_checked_and_bad_ones_marked() -> None:
    text = "It won #3 (match 5), lost Match #7 and matches 9. &#39; a#4 color #fff, number #12345."
    cited = citations(text, given=[3, 5], played=range(1, 8))
    assert cited == {
        3: "given", 5: "given", 7: "not given", 9: "no such match", 12345: "no such match",
    }  # fmt: skip
    assert marked(text, cited) == (
        "It won #3 (match 5), lost Match #7 [a match that was not shown to the writer] and matches 9 "
        "[there is no such match]. &#39; a#4 color #fff, number #12345 [there is no such match]."
    )


def test_an_overview_is_disarmed_and_a_simulated_one_says_so() -> None:
    overview = {
        "model": "mock:x", "simulated": True, "after_matches": 5, "notes": {"g2": "no \x1b[2Jroom"},
        "groups": {
            "g\x1b[31m1": {
                "text": "It \x1b[2Jwon #1.\r\n", "citations": {"1": "given"},
                "candidates": {"1": {"id": "a", "title": "T\x07"}, "2": {"id": "b", "title": ""}},
            }
        },
    }  # fmt: skip
    lines = list(overview_lines(overview))
    assert lines == ["overview (SIMULATED)", "  text 1: T (a)", "  text 2: b", "", "It won #1.", ""]
    assert list(overview_notes(overview, 9)) == [
        "the overview of g2 is missing or not whole: no room",
        "the overview was written after 5 of these 9 matches",
    ]
    assert list(overview_lines(None)) == list(overview_notes(None, 9)) == []
