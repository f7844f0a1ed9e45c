"""Actions on a run: what each state allows, what they do, and that it is the same however they come."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from scripted_runs import (
    Desk,
    ScriptedJudge,
    Sitting,
    assert_sound,
    coin,
    create,
    exported,
    images_of_commits,
    journal,
    killed,
    matches,
    pool,
    run,
)

from arena_tui.candidate import Candidate, Group
from arena_tui.engine.actions import VERBS, Action, resolve
from arena_tui.engine.course import Course
from arena_tui.engine.opening import action_to
from arena_tui.engine.replay import replay
from arena_tui.engine.roster import Roster
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import ArenaError, RefusedAction, UsageError
from arena_tui.facts import Intervention
from arena_tui.judging.base import Question, Usage
from arena_tui.ratings.elo import k_factor, update
from arena_tui.store import inbox
from arena_tui.store.lock import beside
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import CandidateState

Fresh = Callable[[], Path]

APPLIED = 12  # outcomes before the actions; a whole window of further steps is planned and asked by then
WINDOW = 8
TOTAL = 36


def a_run(db: Path, candidates: int | list[dict[str, Any]] = 6, **more: Any) -> Path:
    limits = {"matches": TOTAL, "concurrency": WINDOW, "lookahead": WINDOW, **more.pop("limits", {})}
    judge = {"kind": "simulated", "mode": "pairwise"}
    return create(db, candidates, judge=judge, limits=limits, **more)


def later(question: Question) -> bool:
    return question.seq > APPLIED


def a_judge() -> ScriptedJudge:
    return ScriptedJudge(coin, Desk(hold=later))


def steered(
    db: Path, *actions: Action, judge: ScriptedJudge | None = None, in_flight: int = WINDOW
) -> Sitting:
    """Act after `APPLIED` outcomes, all in flight, and go on to the end."""

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, in_flight)
        for action in actions:
            answer = await sitting.act(action.verb, *action.args, candidates=action.candidates)
            assert answer[0], answer
        sitting.judge.desk.open_up()

    return run(db, judge or a_judge(), script)


def actions_of(db: Path) -> list[Intervention]:
    with Reader(db) as reader:
        return [entry.intervention for entry in reader.interventions()]


def newcomer(id_: str = "new", text: str = "a wholly different text", **fields: Any) -> Candidate:
    return Candidate(id_, text, title=id_, **fields)


# --- the same however it comes ----------------------------------------------------------------

# Nobody of step 13, the next one due, is rejected: else it would be applied before the next action comes.
CASES: dict[str, list[Action]] = {
    "reject": [Action("reject", ("c01",))],
    "reject and restore": [Action("reject", ("c01",)), Action("restore", ("c01",))],
    "reject two": [Action("reject", ("c01",)), Action("reject", ("c04",))],
    "pin and unpin": [Action("pin", ("c02",)), Action("unpin", ("c02",))],
    "focus": [Action("focus", ("c05",))],
    "match": [Action("match", ("c00", "c05")), Action("match", ("c05", "c00"))],
    "add": [Action("add", ("file",), (newcomer(),))],
    "add two": [Action("add", ("file",), (newcomer(), newcomer("other", "another text", strength=2.0)))],
    "add a twin": [Action("add", ("file",), (newcomer("echo", "TEXT number 3 of  main, word3 word0"),))],
    "overrule": [Action("overrule", ("3", "void")), Action("overrule", ("7", "a"))],
    "fewer matches": [Action("limit", ("matches=24",))],
    "a narrower window": [Action("limit", ("lookahead=3",))],
    "a wider window": [Action("limit", ("lookahead=14",)), Action("limit", ("concurrency=2",))],
    "much": [
        Action("reject", ("c02",)),
        Action("overrule", ("5", "b")),
        Action("add", ("file",), (newcomer(),)),
        Action("focus", ("c03",)),
        Action("restore", ("c02",)),
        Action("limit", ("lookahead=5",)),
    ],
}


@pytest.mark.parametrize("case", list(CASES))
def test_live_at_rest_by_inbox_and_killed_in_between_give_the_same_export(fresh: Fresh, case: str) -> None:
    actions = CASES[case]
    live = a_run(fresh())
    steered(live, *actions)
    assert exported(live) == exported(resting(a_run(fresh()), actions))
    assert exported(live) == exported(by_inbox(a_run(fresh()), actions))
    for image in killed_after_each(a_run(fresh()), actions, fresh):
        run(image)
        assert exported(live) == exported(image)
    with Reader(live) as reader:
        course = replay(reader)
        states = {(c.group, c.id): c.state for c in reader.candidates()}
        assert states == {key: course.roster.state(*key) for key in states}


def resting(db: Path, actions: list[Action]) -> Path:
    """Stopped, acted on while nobody drives it, resumed."""

    async def stop(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        sitting.engine.stop("later")
        sitting.engine.stop("later")

    run(db, a_judge(), stop)
    for action in actions:
        act_at_rest(db, action)
        assert_sound(db)
    run(db)
    return db


def by_inbox(db: Path, actions: list[Action]) -> Path:
    """Asked for by another process."""

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        for action in actions:
            request = inbox.send(db, action_to(action), "another process")
            answer = await asyncio.to_thread(inbox.wait_answer, db, request, 1.0)
            assert answer is not None, "not answered within a second"
            assert answer[0], answer
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    assert inbox.requests(db) == []
    return db


def killed_after_each(db: Path, actions: list[Action], fresh: Fresh) -> list[Path]:
    """Killed right after each acknowledgement; what is left to do is then done at rest."""
    images = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        for action in actions:
            answer = await sitting.act(action.verb, *action.args, candidates=action.candidates)
            assert answer[0], answer
            images.append(killed(db, fresh()))
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    for number, image in enumerate(images, 1):
        for action in actions[number:]:
            act_at_rest(image, action)
    return images


# --- states -----------------------------------------------------------------------------------

STATES = get_args(CandidateState)
TABLE: dict[str, dict[str, str]] = {
    "pin": {"in_tournament": "pinned"},
    "unpin": {"pinned": "in_tournament"},
    "reject": dict.fromkeys(("draft", "reviewed", "in_tournament", "pinned", "quarantined"), "rejected"),
    "restore": dict.fromkeys(("rejected", "quarantined", "retired"), "in_tournament"),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", list(TABLE))
def test_every_action_on_every_state_is_allowed_or_refused_by_name(action: Any, state: Any) -> None:
    roster = Roster([Group("main", (Candidate("x", "text", state=state),))])
    asked = Intervention(action, "main", "x")
    if state in TABLE[action]:
        assert roster.new_state(asked) == TABLE[action][state]
        roster.apply(asked)
        assert roster.state("main", "x") == TABLE[action][state]
        assert roster.plays("main", "x") == (TABLE[action][state] in ("in_tournament", "pinned"))
    else:
        with pytest.raises(RefusedAction, match=f"'x' is {state} and cannot be"):
            roster.new_state(asked)
        assert roster.state("main", "x") == state


REFUSED: list[tuple[Action, str]] = [
    (Action("pin", ("nobody",)), "no candidate has the id 'nobody'"),
    (Action("pin", ("c00",)), "stands in 2 groups; say which, as in left:c00, right:c00"),
    (Action("pin", ("left:echo",)), "is a twin of 'c00'"),
    (Action("focus", ("left:c03",)), "'c03' is rejected and plays no match"),
    (Action("match", ("left:c03", "left:c00")), "'c03' is rejected and plays no match"),
    (Action("match", ("left:c00", "left:c00")), "cannot meet itself"),
    (Action("match", ("left:c00", "right:c00")), "different groups"),
    (Action("unpin", ("left:c00",)), "'c00' is in_tournament and cannot be unpinned"),
    (Action("restore", ("left:c00",)), "'c00' is in_tournament and cannot be restored"),
    (Action("reject", ("left:c03",)), "'c03' is rejected and cannot be rejected"),
    (Action("add", ("file",)), "holds no candidate"),
    (Action("add", ("f",), (newcomer("c00", group="left"),)), "already has a candidate 'c00'"),
    (Action("add", ("f",), (newcomer(group="up"),)), "no group 'up'|'up' holds no matches"),
    (Action("overrule", ("left:99", "a")), "has no outcome yet"),
    (Action("overrule", ("99", "a")), "names no match"),
    (Action("overrule", ("left:1", "maybe")), "'maybe' is no outcome of match left:1"),
    (Action("limit", ("speed=3",)), "KEY one of usd, tokens"),
    (Action("limit", ("matches=many",)), "matches"),
    (Action("limit", ("usd=[1",)), "not valid YAML"),
    (Action("limit", ("concurrency=0",)), "concurrency"),
    (Action("fly", ()), "unknown action 'fly'"),
    (Action("pin", ()), "usage: arena act RUN pin ID"),
]


def test_refusals_are_named_and_leave_no_trace_live_and_at_rest(db: Path) -> None:
    candidates = [*pool(5, "left"), {"id": "echo", "group": "left", "text": pool(1, "left")[0]["text"]}]
    a_run(db, [*candidates, *pool(4, "right")], limits={"matches": 30})
    answers: list[tuple[bool, str]] = []

    async def script(sitting: Sitting) -> None:
        await sitting.applied(8)
        assert (await sitting.act("reject", "left:c03"))[0]
        for action, _ in REFUSED:
            answers.append(await sitting.act(action.verb, *action.args, candidates=action.candidates))
        sitting.judge.desk.open_up()

    run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > 5)), script)
    assert len(actions_of(db)) == 1
    before = journal(db)
    for (action, says), (ok, message) in zip(REFUSED, answers, strict=True):
        assert not ok, action
        assert any(part in message for part in says.split("|")), (action, message)
        with pytest.raises(ArenaError) as refusal:
            act_at_rest(db, action)
        assert str(refusal.value) == message
    assert journal(db) == before


def test_controls_need_a_process_that_drives_the_run(db: Path) -> None:
    run(a_run(db))
    for verb in ("pause", "resume", "abort"):
        with pytest.raises(RefusedAction, match="needs a process that drives the run"):
            act_at_rest(db, Action(verb))


def test_every_verb_is_known_to_resolve(db: Path) -> None:
    run(a_run(db))
    with Reader(db) as reader:
        course: Course = replay(reader)
    for verb, usage in VERBS.items():
        with pytest.raises(ArenaError) as refusal:
            resolve(Action(verb, ("?",) * len(usage.split())), course, lambda *_: None)
        assert "unknown action" not in str(refusal.value)


# --- reject and restore -----------------------------------------------------------------------


def test_planned_matches_of_a_rejected_candidate_are_withdrawn_in_their_places_without_a_call(
    db: Path,
) -> None:
    """Four of eight planned steps are asked: none of the others with the rejected one is asked any more."""
    a_run(db, limits={"concurrency": 4})
    ended = steered(db, Action("reject", ("c01",)), judge=a_judge(), in_flight=4)
    rows = matches(db)
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1)), "each keeps its place"
    withdrawn = [row["seq"] for row in rows if row["winner"] == "void" and row["seq"] > APPLIED]
    hers = [row["seq"] for row in rows if "c01" in (row["hyp_a"], row["hyp_b"]) and row["seq"] > APPLIED]
    assert hers
    assert max(hers) <= APPLIED + WINDOW, "she is in no match planned later"
    assert set(hers) <= set(withdrawn)
    asked = {seq for _, seq, _ in ended.judge.asked}
    assert not [seq for seq in hers if seq > APPLIED + 4 and seq in asked]
    with Reader(db) as reader:
        counts = reader.counts()
    assert counts.withdrawn == len(hers)
    assert counts.applied - counts.withdrawn == TOTAL, "they do not count against the limit"
    assert ended.engine.state.started == TOTAL
    assert ended.engine.state.held == 0


def test_withdrawn_matches_are_no_voids_in_a_row_and_break_none(fresh: Fresh) -> None:
    """All matches planned at the time are withdrawn, more than the voids that would end the group."""
    db = a_run(fresh(), 3, stop={"rule": "none", "voids_in_a_row": 3})

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        everyone = ("c00", "c01", "c02")
        asked = [sitting.act(verb, who) for verb in ("reject", "restore") for who in everyone]
        assert all(ok for ok, _ in await asyncio.gather(*asked)), "all of it between two outcomes"
        sitting.judge.desk.open_up()

    def say(question: Question) -> Any:
        return "invalid" if question.seq in (11, 12, 21) else "first"

    ended = run(db, ScriptedJudge(say, Desk(hold=later)), script)
    with Reader(db) as reader:
        assert reader.counts().withdrawn == WINDOW
    assert (ended.reason, ended.code) == ("IDLE", 1), "11, 12 and 21 are three in a row"
    assert matches(db)[-1]["seq"] == 21


def test_replies_for_withdrawn_matches_are_stored_and_paid(db: Path) -> None:
    price = Usage(input_tokens=10)
    a_run(db)
    ended = steered(
        db, Action("reject", ("c01",)), judge=ScriptedJudge(coin, Desk(hold=later), worst=lambda _: price)
    )
    with Reader(db) as reader:
        spent, counts = reader.spent(), reader.counts()
    assert counts.withdrawn > 0
    assert spent.calls == len(ended.judge.asked) == TOTAL + counts.withdrawn
    assert spent.tokens == 10 * spent.calls


def test_a_reply_that_comes_while_its_match_is_withdrawn_does_not_block_the_run(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By arrival: the reply is read between the format's taking of the action and the engine's."""
    a_run(db, limits={"ordering": "arrival"})
    read = threading.Event()
    intervene = Course.intervene
    here: list[Sitting] = []

    def meanwhile(course: Course, action: Intervention) -> Any:
        taken = intervene(course, action)
        seqs = {step.seq for step in taken[1]}
        if seqs:
            sitting = here[0]
            loop.call_soon_threadsafe(sitting.judge.desk.open_up, lambda q: q.seq in seqs)
            assert read.wait(5.0)
        return taken

    def listener(event: Any) -> None:
        if event.kind == "comparison" and event.seq > APPLIED:
            read.set()

    async def script(sitting: Sitting) -> None:
        nonlocal loop
        loop = asyncio.get_running_loop()
        here.append(sitting)
        await sitting.at_rest(APPLIED, WINDOW)
        monkeypatch.setattr(Course, "intervene", meanwhile)
        assert (await sitting.act("reject", "c01"))[0]
        monkeypatch.setattr(Course, "intervene", intervene)
        sitting.judge.desk.open_up()

    loop: asyncio.AbstractEventLoop
    ended = run(db, a_judge(), script, listener=listener)
    assert ended.reason == "BUDGET"
    assert ended.engine.state.held == 0
    with Reader(db) as reader:
        assert reader.counts().withdrawn > 0
        assert reader.counts().applied - reader.counts().withdrawn == TOTAL


def test_a_rejected_leader_stays_in_the_table_and_out_of_play(db: Path) -> None:
    a_run(db)
    ended = steered(db, Action("reject", ("c00",)))
    rows = {row.id: row for row in ended.result.standings}
    assert rows["c00"].state == "rejected"
    assert rows["c00"].rank == len(rows)
    assert "c00" not in {id_ for race in ended.result.details["closest_races"] for id_ in race.values()}


# --- who meets whom next ----------------------------------------------------------------------


def ratings_after(rows: list[dict[str, Any]], applied: int) -> dict[str, float]:
    ratings: dict[str, float] = {}
    for row in rows[:applied]:
        ratings[row["hyp_a"]], ratings[row["hyp_b"]] = row["elo_a_after"], row["elo_b_after"]
    return ratings


def plans_after_the_action(db: Path) -> list[Any]:
    entries = journal(db)
    last = max(number for number, entry in enumerate(entries) if entry[0] == "action")
    return [entry[2] for entry in entries[last:] if entry[0] == "plan"]


@pytest.mark.parametrize("who", ["c05", "new"])
def test_focus_and_a_newcomer_meet_their_nearest_in_rating_next(db: Path, who: str) -> None:
    a_run(db)
    action = Action("add", ("file",), (newcomer(),)) if who == "new" else Action("focus", (who,))
    steered(db, action)
    step = plans_after_the_action(db)[0]
    assert step.why == "focus"
    ratings = {f"c0{n}": 1200.0 for n in range(6)} | {"new": 1200.0} | ratings_after(matches(db), APPLIED + 1)
    if who != "new":
        del ratings["new"]
    other = ({step.a, step.b} - {who}).pop()
    gaps = {id_: abs(rating - ratings[who]) for id_, rating in ratings.items() if id_ != who}
    assert gaps[other] == min(gaps.values())
    assert [s.why for s in plans_after_the_action(db)].count("focus") == 1


def test_two_who_are_asked_to_meet_do_so_next(db: Path) -> None:
    a_run(db)
    steered(db, Action("match", ("c00", "c05")), Action("match", ("c03", "c02")))
    first, second, *others = plans_after_the_action(db)
    assert ({first.a, first.b}, first.why) == ({"c00", "c05"}, "asked")
    assert ({second.a, second.b}, second.why) == ({"c02", "c03"}, "asked")
    assert all(step.why not in ("asked", "focus") for step in others)


def test_a_focus_on_one_who_is_rejected_before_its_turn_is_dropped(db: Path) -> None:
    a_run(db)
    steered(db, Action("focus", ("c05",)), Action("reject", ("c05",)))
    assert all(step.why != "focus" for step in plans_after_the_action(db))


def test_an_added_twin_costs_no_call_and_stands_beside_its_original(db: Path) -> None:
    a_run(db)
    text = pool(6)[3]["text"].upper()
    ended = steered(db, Action("add", ("file",), (newcomer("echo", text),)))
    rows = {row.id: row for row in ended.result.standings}
    assert rows["echo"].twin_of == "c03"
    assert (rows["echo"].rank, rows["echo"].rating) == (rows["c03"].rank, rows["c03"].rating)
    assert not [row for row in matches(db) if "echo" in (row["hyp_a"], row["hyp_b"])]
    undisturbed = a_run(db.with_name("undisturbed.db"))
    run(undisturbed)
    assert exported(db) == exported(undisturbed)


def test_equal_texts_that_come_in_one_file_are_twins_of_the_first(db: Path) -> None:
    a_run(db)
    steered(db, Action("add", ("file",), (newcomer("one"), newcomer("two"), newcomer("three", "else"))))
    with Reader(db) as reader:
        twins = {c.id: c.twin_of for c in reader.candidates()}
    assert (twins["one"], twins["two"], twins["three"]) == (None, "one", None)
    assert not [row for row in matches(db) if "two" in (row["hyp_a"], row["hyp_b"])]


# --- overrule ---------------------------------------------------------------------------------


def refolded(rows: list[dict[str, Any]]) -> dict[str, tuple[float, int]]:
    """Ratings and valid matches from the outcomes alone; asserts that every row says so too."""
    state = {id_: (1200.0, 0) for row in rows for id_ in (row["hyp_a"], row["hyp_b"])}
    for row in rows:
        a, b = row["hyp_a"], row["hyp_b"]
        (rating_a, played_a), (rating_b, played_b) = state[a], state[b]
        assert (row["elo_a_before"], row["elo_b_before"]) == (rating_a, rating_b)
        if row["winner"] != "void":
            score = {"a": 1.0, "draw": 0.5, "b": 0.0}[row["winner"]]
            done = update(rating_a, rating_b, score, k=k_factor(min(played_a, played_b)))
            state[a], state[b] = (done.elo_a_after, played_a + 1), (done.elo_b_after, played_b + 1)
        assert (row["elo_a_after"], row["elo_b_after"]) == (state[a][0], state[b][0])
    return state


@pytest.mark.parametrize("outcome", ["a", "b", "draw", "void"])
def test_an_overrule_refolds_everything_and_lets_the_played_schedule_stand(db: Path, outcome: str) -> None:
    undisturbed = a_run(db.with_name("undisturbed.db"))
    run(undisturbed)
    a_run(db)
    which = next(row for row in matches(undisturbed) if row["seq"] > 2 and row["winner"] != outcome)["seq"]
    steered(db, Action("overrule", (str(which), outcome)), Action("overrule", ("1", "draw")))
    rows = matches(db)
    overruled = rows[which - 1]
    assert (overruled["winner"], overruled["overruled_by"]) == (outcome, 1)
    with Reader(db) as reader:
        stored = {entrant: value for (_, entrant), value in reader.ratings().items()}
        played = [entry.outcome.winner for entry in reader.journal() if hasattr(entry, "outcome")]
    assert refolded(rows) == {id_: stored[id_] for id_ in refolded(rows)}
    before = matches(undisturbed)
    assert played[which - 1] == before[which - 1]["winner"], "the journal keeps what was played"
    pairs = [(row["hyp_a"], row["hyp_b"], row["mode"]) for row in rows]
    stands = APPLIED + WINDOW
    assert pairs[:stands] == [(row["hyp_a"], row["hyp_b"], row["mode"]) for row in before][:stands]


def test_an_outcome_may_be_named_by_the_winner_and_overruled_again(db: Path) -> None:
    a_run(db)
    rows: list[dict[str, Any]] = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        rows.extend(matches(db))
        a, b = rows[4]["hyp_a"], rows[4]["hyp_b"]
        for outcome in (a, b, a):
            ok, message = await sitting.act("overrule", "main:5", outcome)
            assert ok or "already" in message
        assert await sitting.act("overrule", "5", "a") == (
            False,
            "the outcome of match main:5 is a already",
        )
        sitting.judge.desk.open_up()

    ended = run(db, a_judge(), script)
    assert matches(db)[4]["winner"] == "a"
    refolded(matches(db))
    with Reader(db) as reader:
        counts = reader.counts()
    state = ended.engine.state
    assert (state.a, state.b, state.draw, state.void) == (counts.a, counts.b, counts.draw, counts.void)


def test_overrules_that_come_before_the_first_is_durable_see_each_other(db: Path) -> None:
    a_run(db)
    answers: list[tuple[bool, str]] = []

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        outcomes = ("void", "draw", "draw", "void", "a")
        answers.extend(await asyncio.gather(*(sitting.act("overrule", "5", outcome) for outcome in outcomes)))
        sitting.judge.desk.open_up()

    ended = run(db, a_judge(), script)
    assert [ok for ok, _ in answers] == [True, True, False, True, True]
    assert [action.values["was"] for action in actions_of(db)] == ["a", "void", "draw", "void"]
    state = ended.engine.state
    with Reader(db) as reader:
        counts, outcomes = reader.counts(), replay(reader).groups["main"].outcomes
    assert (state.a, state.b, state.draw, state.void) == (counts.a, counts.b, counts.draw, counts.void)
    assert outcomes == {"a": counts.a, "b": counts.b, "draw": counts.draw, "void": counts.void}


def test_a_withdrawn_match_cannot_be_overruled(db: Path) -> None:
    a_run(db)
    steered(db, Action("reject", ("c01",)))
    withdrawn = next(row["seq"] for row in matches(db)[APPLIED:] if row["winner"] == "void")
    with pytest.raises(RefusedAction, match="withdrawn"):
        act_at_rest(db, Action("overrule", (str(withdrawn), "a")))


def test_an_overrule_starts_the_stability_window_anew(fresh: Fresh) -> None:
    stop = {
        "top_k": 6,
        "n": 2,
        "eps": 1000,
        "match_snapshot_every": 5,
        "min_matches_before_stable": 15,
        "min_matches_each": 0,
    }

    def a_stable_run() -> Path:
        return a_run(fresh(), stop={"rule": "stability", **stop})

    first = ScriptedJudge(lambda q: "first" if q.first.id < q.second.id else "second", Desk(hold=later))
    plain = a_stable_run()
    steered(plain, judge=first)
    assert len(matches(plain)) == 15, "snapshots at 10 and 15"
    db = a_stable_run()
    again = ScriptedJudge(first.say, Desk(hold=later))
    steered(db, Action("overrule", ("2", "draw")), judge=again)
    assert len(matches(db)) == 20, "the snapshot at 10 is forgotten; those at 15 and 20 count"


# --- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "lookahead"), [("3", 3), ("null", 16), ("11", 11)])
def test_a_changed_lookahead_holds_from_the_action_on(db: Path, value: str, lookahead: int) -> None:
    """`null` is twice the concurrency, as for a run that sets none."""
    a_run(db, limits={"matches": 60})
    steered(db, Action("limit", (f"lookahead={value}",)))
    applied = 0
    changed = False
    for kind, _, fact, *_ in journal(db):
        match kind:
            case "action":
                changed = True
            case "outcome":
                applied = fact.applied_no
            case "plan" if changed and fact.seq > 2 * APPLIED + 2 * WINDOW:
                assert applied == fact.seq - lookahead
            case "plan" if not changed:
                assert applied == max(0, fact.seq - WINDOW)
    again = run(db, add={"matches": 5})
    assert again.engine.lanes["main"].group.order.lookahead == lookahead


def test_a_higher_limit_lets_the_run_go_on_and_concurrency_changes_no_match(fresh: Fresh) -> None:
    db, plain = a_run(fresh()), a_run(fresh(), limits={"matches": 50})
    run(plain)
    changed = steered(db, Action("limit", ("matches=50",)), Action("limit", ("concurrency=2",)))
    assert changed.engine.state.concurrency == 2
    assert exported(db) == exported(plain)


def test_a_higher_limit_of_each_group_reopens_the_groups_it_had_closed(fresh: Fresh) -> None:
    """The same live as killed and resumed, though no journal knows that a limit closed a group."""
    limits = {"matches": None, "per_group": {"matches": 10}, "concurrency": 16}

    def two_groups() -> Path:
        return a_run(fresh(), [*pool(4, "left"), *pool(4, "right")], limits=limits)

    db, image = two_groups(), fresh()

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: [event.group for event in sitting.told("group")] == ["left"])
        killed(db, image)
        assert (await sitting.act("limit", "per_group.matches=18"))[0]
        sitting.judge.desk.open_up()

    desk = Desk(hold=lambda q: q.group == "right" and q.seq == 5)
    ended = run(db, ScriptedJudge(desk=desk), script)
    assert [event.group for event in ended.told("group")] == ["left", "left", "right"]
    act_at_rest(image, Action("limit", ("per_group.matches=18",)))
    run(image)
    assert exported(db) == exported(image)
    assert len(matches(db)) == 36


def test_a_group_without_two_to_meet_goes_on_when_somebody_is_restored(fresh: Fresh) -> None:
    limits = {"matches": None, "per_group": {"matches": 20}, "concurrency": 16}
    db, image = a_run(fresh(), [*pool(2, "left"), *pool(4, "right")], limits=limits), fresh()

    async def script(sitting: Sitting) -> None:
        await sitting.until(lambda: len(sitting.judge.desk.held) == WINDOW + 1)
        assert (await sitting.act("reject", "left:c00"))[0]
        await sitting.until(lambda: bool(sitting.told("group")))
        killed(db, image)
        assert (await sitting.act("restore", "left:c00"))[0]
        sitting.judge.desk.open_up()

    held = lambda q: q.seq == 5 if q.group == "right" else q.seq > 6  # noqa: E731 - a rule in one line
    ended = run(db, ScriptedJudge(desk=Desk(hold=held)), script)
    assert next((event.group, event.stop_reason) for event in ended.told("group")) == ("left", "IDLE")
    assert ended.result.groups["stop_reasons"] == {"left": "BUDGET", "right": "BUDGET"}
    act_at_rest(image, Action("restore", ("left:c00",)))
    run(image)
    assert exported(db) == exported(image)


@pytest.mark.parametrize(
    "key", ["format.k_new", "judge.orders", "limits.ordering", "limits.durations.debate", "schedule", "task"]
)
def test_what_makes_a_run_this_run_cannot_change_in_it(db: Path, key: str) -> None:
    a_run(db)
    with pytest.raises(ExceptionGroup) as refused:
        run(db, changes={key: "whatever"})
    assert refused.group_contains(UsageError, match=f"{key} cannot change in a run that has begun")
    assert journal(db) == []


# --- the inbox --------------------------------------------------------------------------------


def test_refused_and_unreadable_requests_are_answered_too(db: Path) -> None:
    a_run(db)
    answers: dict[str, Any] = {}

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        wanted = {
            "unpin": {"verb": "unpin", "args": ["c00"], "candidates": []},
            "junk": {"verb": 7, "args": "x"},
            "no text": {"verb": "add", "args": ["f"], "candidates": [{"id": 3}]},
            "pause": {"verb": "pause", "args": [], "candidates": []},
            "resume": {"verb": "resume", "args": [], "candidates": []},
        }
        for name, action in wanted.items():
            request = inbox.send(db, action, "another process")
            answers[name] = await asyncio.to_thread(inbox.wait_answer, db, request, 1.0)
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    assert answers["unpin"][0] is False
    assert "'c00' is in_tournament and cannot be unpinned" in answers["unpin"][1]
    assert answers["junk"][0] is False
    assert answers["no text"][0] is False
    assert answers["pause"] == (True, "paused")
    assert answers["resume"] == (True, "going on")
    assert actions_of(db) == []
    assert inbox.requests(db) == []


@pytest.mark.parametrize("case", ["reject", "add two", "overrule"])
def test_a_request_that_is_delivered_again_after_a_crash_is_answered_and_not_applied_twice(
    db: Path, tmp_path: Path, case: str
) -> None:
    a_run(db)
    action = CASES[case][0]
    kept = tmp_path / "kept"

    async def script(sitting: Sitting) -> None:
        await sitting.at_rest(APPLIED, WINDOW)
        request = inbox.send(db, action_to(action), "another process")
        folder = beside(db, ".inbox")
        shutil.copytree(folder, kept)
        assert await asyncio.to_thread(inbox.wait_answer, db, request, 1.0)
        sitting.judge.desk.open_up()

    run(db, a_judge(), script)
    once = len(actions_of(db))
    shutil.copytree(kept, beside(db, ".inbox"), dirs_exist_ok=True)
    (stored,) = inbox.requests(db)

    async def again(sitting: Sitting) -> None:
        answer = await asyncio.to_thread(inbox.wait_answer, db, stored.id, 1.0)
        assert answer is not None
        assert answer[0], json.dumps(answer)
        sitting.judge.desk.open_up()

    run(db, ScriptedJudge(desk=Desk(hold=lambda q: q.seq > TOTAL + 4)), again, add={"matches": 10})
    assert len(actions_of(db)) == once + 1, "the other one is the limit"


def test_a_request_for_several_candidates_is_journaled_whole_or_not_at_all(db: Path, tmp_path: Path) -> None:
    a_run(db)
    with images_of_commits(db, tmp_path) as images:
        steered(db, Action("add", ("file",), tuple(newcomer(f"n{n}", f"text of n{n}") for n in range(4))))
    assert {len(actions_of(image)) for image in images} == {0, 4}


def test_the_states_of_twins_and_of_skipped_groups_are_refused(db: Path) -> None:
    lonely = [{"id": "alone", "text": "a text", "group": "lonely"}]
    a_run(db, [*pool(4, "main"), *lonely])
    run(db)
    for action in (Action("pin", ("alone",)), Action("focus", ("alone",))):
        with pytest.raises(RefusedAction, match="holds no matches: it was skipped"):
            act_at_rest(db, action)
    with pytest.raises(RefusedAction, match="it was skipped"):
        act_at_rest(db, Action("add", ("f",), (replace(newcomer(), group="lonely"),)))
