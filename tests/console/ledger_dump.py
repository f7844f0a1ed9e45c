"""All that a ledger tells, as plain values that compare; and ranks computed the slow, obvious way."""

from __future__ import annotations

from typing import Any

from arena_tui.console.ledger import MOVEMENT, Entrant, Ledger


def dump(ledger: Ledger) -> dict[str, Any]:
    """Everything that a screen can read of a ledger, but for its revision and where groups stand."""
    return {
        "pos": ledger.pos,
        "groups": [(board.id, board.prompt, board.applied) for board in ledger.groups.values()],
        "boards": {id_: [_entrant(each) for each in ledger.board(id_)] for id_ in ledger.groups},
        "matches": [_match(ledger, index) for index in range(ledger.match_count)],
        "of": {
            (each.group, each.id): [line.index for line in ledger.matches_of(each)]
            for each in ledger.entrants
        },
    }


def _entrant(each: Entrant) -> tuple[Any, ...]:
    names = (each.number, each.id, each.title, each.class_, each.parent_ids, each.generation, each.twin_of)
    record = (each.rating, each.start, each.wins, each.draws, each.losses, each.voids, each.matches)
    return (
        *names,
        each.state,
        each.plays,
        *record,
        each.rank,
        each.moved,
        list(each.history),
        list(each.history_at),
    )


def _match(ledger: Ledger, index: int) -> tuple[Any, ...]:
    line = ledger.match(index)
    assert ledger.find_match(line.group, line.seq) == line
    sides = (line.a.id, line.b.id, line.mode, line.winner, line.a_change, line.b_change)
    return (line.index, line.pos, line.group, line.seq, *sides, line.overruled, line.withdrawn)


def ranks(ledger: Ledger, group: str) -> dict[str, tuple[int, int]]:
    """(rank, places gained) of everybody but twins, by sorting each class twice."""
    board = ledger.groups[group]
    played = [
        line.index
        for line in map(ledger.match, range(ledger.match_count))
        if line.group == group and not line.withdrawn
    ]
    since = played[-MOVEMENT:][0] if played else 0
    found: dict[str, tuple[int, int]] = {}
    for class_ in {each.class_ for each in board.entrants}:
        members = [each for each in board.entrants if each.class_ == class_ and each.twin_of is None]
        ever = [each for each in members if each.entered]
        now = sorted(ever, key=lambda each: (not each.plays, -each.rating))
        then = sorted(ever, key=lambda each: (not each.plays, -each.rating_before(since)))
        found |= {each.id: (0, 0) for each in members if not each.entered}
        found |= {each.id: (now.index(each) + 1, then.index(each) - now.index(each)) for each in ever}
    return found
