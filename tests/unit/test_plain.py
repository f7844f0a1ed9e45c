"""The plain display: what its lines say of actions, pauses, progress and the end, in good grammar."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

from arena_tui.engine.budget import NANO, Account, Caps, Cost
from arena_tui.engine.events import GateMoved, Intervened, MatchFinished, RatingsChanged, RunStarted
from arena_tui.engine.state import GroupState, RunState
from arena_tui.report.endings import NOTHING_USABLE, ending_lines
from arena_tui.report.plain import PlainDisplay, _eta
from arena_tui.report.result import Result, StandingRow

RESULT = Result(
    run="r1", name="n", format="elo", compare="candidates", seed=42, stop_reason="BUDGET",
    stop_detail="the limit of 20 matches is used up", db="/x.db",
    matches={"a": 10, "b": 9, "draw": 0, "void": 0, "held": 0}, comparisons=19,
    calls={}, usage={}, groups={"total": 1, "finished": 0, "stop_reasons": {}, "skipped": []},
    standings=[], judge={"simulated": False}, details={"closest_races": [], "hardly_played": []},
)  # fmt: skip


def standing(id_: str) -> StandingRow:
    given: dict[str, Any] = dict.fromkeys(StandingRow.__dataclass_fields__)
    return StandingRow(**given | {"id": id_, "group": "main", "state": "in_tournament"})


def told(*events: Any, groups: int = 1) -> list[str]:
    stream = io.StringIO()
    display = PlainDisplay(stream, quiet=False)
    display._state = RunState(groups={f"g{n}": GroupState(f"g{n}") for n in range(groups)}, judge="j")
    display._many = groups > 1
    for event in events:
        display.event(event)
    return stream.getvalue().splitlines()


def act(action: str, **more: Any) -> Intervened:
    candidate = more.pop("candidate", None)
    group = None if action == "settings" else "g0"
    return Intervened(1, action, group, candidate, more.pop("after", 5), "cli", **more)


def test_actions_are_told_with_all_that_was_asked() -> None:
    assert told(
        act("match", candidate="a", other="b"),
        act("settings", values={"limits.matches": 9, "stop.n": 2}),
        act("overrule", seq=7, winner="draw"),
        act("pin", candidate="a", after=1),
    ) == [
        "action: match a and b, after 5 matches",
        "action: settings limits.matches=9 stop.n=2, after 5 matches",
        "action: overrule match 7 to draw, after 5 matches",
        "action: pin a, after 1 match",
    ]
    (line,) = told(act("overrule", seq=7, winner="void"), groups=2)
    assert line == "action: overrule g0:7 to void, after 5 matches"


def test_one_of_a_thing_is_singular() -> None:
    assert told(
        GateMoved(1, "paused", 1), GateMoved(1, "draining", 1, "why"), GateMoved(1, "cancelling", 1)
    ) == [
        "paused: nothing new starts, 1 call finishes",
        "stopping (why): nothing new starts, 1 call finishes; once more cancels them",
        "stopping: 1 call cancelled",
    ]
    assert told(RunStarted(1, "r", "n", 3, True, 1)) == ["run r goes on after 1 match; seed 3, judge: j"]
    one = replace(RESULT, matches={"a": 1, "b": 0, "draw": 0, "void": 0, "held": 0}, comparisons=1)
    assert ending_lines(one, "stopped")[1] == "1 match; 1 comparison; seed 42; run r1"


@pytest.mark.parametrize("quiet", [False, True])
def test_a_pause_that_nobody_asked_for_says_how_to_go_on(quiet: bool) -> None:
    stream = io.StringIO()
    display = PlainDisplay(stream, quiet=quiet)
    display._state = RunState(run="r1")
    display.event(GateMoved(1, "paused", 2, "round 1 of group g is finished"))
    assert stream.getvalue() == "paused: round 1 of group g is finished; `arena act r1 resume` goes on\n"


MATCH = MatchFinished(4, "g0", 7, 3, "a", "b", "pairwise", "a", "")
RATING = RatingsChanged(4, "g0", 7, "a", 1200, 1216, "b", 1200, 1184)


def test_matches_are_numbered_as_everything_else_numbers_them() -> None:
    void = replace(MATCH, seq=9, winner="void", reason="no")
    lines = told(MATCH, RATING, void)
    assert lines == ["   7 a beats b  1216.0 (+16.0), 1184.0 (-16.0)  pairwise", "   9 a - b: void (no)"]


async def test_nothing_is_written_over_the_question_of_a_person_and_nobody_is_named() -> None:
    stream = io.StringIO()
    display = PlainDisplay(stream, quiet=False)
    display.attach(RunState(groups={"g0": GroupState("g0")}, judge="human"), lambda _, id_: id_, person=True)
    for event in (MATCH, RATING, replace(MATCH, winner="void"), GateMoved(5, "paused", 1)):
        display.event(event)
    assert display._ticker is None
    display.close()
    assert stream.getvalue() == "paused: nothing new starts, 1 call finishes\n"


@pytest.mark.parametrize(
    ("state", "rate", "says"),
    [
        ({"match_limit": 20, "started": 3}, 0.0, "at most 17 matches to start"),
        ({"match_limit": 20, "started": 19}, 0.0, "at most 1 match to start"),
        ({"match_limit": 20, "started": 10}, 1.0, "at most 10 s left"),
        ({"wall_clock_limit": 60.0, "elapsed": 20.0}, 0.0, "at most 40 s left"),
        ({"token_limit": 9}, 1.0, "until its stop rule fires or its budget is spent"),
        ({}, 1.0, "until its stop rule fires"),
    ],
)
def test_the_first_progress_line_knows_the_limits_already(
    state: dict[str, Any], rate: float, says: str
) -> None:
    assert _eta(RunState(**state), rate) == says


@pytest.mark.parametrize(
    ("status", "first", "last"),
    [
        ("running", "running: not ended yet", "run r1"),
        ("paused", "paused: not ended yet", "run r1"),
        ("interrupted", "interrupted: its process is gone", "go on with: arena resume /x.db"),
    ],
)
def test_a_run_that_has_not_ended_is_told_as_the_list_of_runs_has_it(
    status: str, first: str, last: str
) -> None:
    lines = ending_lines(replace(RESULT, stop_reason=None, stop_detail=""), status)
    assert lines[0].startswith(first)
    assert lines[-1].endswith(last)


def obstacle(of_group: bool, **caps: Any) -> str:
    account = Account(Caps(**caps), Cost(90, 90 * NANO), matches=9, of_group=of_group)
    why = account.obstacle(Cost(20, 20 * NANO), True)
    assert why is not None
    return why


@pytest.mark.parametrize(
    ("caps", "own", "each"),
    [
        ({"matches": 9}, "--add-matches N", "per_group.matches=N"),
        ({"tokens": 100}, "--add-tokens N", "per_group.tokens=N"),
        ({"usd": 100.0}, "--add-usd X", "per_group.usd=X"),
    ],
)
def test_hint_after_a_limit_fits_the_sentence_that_the_budget_says(
    caps: dict[str, Any], own: str, each: str
) -> None:
    run, group = (replace(RESULT, stop_detail=obstacle(of_group, **caps)) for of_group in (False, True))
    assert ending_lines(run, "stopped")[-1] == f"go on with: arena resume /x.db {own}"
    assert ending_lines(group, "stopped")[-1] == (
        f"go on with: arena act /x.db limit {each}, then arena resume /x.db"
    )


def test_held_verdicts_are_counted_in_the_table_after_a_limit_and_kept_for_later_else() -> None:
    held = replace(RESULT, matches=dict(RESULT.matches) | {"held": 1})
    assert ending_lines(held, "stopped")[1].startswith("19 matches, 1 held verdict counted in the table; ")
    aborted = replace(held, stop_reason="EXTERNAL", stop_detail="interrupted")
    assert ending_lines(aborted, "stopped")[1].startswith("19 matches, 1 held for later; ")
    some = replace(held, groups=dict(held.groups) | {"stop_reasons": {"g": "ELO_STABLE"}})
    assert "1 held for later" in ending_lines(some, "stopped")[1], "not in a group that its own rule closed"


def test_only_gaps_that_a_few_matches_could_turn_are_called_close() -> None:
    races = [{"ahead": "a", "behind": "b", "gap": gap} for gap in (0.0, 12.34, 252.7)]
    result = replace(RESULT, details={"closest_races": races, "hardly_played": []})
    assert [line for line in ending_lines(result, "stopped") if "small gap: " in line] == [
        "small gap: a is level with b",
        "small gap: a is 12.3 ahead of b",
    ]


def test_when_nothing_was_usable_going_on_is_not_advised() -> None:
    void = {"a": 0, "b": 0, "draw": 0, "void": 10, "held": 0}
    failed = replace(RESULT, stop_reason="IDLE", matches=void)
    assert ending_lines(failed, "stopped")[-1] == NOTHING_USABLE
    some = replace(failed, matches=void | {"a": 1})
    assert ending_lines(some, "stopped")[-1] == "go on with: arena resume /x.db"


def test_when_nobody_has_played_much_not_everybody_is_named() -> None:
    def lines(*hardly: str) -> list[str]:
        rows = [standing(id_) for id_ in ("a", "b", "c")]
        details = {"closest_races": [], "hardly_played": list(hardly)}
        found = ending_lines(replace(RESULT, standings=rows, details=details), "finished")
        return [line for line in found if line.startswith("hardly")]

    assert lines("a", "b", "c") == ["hardly played: all"]
    assert lines("a", "b") == ["hardly played: a, b"]


def test_reasons_of_unusable_verdicts_and_a_simulation_are_told() -> None:
    reasons = [{"reason": "it printed\nnothing", "comparisons": 3}]
    result = replace(RESULT, judge={"simulated": True, "invalid_reasons": reasons})
    lines = ending_lines(result, "stopped")
    assert lines[1].endswith("; SIMULATED")
    assert lines[2] == "no verdict in 3 comparisons: it printed nothing"
