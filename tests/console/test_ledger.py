"""The ledger: the same facts give the same boards, in whatever portions they come."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise

from console_facts import act, entrant, ledger_of, play
from hypothesis import given
from hypothesis import strategies as st
from ledger_dump import dump, ranks

from arena_tui.console.ledger import Ledger
from arena_tui.store.board_rows import ActFact, EntrantFact, GroupFact, MatchFact

Fact = ActFact | EntrantFact | MatchFact

KINDS = {"pin": "pinned", "unpin": "in_tournament", "reject": "rejected", "restore": "in_tournament"}


def begun(size: int) -> Ledger:
    ledger = Ledger()
    for group in ("main", "other"):
        ledger.open_group(GroupFact(group, None, "open", None, ""))
        for number in range(size):
            ledger.admit(
                entrant(
                    f"c{number}",
                    group=group,
                    class_="xy"[number % 2] if group == "main" else None,
                    start=1200.0 + number % 3,
                    twin_of="c0" if number == size - 2 and size % 2 == 0 else None,
                    state="draft" if number == size - 1 else "in_tournament",
                )
            )
    return ledger


def story(seed: int, size: int, length: int) -> list[Fact]:
    """A seeded journal over `begun(size)`: matches, void and withdrawn ones, changes of state, newcomers."""
    rng = random.Random(seed)
    ratings: dict[tuple[str, str], float] = {}
    seqs = {"main": 0, "other": 0}
    facts: list[Fact] = []
    for step in range(length):
        pos, group = 3 * step + 2, rng.choice(("main", "main", "other"))
        kind = rng.random()
        if kind < 0.04:
            facts.append(entrant(f"n{step}", group=group, class_="x", parent_ids=("c0",), added_pos=pos))
        elif kind < 0.12:
            verb = rng.choice(list(KINDS))
            who = f"c{rng.randrange(size)}"
            facts.append(ActFact(pos, verb, group, who, KINDS[verb], "cli", 0.0))  # type: ignore[arg-type]
        else:
            a, b = rng.sample(range(size - 2), 2)
            seqs[group] += 1
            winner = rng.choice(("a", "b", "draw", "void"))
            gain = {"a": 16.0, "b": -16.0, "draw": rng.choice((-1.0, 0.0, 1.0)), "void": 0.0}[winner]
            one, other = (group, f"c{a}"), (group, f"c{b}")
            before = [ratings.get(each, 1200.0 + int(each[1][1:]) % 3) for each in (one, other)]
            ratings[one], ratings[other] = before[0] + gain, before[1] - gain
            sides = (before[0], before[0] + gain, before[1], before[1] - gain)
            gone = winner == "void" and rng.random() < 0.5
            facts.append(
                MatchFact(pos, group, seqs[group], one[1], other[1], "pairwise", winner, *sides, False, gone)  # type: ignore[arg-type]
            )
    return facts


def tell(ledger: Ledger, facts: Iterable[Fact]) -> None:
    """Hand over facts, matches that follow each other in one go."""
    run: list[MatchFact] = []
    for fact in facts:
        if isinstance(fact, MatchFact):
            run.append(fact)
            continue
        ledger.apply(run)
        run = []
        if isinstance(fact, ActFact):
            ledger.act(fact)
        else:
            ledger.admit(fact)
            ledger.reach(fact.added_pos or 0)
    ledger.apply(run)


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(4, 90),
    length=st.integers(0, 120),
    cuts=st.lists(st.integers(0, 120), max_size=12),
)
def test_facts_in_any_portions_give_the_same_ledger(
    seed: int, size: int, length: int, cuts: list[int]
) -> None:
    facts = story(seed, size, length)
    at_once, in_portions = begun(size), begun(size)
    tell(at_once, facts)
    places = [0, *sorted(cuts), length]
    for start, end in pairwise(places):
        tell(in_portions, facts[start:end])
        in_portions.board()  # ranked in between
    assert dump(in_portions) == dump(at_once)


@given(seed=st.integers(0, 10_000), size=st.integers(4, 90), length=st.integers(1, 60))
def test_ranks_and_movements_are_those_of_sorting_everybody_at_each_moment(
    seed: int, size: int, length: int
) -> None:
    ledger = begun(size)
    for fact in story(seed, size, length):
        tell(ledger, [fact])
        for group in ledger.groups:
            board = [each for each in ledger.board(group) if each.twin_of is None]
            assert {each.id: (each.rank, each.moved) for each in board} == ranks(ledger, group)
            assert [each.rank for each in board if each.class_ == board[0].class_ and each.rank] == list(
                range(1, 1 + sum(each.rank > 0 for each in board if each.class_ == board[0].class_))
            )


def test_a_twin_always_has_its_originals_record_and_its_own_name() -> None:
    ledger = ledger_of([entrant("a"), entrant("b"), entrant("again", twin_of="a", title="Again")], 9)
    original, twin = ledger.find("main", "a"), ledger.find("main", "again")
    assert original is not None
    assert twin is not None
    assert (twin.rating, twin.wins, twin.matches, twin.rank) == (
        original.rating,
        original.wins,
        original.matches,
        original.rank,
    )
    assert twin.history is original.history
    assert (twin.id, twin.title, twin.plays) == ("again", "Again", False)
    play(ledger, 1, seed=5)
    assert twin.rating == original.rating
    assert [line.index for line in ledger.matches_of(twin)] == list(range(9, -1, -1))
    shown = [each.id for each in ledger.board("main")]
    assert shown.index("again") == shown.index("a") + 1


def test_a_withdrawn_match_is_listed_and_counts_for_nothing() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")])
    gone = MatchFact(1, "main", 1, "a", "b", "debate", "void", 1200.0, 1200.0, 1200.0, 1200.0, False, True)
    void = MatchFact(2, "main", 2, "a", "b", "debate", "void", None, None, None, None, False)
    ledger.apply([gone, void])
    a = ledger.find("main", "a")
    assert a is not None
    assert (a.voids, a.matches, list(a.history)) == (1, 0, [])
    assert [(line.seq, line.withdrawn) for line in ledger.matches_of(a)] == [(2, False), (1, True)]


def test_the_rejected_rank_last_and_those_who_never_played_have_no_rank() -> None:
    ledger = ledger_of([entrant("a"), entrant("b"), entrant("c", state="draft")], 4)
    best = ledger.board("main")[0]
    act(ledger, "reject", best.id, "rejected")
    assert [(each.id == best.id, each.rank) for each in ledger.board("main")] == [
        (False, 1),
        (True, 2),
        (False, 0),
    ]
    act(ledger, "restore", "c", "in_tournament")
    newcomer = ledger.find("main", "c")
    assert newcomer is not None
    assert newcomer.rank > 0


def test_the_revision_grows_with_what_changes_something_and_with_nothing_else() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")], 2)
    before = ledger.revision
    ledger.open_group(GroupFact("main", "prompt of main", "open", None, ""))
    ledger.flag("main", "a", ())
    ledger.act(ActFact(ledger.pos + 1, "focus", "main", "a", None, "cli", 0.0))
    ledger.reach(100)
    assert (ledger.revision, ledger.pos) == (before, 100)
    ledger.open_group(GroupFact("main", "prompt of main", "closed", "IDLE", "nobody left"))
    assert ledger.revision > before
    assert ledger.revision != Ledger().revision


def test_a_skipped_group_is_on_no_board_but_its_own() -> None:
    ledger = ledger_of([entrant("a"), entrant("b")])
    ledger.open_group(GroupFact("small", None, "skipped", None, "only one candidate"))
    ledger.admit(entrant("c", group="small"))
    assert [each.id for each in ledger.board()] == ["a", "b"]
    assert [(each.id, each.rank) for each in ledger.board("small")] == [("c", 0)]


def test_parents_know_their_children_in_the_order_of_admission() -> None:
    ledger = ledger_of(
        [entrant("a"), entrant("b", parent_ids=("a", "a")), entrant("c", parent_ids=("a", "z"))]
    )
    parent = ledger.find("main", "a")
    assert parent is not None
    assert [each.id for each in ledger.children(parent)] == ["b", "c"]
    assert ledger.find("main", "z") is None
    assert ledger.find("nowhere", "a") is None
    assert ledger.find_match("main", 1) is None
