"""Recorded verdicts: which line answers which question, also after a resume; bad files refused whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena_tui import settings
from arena_tui.candidate import Candidate, Group
from arena_tui.errors import FileProblems
from arena_tui.judging.base import FREE, Question, Verdict
from arena_tui.judging.desk import MemoryDesk, judge_alone
from arena_tui.judging.recorded import NOT_RECORDED, PROBLEMS_SHOWN, RecordedJudge


def question(first: str, second: str, seq: int = 1, group: str = "main", **changes: Any) -> Question:
    one, two = Candidate(first, first, group=group), Candidate(second, second, group=group)
    return Question(group, seq, changes.pop("orientation", "ab"), "pairwise", one, two, **changes)


def judge_of(folder: Path, *rows: Mapping[str, Any], **chosen: Any) -> RecordedJudge:
    (folder / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return RecordedJudge(settings.RecordedJudge(file="votes.jsonl", **chosen), folder)


async def answer(judge: RecordedJudge, asked: Question) -> Verdict:
    return (await judge_alone(judge, asked))[0]


async def told(judge: RecordedJudge, asked: Question) -> Verdict:
    judge.planned(asked)
    return await answer(judge, asked)


async def test_a_was_shown_first(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        {"a": "x", "b": "y", "winner": "a", "p_a": 0.75, "rationale": "clearer"},
        {"a": "y", "b": "x", "winner": "b"},
        {"a": "x", "b": "z", "winner": "draw"},
        {"a": "z", "b": "x", "winner": "invalid", "rationale": "timed out", "p_a": 0.5},
    )
    assert await told(judge, question("x", "y")) == Verdict("first", 0.75, "clearer")
    assert await told(judge, question("y", "x")) == Verdict("second")
    assert await told(judge, question("x", "z")) == Verdict("draw")
    assert await told(judge, question("z", "x")) == Verdict("invalid", None, "timed out")


async def test_pair_without_a_line_is_invalid_with_the_reason(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, {"a": "x", "b": "y", "winner": "a"})
    assert await told(judge, question("y", "x")) == Verdict("invalid", reason=NOT_RECORDED)
    assert await told(judge, question("x", "q")) == Verdict("invalid", reason=NOT_RECORDED)


async def test_symmetric_swaps_the_other_order_but_prefers_its_own(tmp_path: Path) -> None:
    rows = (
        {"a": "x", "b": "y", "winner": "a", "p_a": 0.75, "rationale": "why"},
        {"a": "x", "b": "z", "winner": "a"},
        {"a": "z", "b": "x", "winner": "a"},
    )
    judge = judge_of(tmp_path, *rows, symmetric=True)
    assert await told(judge, question("y", "x")) == Verdict("second", 0.25, "why")
    assert await told(judge, question("z", "x")) == Verdict("first")
    assert await told(judge, question("x", "z", 2)) == Verdict("first")


async def test_kth_comparison_in_plan_order_gets_the_kth_line_and_starts_over(tmp_path: Path) -> None:
    said = ["a", "b", "draw"]
    judge = judge_of(tmp_path, *({"a": "x", "b": "y", "winner": winner} for winner in said))
    plan = [question("x", "y", seq) for seq in range(1, 8)]
    for asked in plan:
        judge.planned(asked)
    late_first = [(await answer(judge, asked)).winner for asked in reversed(plan)]
    assert late_first[::-1] == ["first", "second", "draw", "first", "second", "draw", "first"]


async def test_both_orders_of_one_match_are_counted_apart(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        {"a": "x", "b": "y", "winner": "a"},
        {"a": "y", "b": "x", "winner": "a"},
        {"a": "x", "b": "y", "winner": "b"},
        {"a": "y", "b": "x", "winner": "draw"},
    )
    plan = [
        question(*pair, seq, orientation=orientation)
        for seq in (1, 2)
        for orientation, pair in (("ab", ("x", "y")), ("ba", ("y", "x")))
    ]
    for asked in plan:
        judge.planned(asked)
    assert [(await answer(judge, q)).winner for q in plan] == ["first", "first", "second", "draw"]


async def test_resumed_run_hears_the_same_lines(tmp_path: Path) -> None:
    """After a resume all plans are told again in order; only the unanswered ones are asked."""
    rows = [{"a": "x", "b": "y", "winner": winner} for winner in ("a", "b", "draw", "invalid")]
    plan = [question("x", "y", seq) for seq in range(1, 10)]
    unbroken, resumed = judge_of(tmp_path, *rows), judge_of(tmp_path, *rows)
    expected = [await told(unbroken, asked) for asked in plan]
    for asked in plan[:6]:
        resumed.planned(asked)
    assert [await answer(resumed, asked) for asked in plan[4:6]] == expected[4:6]
    assert [await told(resumed, asked) for asked in plan[6:]] == expected[6:]


async def test_question_asked_twice_before_it_is_read_gets_the_same_line(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, {"a": "x", "b": "y", "winner": "a"}, {"a": "x", "b": "y", "winner": "b"})
    first, second = question("x", "y", 1), question("x", "y", 2)
    judge.planned(first)
    judge.planned(second)
    await judge.ask(second, MemoryDesk())
    assert (await answer(judge, second)).winner == "second"
    assert (await answer(judge, first)).winner == "first"


async def test_nothing_is_kept_of_what_was_read(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        {"a": "x", "b": "y", "winner": "a"},
        {"a": "x", "b": "y", "winner": "b"},
        {"a": "x", "b": "z", "winner": "b"},
    )
    for seq in range(1, 50, 2):
        await told(judge, question("x", "y", seq))
        judge.planned(question("x", "z", seq + 1))
    assert not judge._planned


async def test_unplanned_question_with_a_choice_of_lines_is_no_guess(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, {"a": "x", "b": "y", "winner": "a"}, {"a": "x", "b": "y", "winner": "b"})
    verdict = await answer(judge, question("x", "y"))
    assert verdict == Verdict("invalid", reason="asked without having been planned")


async def test_group_of_a_line_binds_and_its_absence_does_not(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        {"a": "x", "b": "y", "winner": "a"},
        {"a": "x", "b": "y", "winner": "b", "group": "g1"},
        {"a": "x", "b": "z", "winner": "b", "group": "g1"},
    )
    assert [(await told(judge, question("x", "y", seq, "g1"))).winner for seq in (1, 2)] == [
        "first",
        "second",
    ]
    assert (await told(judge, question("x", "y", 1, "g2"))).winner == "first"
    assert (await told(judge, question("x", "z", 2, "g2"))).reason == NOT_RECORDED


async def test_draw_is_unusable_when_draws_are_off(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, {"a": "x", "b": "y", "winner": "draw"}, draws=False)
    verdict = await told(judge, question("x", "y"))
    assert verdict.winner == "invalid"
    assert "judge.draws" in verdict.reason


async def test_costs_nothing_and_keeps_no_reply(tmp_path: Path) -> None:
    judge = judge_of(tmp_path)
    assert judge.worst_case(question("x", "y")) == FREE
    assert judge.keeps_replies is False
    assert judge.label == "recorded: votes.jsonl"
    await judge.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"not json", "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "not an object"),
        (b'{"a": "x", "winner": "a"}', '"b" must be the id'),
        (b'{"a": 3, "b": "y", "winner": "a"}', '"a" must be the id'),
        (b'{"a": "x", "b": "x", "winner": "a"}', "same candidate"),
        (b'{"a": "x", "b": "y"}', '"winner" must be'),
        (b'{"a": "x", "b": "y", "winner": "x"}', '"winner" must be'),
        (b'{"a": "x", "b": "y", "winner": "drew"}', "not 'drew'; did you mean draw?"),
        (b'{"a": "x", "b": "y", "winner": ["a"]}', '"winner" must be'),
        (b'{"a": "x", "b": "y", "winner": "a", "p_a": 1.5}', '"p_a" must be'),
        (b'{"a": "x", "b": "y", "winner": "a", "p_a": true}', '"p_a" must be'),
        (b'{"a": "x", "b": "y", "winner": "a", "p_a": 1e999}', '"p_a" must be'),
        (b'{"a": "x", "b": "y", "winner": "a", "p_a": NaN}', "NaN is no finite number"),
        (b'{"a": "x", "b": "y", "winner": "a", "group": 4}', '"group" must be text'),
        (b'{"a": "x", "b": "y", "winner": "a", "rationale": {}}', '"rationale" must be text'),
        (b'{"a": "x", "b": "y", "winner": "a", "winner": "b"}', "given twice"),
        (b'{"a": "\xff", "b": "y", "winner": "a"}', "not UTF-8"),
    ],
)
def test_bad_line_is_refused_with_its_place(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "x", "b": "y", "winner": "a"}\n\n' + line + b"\n")
    with pytest.raises(FileProblems) as caught:
        RecordedJudge(settings.RecordedJudge(file="votes.jsonl"), tmp_path)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == (str(path), 3)
    assert said in problem.message


def test_all_faults_are_told_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "votes.jsonl").write_text("junk\n" * 3)
    with pytest.raises(FileProblems) as caught:
        RecordedJudge(settings.RecordedJudge(file="votes.jsonl"), tmp_path)
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]
    (tmp_path / "votes.jsonl").write_text("junk\n" * 1000)
    with pytest.raises(FileProblems) as caught:
        RecordedJudge(settings.RecordedJudge(file="votes.jsonl"), tmp_path)
    assert len(caught.value.problems) == PROBLEMS_SHOWN + 1


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_unreadable_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileProblems, match="cannot read the recorded verdicts"):
        RecordedJudge(settings.RecordedJudge(file=name), tmp_path)


def test_votes_must_fit_two_candidates_that_can_meet(tmp_path: Path) -> None:
    def of(*ids: str, group: str = "main") -> Group:
        return Group(group, tuple(Candidate(id_, f"text {id_}", group=group) for id_ in ids))

    of_one_group = {"a": "p", "b": "q", "group": "g", "winner": "b"}
    judge = judge_of(tmp_path, {"a": "x", "b": "y", "winner": "a"}, of_one_group)
    judge.refuse_strangers([of("x", "y", "z")])
    judge.refuse_strangers([of("p", "q"), of("p", "q", group="g")])
    for pool in ([of("x", "z"), of("y", "z", group="g")], [of("p", "q")]):
        with pytest.raises(
            FileProblems, match=r"no recorded verdict is on two .* \(it compares 'x' and 'y', say\)"
        ):
            judge.refuse_strangers(pool)
    with pytest.raises(FileProblems, match="it is empty"):
        judge_of(tmp_path).refuse_strangers([of("x", "y")])
