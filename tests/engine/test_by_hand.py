"""A person judges a run's matches blind: no names, an order of its own, and an honest count of agreement."""

from __future__ import annotations

import io
import json
from functools import partial
from pathlib import Path

import pytest
from small_run import applied, id_of, match, new, plan, write

from arena_tui.blind import blind_session
from arena_tui.candidate import Candidate, Group
from arena_tui.commands.by_hand import judge_by_hand
from arena_tui.errors import UsageError
from arena_tui.settings import validate
from arena_tui.store import facts
from arena_tui.vocabulary import Winner

TEXTS = {
    "amber-id": "the text of amber",
    "birch-id": "the text of birch",
    "cedar-id": "the text of \x1b[2Jcedar",
}
PAIRS = [("amber-id", "birch-id"), ("birch-id", "cedar-id"), ("cedar-id", "amber-id")]
SEED = 3


def run_of(path: Path, *winners: Winner, draws: bool = True, overruled: int = 0) -> str:
    """A run with one match a winner, between the pairs in turn."""
    tournament = validate({"task": "Which is \x1b[1mbetter?", "judge": {"kind": "simulated", "draws": draws}})
    group = Group(
        "main",
        tuple(Candidate(id_, text, title=id_.upper()) for id_, text in TEXTS.items()),
        prompt="the group's prompt",
    )
    new(path, group, tournament=tournament.model_dump_json(), seed=str(SEED), lookahead="1")
    for n, winner in enumerate(winners, 1):
        step = match(n, *PAIRS[(n - 1) % 3])
        write(path, plan(2 * n - 1, n, step), applied(2 * n, n, step, n, winner))
        if n == overruled:
            write(path, partial(facts.mark_overruled, match_id=id_of(step), winner="draw", pos=99))
    return str(path)


def answering(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def judged(capsys: pytest.CaptureFixture[str], run: str, number: int) -> tuple[dict[str, object], str]:
    assert judge_by_hand(run, number, True) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def test_names_and_ids_are_never_shown_and_texts_are_disarmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", "a", "b", "a", "a", "b", "b")
    answering(monkeypatch, *["1"] * 6)
    _, err = judged(capsys, run, 6)
    assert "-id" not in err.lower()
    assert "\x1b" not in err
    assert err.count("the group's prompt") == err.count("Which is better?") == 6


def test_same_run_gives_the_same_questions_and_the_order_is_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", *(["a"] * 12))
    answering(monkeypatch, *["1"] * 12)
    one, err = judged(capsys, run, 12)
    answering(monkeypatch, *["1"] * 12)
    assert (one, err) == judged(capsys, run, 12)
    # The judge said a throughout; a person who always says 1 agrees where a was shown as text 1.
    assert one["agreement"]["n"] == 12
    assert 0 < one["agreement"]["hits"] < 12


def test_agreement_is_counted_by_side_whichever_was_shown_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", *(["a"] * 9))
    wins = {"amber": {"birch"}, "birch": {"cedar"}, "cedar": {"amber"}}  # a won every match
    answers: list[str] = []
    for number in range(9):
        answering(monkeypatch, *answers)
        _, err = judged(capsys, run, 9)
        last = err[err.rindex("--- text 1 ---") :].split("\n")
        first, second = (last[at].rpartition(" ")[2] for at in (1, 3))
        answers.append("1" if second in wins[first] else "2")
        assert len(answers) == number + 1
    answering(monkeypatch, *answers)
    report, _ = judged(capsys, run, 9)
    assert (report["agreement"]["hits"], report["disagreements"]) == (9, [])
    answering(monkeypatch, *({"1": "2", "2": "1"}[answer] for answer in answers))
    report, _ = judged(capsys, run, 9)
    assert report["agreement"]["hits"] == 0
    rows = {row["match"]: (row["judge"], row["person"]) for row in report["disagreements"]}
    assert rows == {n: PAIRS[(n - 1) % 3] for n in range(1, 10)}


def test_skips_draws_and_typing_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", *(["draw"] * 6))
    answering(monkeypatch, "what?", "", " = ", "T", "s", "1", "q", "2")
    report, err = judged(capsys, run, 6)
    assert (report["judged"], report["skipped"], report["agreement"]["hits"]) == (3, 1, 2)
    assert err.count("Which is better: ") == 7


def test_no_draw_can_be_called_where_the_judge_could_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", "a", draws=False)
    answering(monkeypatch, "=", "draw", "1")
    report, err = judged(capsys, run, 1)
    assert report["judged"] == 1
    assert err.count("Which is better: 1 or 2, s to skip, q to stop, then Return: ") == 3


def test_void_and_overruled_matches_are_not_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", "void", "a", "b", overruled=2)
    answering(monkeypatch, "1", "1", "1")
    report, _ = judged(capsys, run, 5)
    assert (report["of"], report["judged"]) == (1, 1)
    with pytest.raises(UsageError, match="no match that its judge has decided"):
        judge_by_hand(run_of(tmp_path / "none.db", "void"), 5, True)


def test_one_match_without_a_verdict_that_counts_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    run_of(path, "void", "a", overruled=2)
    held, planned = match(3, *PAIRS[2]), match(4, *PAIRS[0])
    write(path, plan(5, 3, held), plan(6, 4, planned))
    write(path, lambda conn: facts.insert_verdict(conn, 3, "ab", "first"))
    for seq, why in (
        (1, "it is void"),
        (2, "it was overruled"),
        (3, "it is judged, but held until an earlier match is decided"),
        (4, "it is not judged yet"),
        (5, "there is no such match"),
    ):
        with pytest.raises(UsageError, match=f"match main:{seq} has no verdict of its judge.*: {why}$"):
            blind_session(path, 1, only=("main", seq))


def test_lines_name_the_matches_on_which_both_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r.db", "draw")
    answering(monkeypatch, "1")
    assert judge_by_hand(run, 1, False) == 0
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("you and the judge agree on 0 of 1 matches (0 %, 95 % interval 0 to 79 %)")
    assert lines[-1] in (
        "match 1: the judge said draw, you amber-id",
        "match 1: the judge said draw, you birch-id",
    )
    answering(monkeypatch)
    judge_by_hand(run, 1, False)
    assert capsys.readouterr().out == "nothing was judged\n"
