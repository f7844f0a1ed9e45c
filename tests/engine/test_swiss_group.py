"""A Swiss tournament as the engine drives it: round by round, resumed from every place of its journal."""

from __future__ import annotations

from random import Random

from arena_tui.candidate import Candidate, Group
from arena_tui.engine.group import GroupRun
from arena_tui.engine.order import AppliedOrder
from arena_tui.engine.stopping import StopWatch
from arena_tui.facts import Intervention, Match
from arena_tui.formats.swiss import SwissTournament
from arena_tui.settings import Stop, SwissFormat
from arena_tui.vocabulary import Winner

Entry = Match | tuple[Match, Winner] | Intervention


def a_group_run(size: int = 9) -> GroupRun:
    group = Group("main", tuple(Candidate(f"c{i}", f"text {i}", class_="xy"[i % 2]) for i in range(size)))
    format_ = SwissTournament(group, SwissFormat(rounds=3), seed=9)
    durations = {"pairwise": 1.0, "score": 1.0, "debate": 15.0}
    order = AppliedOrder(ordering="seq", durations=durations, lookahead=1, windowed=format_.windowed)  # type: ignore[arg-type]
    return GroupRun(group, 0, format_, order, StopWatch(Stop(rule="none")))


def go_on(run: GroupRun, actions: dict[int, Intervention]) -> list[Entry]:
    """Drive to the end; an action is taken after so many outcomes, before the next step is chosen."""
    journal: list[Entry] = []
    while True:
        action = actions.get(run.order.applied)
        if action is not None:
            del actions[run.order.applied]
            run.intervene(action)
            journal.append(action)
        while (step := run.choose()) is not None:
            journal.append(step)
        due = run.order.due()
        if due is None:
            return journal
        winner: Winner = Random(due.seq).choice(["a", "b", "draw"])
        entry = (due, "void" if due.seq in run.withdrawn else winner)
        run.apply(*entry)
        journal.append(entry)


def follow(run: GroupRun, journal: list[Entry]) -> None:
    for entry in journal:
        if isinstance(entry, Match):
            run.adopt(entry)
        elif isinstance(entry, Intervention):
            run.intervene(entry)
        else:
            run.apply(*entry)


def actions_of_the_run() -> dict[int, Intervention]:
    late = Candidate("late", "a late text", class_="x")
    return {
        1: Intervention("reject", "main", "c0"),
        3: Intervention("add", "main", added=late),
        6: Intervention("restore", "main", "c0"),
        8: Intervention("overrule", "main", seq=3, winner="draw", values={"was": "a"}),
    }


def test_a_run_ends_completed_and_a_rejected_opponent_has_a_bye() -> None:
    run = a_group_run()
    journal = go_on(run, actions_of_the_run())
    closing = run.exhausted()
    assert closing is not None
    assert closing.reason == "COMPLETED"
    [first] = [e for e in journal if isinstance(e, Match) and e.round == 1 and "c0" in (e.a, e.b)]
    walkovers = run.format.details()["brackets"]["x"]["walkovers"]
    assert walkovers[0] == [first.b if first.a == "c0" else first.a]
    assert run.withdrawn_applied == 1


def test_a_run_resumed_anywhere_in_a_round_is_the_unbroken_one() -> None:
    whole = a_group_run()
    journal = go_on(whole, actions_of_the_run())
    assert len({entry.round for entry in journal if isinstance(entry, Match)}) == 3
    for cut in range(len(journal) + 1):
        run = a_group_run()
        follow(run, journal[:cut])
        taken = {entry.kind for entry in journal[:cut] if isinstance(entry, Intervention)}
        left = {no: action for no, action in actions_of_the_run().items() if action.kind not in taken}
        assert journal[:cut] + go_on(run, left) == journal
        assert run.format.details() == whole.format.details()
        assert list(run.format.pairings()) == list(whole.format.pairings())
        assert list(run.format.scores()) == list(whole.format.scores())
