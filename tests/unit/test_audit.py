"""A judge on pairs with a known better text: files read strictly, figures exact, limits kept."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena_tui import auditing
from arena_tui.errors import FileProblems, JudgeError, UsageError
from arena_tui.gold_pairs import GoldPair, conditions, read_gold, read_replies
from arena_tui.judging.base import FREE, Desk, Question, Reply, Usage, Verdict
from arena_tui.judging.verdict import parse_verdict
from arena_tui.ratings.proportions import wilson_interval
from arena_tui.report.audit_report import DISBELIEF, Judged, audit_lines, audit_report
from arena_tui.settings import Limits

LLMBAR = Path(__file__).parents[3] / "shared" / "data" / "llmbar"
needs_shared = pytest.mark.skipif(not LLMBAR.is_dir(), reason="the shared data is not beside this checkout")


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def pair(id_: Any = "p1", gold: Any = "first", **more: Any) -> dict[str, Any]:
    return {"id": id_, "first": "one text", "second": "another", "gold": gold, **more}


# Files.


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("first", "first"), (1, "first"), ("1", "first"), ("a", "first"), ("A", "first"), (" First", "first"),
        ("second", "second"), (2, "second"), ("b", "second"),
        ("draw", "draw"), ("tie", "draw"), ("equal", "draw"),
    ],
)  # fmt: skip
def test_gold_labels_are_understood(tmp_path: Path, written: Any, meant: str) -> None:
    (found,) = read_gold(write(tmp_path / "g.jsonl", pair(gold=written)))
    assert found == GoldPair("p1", "one text", "another", meant)  # type: ignore[arg-type]


def test_pairs_keep_their_order_task_prompt_and_texts(tmp_path: Path) -> None:
    rows = [pair(7, source="x"), "", pair("p2", 2, task="Which is shorter?", prompt="Say hello.\n")]
    found = read_gold(write(tmp_path / "g.jsonl", *rows))
    assert [p.id for p in found] == ["7", "p2"]
    assert found[1] == GoldPair("p2", "one text", "another", "second", "Which is shorter?", "Say hello.\n")


BAD_PAIRS = [
    ("{", "not valid JSON"),
    ("[1]", "not an object"),
    ('{"id": "p", "id": "q"}', "the key 'id' is given twice"),
    (pair(gold=3), '"gold" must be'),
    (pair(gold=True), '"gold" must be'),
    (pair(gold=None), '"gold" must be'),
    (pair(gold=["first"]), '"gold" must be'),
    (pair(first=""), '"first" must be a text'),
    (pair(second=["x"]), '"second" must be a text'),
    (pair(id_=None), '"id" must be'),
    (pair(id_=True), '"id" must be'),
    (pair(task=5), '"task" must be text'),
    ({"id": "p", "first": "x", "gold": 1}, '"second" must be a text'),
]


@pytest.mark.parametrize(("row", "said"), BAD_PAIRS)
def test_bad_pair_is_named_with_its_line(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(FileProblems) as caught:
        read_gold(write(tmp_path / "g.jsonl", pair("fine"), row, pair("fine too")))
    (problem,) = caught.value.problems
    assert (problem.line, said in problem.message) == (2, True)
    assert problem.path.endswith("g.jsonl")


def test_all_bad_lines_are_named_and_a_repeated_id_names_both(tmp_path: Path) -> None:
    with pytest.raises(FileProblems) as caught:
        read_gold(write(tmp_path / "g.jsonl", pair(gold=9), pair("x"), "nonsense", pair("x")))
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4]
    assert "line 2 already" in caught.value.problems[2].message


def test_a_file_of_another_shape_is_told_once_enough_is_seen(tmp_path: Path) -> None:
    with pytest.raises(FileProblems) as caught:
        read_gold(write(tmp_path / "g.jsonl", *["{}"] * 5000))
    assert len(caught.value.problems) == 21


@pytest.mark.parametrize("rows", [[], ["", "  "]])
def test_no_pairs_are_refused(tmp_path: Path, rows: list[str]) -> None:
    with pytest.raises(FileProblems, match="has no pairs"):
        read_gold(write(tmp_path / "g.jsonl", *rows))
    with pytest.raises(FileProblems, match="no such file"):
        read_gold(tmp_path / "nowhere.jsonl")


def test_where_keeps_rows_with_that_value_and_rows_without_the_key(tmp_path: Path) -> None:
    rows = [pair("a", subset="x"), pair("b", subset="y"), pair("c"), pair("d", subset="x", n=3)]
    path = write(tmp_path / "g.jsonl", *rows)
    assert [p.id for p in read_gold(path, conditions(("subset=x",)))] == ["a", "c", "d"]
    assert [p.id for p in read_gold(path, conditions(("subset=x", "n=3")))] == ["a", "c", "d"]
    assert [p.id for p in read_gold(path, conditions(("n=4",)))] == ["a", "b", "c"]
    with pytest.raises(UsageError, match="write KEY=VALUE"):
        conditions(("subset",))


def test_replies_may_be_empty_and_of_one_order_but_not_none(tmp_path: Path) -> None:
    gold = [GoldPair(id_, "x", "y", "first") for id_ in ("p", "q")]
    path = tmp_path / "r.jsonl"
    other = {"id": "other", "ab_text": "z"}
    rows = [{"id": "p", "ab_text": "", "ba_text": None}, {"id": "q", "ba_text": "z"}, other]
    found = read_replies(write(path, *rows), gold)
    assert found == {("p", "ab"): "", ("p", "ba"): "", ("q", "ba"): "z"}
    with pytest.raises(FileProblems, match='neither "ab_text" nor "ba_text"'):
        read_replies(write(path, {"id": "p"}), gold)
    with pytest.raises(FileProblems, match="no reply to any of the pairs"):
        read_replies(write(path, other), gold)


# Figures.


def judged(*said: str) -> list[Judged]:
    """`gold ab ba`, each by its first letter."""
    words = {"f": "first", "s": "second", "d": "draw", "i": "invalid"}
    return [Judged(f"p{n}", *(words[letter] for letter in line.split())) for n, line in enumerate(said)]  # type: ignore[arg-type]


def test_every_figure_of_an_audit() -> None:
    report = audit_report(judged("f f s", "f f s", "s f f", "f s f", "d d d", "s s i", "f f d", "s s f"))
    assert report["pairs"] == 8
    assert (report["right_ab"]["hits"], report["right_ba"]["hits"], report["right_both"]["hits"]) == (6, 5, 4)
    assert report["accuracy"]["rate"] == pytest.approx(11 / 16)
    assert (report["consistency"]["hits"], report["consistency"]["n"]) == (5, 7)
    assert (report["first_slot"]["hits"], report["first_slot"]["n"]) == (7, 12)
    assert (report["invalid"]["hits"], report["invalid"]["n"]) == (1, 16)
    # Of 15 usable verdicts 11 agree. The judge named first, second, draw 6, 6, 3 times, gold 8, 5, 2.
    by_chance = (6 * 8 + 6 * 5 + 3 * 2) / 15**2
    assert report["kappa"] == pytest.approx((11 / 15 - by_chance) / (1 - by_chance))
    assert json.loads(json.dumps(report)) == report


def test_judge_that_names_the_first_slot_has_no_kappa_and_no_pair_right() -> None:
    report = audit_report(judged(*["f f f", "s f f"] * 12))
    assert (report["accuracy"]["rate"], report["kappa"], report["right_both"]["hits"]) == (0.5, 0.0, 0)
    assert report["believable"] is False
    (said,) = report["warnings"]
    assert said.startswith(f"{DISBELIEF}: it is right no more often than coin tosses may be")
    assert "the text shown first won 48 of 48" in said


def test_two_orders_that_agree_count_as_one_verdict() -> None:
    report = audit_report(judged(*["f f s"] * 30, *["f s f"] * 10))
    low, high = wilson_interval(0.75, 40)
    assert report["accuracy"] == pytest.approx({"rate": 0.75, "low": low, "high": high}, abs=0.01)
    assert report["believable"] is True


def test_worst_mistakes_come_first() -> None:
    pairs = judged("f f s", "f f f", "f s f", "f i i", "f d s", "s s f", "s f s", "f s s")
    pairs[6] = replace(pairs[6], p_ab=0.95, p_ba=0.1, reason_ab="sure of it")
    worst = audit_report(pairs)["worst"]
    assert [row["id"] for row in worst] == ["p6", "p2", "p1", "p4", "p7"]
    said = {"gold": "second", "ab": "first", "ba": "first", "reason_ab": "sure of it", "reason_ba": ""}
    assert worst[0] == {"id": "p6", **said}


def test_mistakes_of_a_mock_are_no_reason_for_disbelief() -> None:
    wrong = judged(*["f s f"] * 20)
    (said,) = audit_report(wrong, mock=True)["warnings"]
    assert said.startswith("A mock cannot read")
    assert audit_report(wrong)["warnings"][0].startswith(DISBELIEF)


def test_one_pair_is_singular_and_its_reason_begins_with_a_word() -> None:
    (mistake,) = judged("f s f")
    mistake = replace(mistake, reason_ab="wonderful " * 60)
    lines = list(audit_lines(audit_report([mistake]), {mistake.id: ("a", "b")}, 200))
    assert lines[1].startswith("right in both 0 % of 1 pair (")
    assert lines[-1].startswith("    reason  \u2026wonderful")


def test_lines_are_disarmed_and_say_whom_the_judge_named() -> None:
    (mistake,) = judged("f s f")
    mistake = replace(mistake, id="p\x1b[2J", reason_ab="because\n\x1b[31m" + "x" * 500)
    texts = {mistake.id: ("the \x1b[1mbetter", "the worse")}
    lines = list(audit_lines(audit_report([mistake]), texts, 80))
    assert "  p: first is better, the judge said second" in lines
    assert "    first   the better" in lines
    assert not any("\x1b" in line or "\n" in line for line in lines)
    assert all(len(line) <= 80 for line in lines[lines.index("worst mistakes") :])


@needs_shared
def test_recorded_replies_give_the_published_figures(tmp_path: Path) -> None:
    """Each of the 18 recorded judges, its replies as text fed through the judge's own reader."""
    texts: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in (LLMBAR / "verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts[row["judge"], row["method"]].append({key: row[key] for key in ("id", "ab_text", "ba_text")})
    gold: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (LLMBAR / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        gold[row["subset"]].append(
            pair(
                row["id"],
                row["gold"],
                first=row["output_1"],
                second=row["output_2"],
                prompt=row["instruction"],
            )
        )
    read = partial(parse_verdict, labels=("a", "b"), draws=False, contract="Output (a)")
    expected = (LLMBAR / "expected_stats.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(expected) == 18
    for row in map(json.loads, expected):
        pairs = read_gold(write(tmp_path / "gold.jsonl", *gold[row["subset"]]))
        replies = read_replies(write(tmp_path / "said.jsonl", *texts[row["judge"], row["method"]]), pairs)
        questions = auditing.questions_of(pairs, "pairwise")
        report = audit_report(auditing.judged(pairs, auditing.read_recorded(questions, replies, read)))
        found = {
            "n": report["pairs"],
            "correct_ab": report["right_ab"]["hits"],
            "correct_ba": report["right_ba"]["hits"],
            "correct_both": report["right_both"]["hits"],
            "consistent": report["consistency"]["hits"],
            "slot_a_votes": report["first_slot"]["hits"],
            "decided_votes": report["first_slot"]["n"],
        }
        assert found == {key: row[key] for key in found}, row


# Asking.


class Longer:
    """A judge that names the longer text. A call takes `usage`, and ends once `gate` is open."""

    label, keeps_replies = "longer", True
    notes: Sequence[str] = ()

    def __init__(
        self, usage: Usage = FREE, worst: Usage | None = None, gate: asyncio.Event | None = None
    ) -> None:
        self.usage, self.worst = usage, worst or usage
        self.gate = gate
        self.begun = asyncio.Semaphore(0)
        self.at_once = self.most_at_once = 0
        self.heard: list[Question] = []
        self.planned_for: list[Question] = []
        self.opened = self.closed = 0
        self.error: Exception | None = None

    async def open(self) -> None:
        self.opened += 1

    def planned(self, question: Question) -> None:
        self.planned_for.append(question)

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        return self.worst

    async def ask(self, question: Question, desk: Desk) -> None:
        self.heard.append(question)
        self.begun.release()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.gate is not None:
            await self.gate.wait()
        else:
            await asyncio.sleep(0)
        if self.error is not None:
            raise self.error
        self.at_once -= 1
        longer = len(question.first.text) > len(question.second.text)
        desk.keep(Reply("first" if longer else "second", self.usage))

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        return bool(replies)

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        return Verdict("first" if replies[-1].text == "first" else "second")

    async def close(self) -> None:
        self.closed += 1


def pairs_of(number: int) -> list[GoldPair]:
    return [GoldPair(f"p{n}", "long text", "short", "first", prompt=f"prompt {n}") for n in range(number)]


async def test_each_pair_is_asked_in_both_orders_and_no_more_at_once_than_allowed() -> None:
    judge, told = Longer(), []
    questions = auditing.questions_of(pairs_of(10), "debate")
    audit = await auditing.ask_all(judge, questions, Limits(concurrency=3), told.append)
    assert (judge.opened, judge.closed, judge.most_at_once) == (1, 1, 3)
    assert judge.planned_for == judge.heard == questions
    assert {(q.group, q.orientation, q.first.text) for q in judge.heard} == {
        (f"p{n}", order, text) for n in range(10) for order, text in (("ab", "long text"), ("ba", "short"))
    }
    assert {(q.mode, q.prompt) for q in judge.heard if q.group == "p4"} == {("debate", "prompt 4")}
    assert audit_report(auditing.judged(pairs_of(10), audit))["right_both"]["hits"] == 10
    assert told == list(range(1, 21))


async def test_limits_are_never_exceeded_and_what_is_known_by_then_is_kept() -> None:
    judge = Longer(Usage(60, 0, 0, 0.01), worst=Usage(100, 0, 0, 0.02))
    questions = auditing.questions_of(pairs_of(10), "pairwise")
    audit = await auditing.ask_all(judge, questions, Limits(tokens=500, concurrency=8))
    # 7 calls take 420 tokens; an eighth might take 100.
    assert audit.usage.tokens == 420
    assert "420 of 500 are spent" in audit.stopped
    assert len(audit.verdicts) == 7
    assert len(auditing.judged(pairs_of(10), audit)) == 3, "the fourth pair has one order only"
    cheap = await auditing.ask_all(Longer(judge.usage, judge.worst), questions, Limits(usd=0.05))
    assert cheap.usage.usd == pytest.approx(0.04)


async def test_a_judge_that_cannot_be_used_ends_the_audit_and_is_closed() -> None:
    judge = Longer()
    judge.error = JudgeError("the key is refused")
    with pytest.raises(JudgeError, match="the key is refused"):
        await auditing.ask_all(judge, auditing.questions_of(pairs_of(5), "pairwise"), Limits())
    assert judge.closed == 1


async def test_cancelling_an_audit_closes_the_judge() -> None:
    judge = Longer(gate=asyncio.Event())
    asking = asyncio.create_task(
        auditing.ask_all(judge, auditing.questions_of(pairs_of(5), "pairwise"), Limits(concurrency=2))
    )
    for _ in range(2):
        await judge.begun.acquire()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (judge.closed, len(judge.heard)) == (1, 2)
