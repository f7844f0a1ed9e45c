"""One match with all that is stored of it: its verdicts, and every call with who spoke for which text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_runs import Desk, ScriptedJudge, create, run
from small_run import applied, group, match, new, plan, write
from steered_runs import a_run, steered

from arena_tui import arun, load
from arena_tui.engine.actions import Action
from arena_tui.engine.roster import TRANSITIONS
from arena_tui.store import board_rows, facts
from arena_tui.store.match_rows import MatchRecord, TurnRecord
from arena_tui.store.reader import Reader

DEBATER: dict[str, Any] = {"kind": "llm", "model": "mock:panel"}


async def debates(db: Path, judge: dict[str, Any]) -> list[MatchRecord]:
    texts = [{"id": f"c{n}", "text": f"an idea, number {n}"} for n in range(4)]
    await arun(
        load({"candidates": texts, "format": "elo", "judge": judge, "limits": {"matches": 3}, "seed": 3}),
        db=db,
    )
    with Reader(db) as reader:
        found = [reader.match("main", seq) for seq in (1, 2, 3)]
    return [record for record in found if record is not None]


async def test_each_turn_of_a_debate_names_its_speaker_and_the_text_it_speaks_for(db: Path) -> None:
    records = await debates(db, {**DEBATER, "mode": "debate"})
    assert len(records) == 3
    for record in records:
        assert [turn.slot for turn in record.turns if not turn.failure] == [1, 2, 1, 2, None]
        advocates = {turn.slot: turn.speaker for turn in record.turns if turn.slot}
        assert all(name.startswith("advocate of ") for name in advocates.values())
        assert len(set(advocates.values())) == 2
        assert record.turns[-1].speaker == "judge"
        (said,) = record.said
        assert record.winner in ("a", "b", "draw")
        assert all(turn.text in said.reason for turn in record.turns[:4] if not turn.failure)


async def test_a_panels_turns_say_which_judge_they_belong_to_in_the_order_of_the_judges(db: Path) -> None:
    one_call = {"kind": "command", "command": ["python3", "-c", 'print(\'{"winner": "first"}\')']}
    members = [{**DEBATER, "debate_turns": 3}, one_call]
    for record in await debates(db, {"kind": "panel", "mode": "debate", "judges": members, "orders": "both"}):
        places = [(record.orders.index(turn.orientation), turn.member, turn.turn) for turn in record.turns]
        assert places == sorted(places)
        assert {turn.orientation for turn in record.turns} == {"ab", "ba"}
        for turn in record.turns:
            name = f"judge {turn.member + 1}"
            assert turn.speaker == name if turn.member else turn.speaker.startswith(f"{name}: ")


def test_a_planned_match_has_no_winner_and_what_was_stored_of_it_so_far(tmp_path: Path) -> None:
    path = new(tmp_path / "run.db", group())
    both = match(2, orders=("ba", "ab"), why="focus", round=3)
    write(
        path,
        plan(1, 1, match(1)),
        plan(2, 2, both),
        applied(3, 1, match(1), 1, "void"),
        lambda conn: facts.insert_reply(conn, 2, "ab", text="late", member=1, speaker="judge 2", model="m"),
        lambda conn: facts.insert_reply(
            conn, 2, "ba", text="", failure="timeout", usd=None, speaker="advocate of K", slot=2
        ),
        lambda conn: facts.insert_verdict(conn, 2, "ab", "first", 0.75, "since", ("K: too long",)),
        lambda conn: facts.insert_verdict(conn, 2, "ba", "draw"),
    )
    with Reader(path) as reader:
        void, planned, none = (reader.match("main", seq) for seq in (1, 2, 3))
    assert none is None
    assert void is not None
    assert (void.winner, void.applied_no, void.void_reason, void.turns) == ("void", 1, "not recorded", ())
    assert planned is not None
    assert (planned.winner, planned.applied_no, planned.why, planned.round) == (None, None, "focus", 3)
    assert [said.orientation for said in planned.said] == ["ba", "ab"]
    assert planned.said[1].flags == ("K: too long",)
    failed, late = planned.turns
    assert failed == TurnRecord(
        "ba", 0, 0, 0, 1, "advocate of K", 2, "", "timeout", "", "", 0, 0, 0, None, False, 0.0
    )
    assert (late.speaker, late.slot, late.model) == ("judge 2", None, "m")


@pytest.mark.parametrize("outcome", ["draw", "void"])
def test_a_match_is_exported_alone_as_it_is_among_all(db: Path, outcome: str) -> None:
    a_run(db)
    steered(
        db, Action("reject", ("c01",)), Action("overrule", ("2", outcome)), Action("overrule", ("3", "a"))
    )
    with Reader(db) as reader:
        for row in reader.matches():
            found = reader.exported_match("main", row["seq"])
            said = [each for each in reader.comparisons() if each["seq"] == row["seq"]]
            assert found == (row, said)
        assert reader.exported_match("main", 10_000) is None


def test_the_facts_of_actions_say_what_the_roster_says() -> None:
    assert {kind: set(table.values()) for kind, table in TRANSITIONS.items()} == {
        kind: {state} for kind, state in board_rows.BECOMES.items()
    }


def test_facts_of_a_span_of_positions_are_those_of_the_whole_cut_up(db: Path) -> None:
    create(db, 6, judge={"kind": "simulated", "mode": "pairwise"}, limits={"matches": 40})
    run(db, ScriptedJudge(desk=Desk()))
    with Reader(db) as reader:
        last = reader.last_pos()
        whole = reader.facts(board_rows.matches, 0, last)
        parts = [row for pos in range(0, last, 7) for row in reader.facts(board_rows.matches, pos, pos + 7)]
        assert parts == whole
        assert len(whole) == 40
        assert [board_rows.MatchFact(*row).seq for row in whole] == [row["seq"] for row in reader.matches()]


def test_flags_are_told_once_for_the_comparisons_since_the_last_look(tmp_path: Path) -> None:
    path = new(tmp_path / "run.db", group())
    write(
        path,
        *(plan(seq, seq, match(seq)) for seq in (1, 2, 3)),
        lambda conn: facts.insert_verdict(conn, 1, "ab", "first", flags=("c0: speaks to the judge", "odd")),
        lambda conn: facts.insert_verdict(conn, 2, "ab", "first"),
        lambda conn: facts.insert_verdict(
            conn, 3, "ab", "first", flags=("c0: speaks to the judge", "c1: x: y")
        ),
    )
    with Reader(path) as reader:
        first = board_rows.FlagFact("main", "c0", "speaks to the judge")
        found, last = reader.facts(board_rows.flags, 0)
        assert found == [first, board_rows.FlagFact("main", "c1: x", "y")]
        assert last == 3
        assert reader.facts(board_rows.flags, 2)[0] == found
        assert reader.facts(board_rows.flags, last) == ([], 3)
