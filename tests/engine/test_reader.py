"""What is written is read back: groups, journal, pending work, costs, and the rows of exports."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import small_run
from hypothesis import given
from hypothesis import strategies as st
from small_run import applied, id_of, match, plan, write

from arena_tui.candidate import Candidate, Group
from arena_tui.errors import NotARun, StoreError
from arena_tui.facts import Intervention, Match, Outcome, RatingChange
from arena_tui.store import facts, reservations
from arena_tui.store.payloads import (
    decode_intervention,
    decode_step,
    decode_vector,
    encode_intervention,
    encode_step,
    encode_vector,
)
from arena_tui.store.reader import (
    Acted,
    Applied,
    Event,
    GroupEnd,
    Planned,
    Reader,
    Snapshot,
    StoredReply,
    StoredVerdict,
)
from arena_tui.values import whole_text

FULL = Candidate(
    id="full",
    text="a text\nwith lines, 漢字 and a \0 in it",
    title="Title",
    group="main",
    system="model-x",
    class_="short",
    parent_ids=("p1", "p2"),
    generation=3,
    rating=1234.5,
    strength=-0.1,
    embedding=(0.1, -2e-300, 3.0),
    review="good",
    meta={"k": [1, {"x": None}], "s": "ü"},
)

RESERVED = reservations.Reserved(0.25, 100, 0.25, 100)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return small_run.new(tmp_path / "run.db")


def act(pos: int, action: Intervention, **more: object):
    return lambda conn: facts.insert_intervention(conn, pos, action, 0, "cli", 7.0, **more)


# Groups and candidates.


def test_groups_read_back_equal(tmp_path: Path) -> None:
    groups = (
        Group(
            "zeta",
            (
                Candidate("full", FULL.text, group="zeta", state="reviewed"),
                Candidate("two", "other", group="zeta"),
                Candidate("copy", FULL.text, group="zeta", twin_of="full"),
            ),
            prompt="why?",
            category="maths",
            criteria={"b": "second letter", "a": "order is kept"},
            meta={"n": 1},
        ),
        Group("main", (FULL, Candidate("c1", "x", state="pinned"))),
        Group("alone", (Candidate("c1", "x", group="alone"),), skipped="one candidate only"),
    )
    with Reader(small_run.new(tmp_path / "run.db", *groups)) as reader:
        assert reader.groups() == groups
        assert list(reader.groups()[0].criteria) == ["b", "a"]
        assert reader.groups()[1].candidates[0].text_hash == FULL.text_hash
        assert reader.group_ends()["alone"] == GroupEnd("skipped", None, "one candidate only")
        assert ("zeta", "copy") not in reader.ratings()


def test_later_states_and_candidates_show_but_do_not_change_the_start(path: Path) -> None:
    added = Candidate("late", "a late text", state="in_tournament")
    write(
        path,
        act(1, Intervention("pin", "main", "c1"), new_state="pinned"),
        act(2, Intervention("add", "main", added=added), rating=1200.0),
        act(3, Intervention("reject", "main", "late"), new_state="rejected"),
    )
    with Reader(path) as reader:
        assert reader.groups() == (small_run.group(),)
        states = {candidate.id: candidate.state for candidate in reader.candidates()}
        assert states == {
            "c0": "in_tournament",
            "c1": "pinned",
            "c2": "in_tournament",
            "c3": "in_tournament",
            "late": "rejected",
        }
        assert reader.ratings()["main", "late"] == (1200.0, 0)


def test_many_candidates_are_read_in_pieces(tmp_path: Path) -> None:
    large = small_run.group(size=4_500)
    with Reader(small_run.new(tmp_path / "run.db", large)) as reader:
        assert reader.groups() == (large,)
        assert [candidate.id for candidate in reader.candidates()] == [c.id for c in large.candidates]


# The journal.


def test_the_journal_reads_back_in_order_as_it_was_written(path: Path) -> None:
    first = Match("main", 1, "c0", "c1", "debate", ("ba", "ab"), round=2, similarity=0.25, why="close")
    second = match(2, "c2", "c3")
    pin = Intervention("pin", "main", "c1")
    settings = Intervention("settings", values={"limits.usd": 3.5, "limits.tokens": None})
    write(
        path,
        plan(1, 1, first),
        plan(2, 2, second),
        act(3, pin, new_state="pinned"),
        applied(4, 2, second, 1, "void"),
        act(5, settings),
        applied(6, 1, first, 2, "b", 0.25),
    )
    void = RatingChange("c2", "c3", 1200.0, 1200.0, 1200.0, 1200.0, 0.5, 32.0)
    moved = RatingChange("c0", "c1", 1200.0, 1216.0, 1200.0, 1184.0, 0.5, 32.0)
    with Reader(path) as reader:
        assert list(reader.journal()) == [
            Planned(1, 1, id_of(first), first),
            Planned(2, 2, id_of(second), second),
            Acted(3, pin, 0, "cli", 7.0),
            Applied(4, 2, id_of(second), Outcome(second, "void", 1, None, "not recorded"), void),
            Acted(5, settings, 0, "cli", 7.0),
            Applied(6, 1, id_of(first), Outcome(first, "b", 2, 0.25), moved),
        ]
        assert [entry.pos for entry in reader.interventions()] == [3, 5]
        assert reader.last_pos() == 6
        assert reader.ratings()["main", "c0"] == (1216.0, 2)
        assert reader.ratings()["main", "c1"] == (1184.0, 2)


def test_a_long_journal_streams_in_order(path: Path) -> None:
    steps = [match(seq) for seq in range(1, 2_501)]
    write(
        path,
        *(
            unit
            for n, step in enumerate(steps, 1)
            for unit in (plan(2 * n - 1, n, step), applied(2 * n, n, step, n))
        ),
    )
    with Reader(path) as reader:
        assert [entry.pos for entry in reader.journal()] == list(range(1, 5_001))
        assert [row["seq"] for row in reader.matches()] == list(range(1, 2_501))


def test_an_overrule_leaves_the_journal_and_changes_what_is_shown(path: Path) -> None:
    steps = [match(1), match(2, "c2", "c3")]
    overrule = Intervention("overrule", "main", seq=1, winner="draw")
    refolded = RatingChange("c0", "c1", 1200.0, 1200.0, 1200.0, 1200.0, 0.5, 32.0)
    same = RatingChange("c2", "c3", 1200.0, 1216.0, 1200.0, 1184.0, 0.5, 24.0)
    write(
        path,
        plan(1, 1, steps[0]),
        applied(2, 1, steps[0], 1, "void"),
        plan(3, 2, steps[1]),
        applied(4, 2, steps[1], 2),
        act(5, overrule),
        lambda conn: facts.mark_overruled(conn, id_of(steps[0]), "draw", 5),
        lambda conn: facts.rewrite_ratings(
            conn, "main", [(1, refolded), (2, same)], {"c0": (1200.0, 1), "c1": (1200.0, 1)}
        ),
    )
    with Reader(path) as reader:
        outcomes = [entry for entry in reader.journal() if isinstance(entry, Applied)]
        assert [entry.outcome.winner for entry in outcomes] == ["void", "a"]
        assert outcomes[0].outcome.reason == "not recorded"
        assert [entry.change for entry in outcomes] == [refolded, same]
        shown = list(reader.matches())
        assert [(row["winner"], row["overruled_by"]) for row in shown] == [("draw", 1), ("a", None)]
        assert (reader.counts().draw, reader.counts().void) == (1, 0)
        assert reader.ratings()["main", "c0"] == (1200.0, 1)


# What is pending, and what it cost.


def test_pending_steps_come_with_their_verdicts_and_replies(path: Path) -> None:
    done, held, asked = match(1), match(2, orders=("ab", "ba")), match(3)
    write(
        path,
        plan(1, 1, done),
        plan(2, 2, held),
        plan(3, 3, asked),
        lambda conn: facts.insert_verdict(conn, 1, "ab", "first"),
        lambda conn: facts.insert_verdict(conn, 2, "ba", "second", 0.2, "since", ("swapped",)),
        lambda conn: facts.insert_verdict(conn, 2, "ab", "draw"),
        lambda conn: facts.insert_reply(
            conn, 3, "ab", text="hm \ud800", failure="timeout", input_tokens=5, usd=None, request_hash="h"
        ),
        lambda conn: facts.insert_reply(
            conn,
            3,
            "ab",
            text="better: 1",
            output_tokens=7,
            usd=0.5,
            sample=1,
            attempt=2,
            turn=3,
            stop_reason="end",
        ),
        applied(4, 1, done, 1),
    )
    with Reader(path) as reader:
        first, second = reader.pending()
        assert (first.pos, first.step_id, first.match_id, first.step) == (2, 2, id_of(held), held)
        assert first.held
        assert first.verdicts == (
            StoredVerdict("ba", "second", 0.2, "since", ("swapped",)),
            StoredVerdict("ab", "draw", None, "", ()),
        )
        assert not second.held
        assert second.replies == (
            StoredReply("ab", 0, 1, 0, "h", "hm \N{REPLACEMENT CHARACTER}", "", "timeout", 5, 0, 0, None),
            StoredReply("ab", 1, 2, 3, "", "better: 1", "end", "", 0, 0, 7, 0.5),
        )
        counts = reader.counts()
        assert (counts.planned, counts.applied, counts.held, counts.comparisons) == (3, 1, 1, 1)


def test_what_a_crash_left_reserved_counts_as_spent(path: Path) -> None:
    write(
        path,
        *(plan(n, n, match(n)) for n in (1, 2, 3)),
        *(lambda conn, n=n: reservations.insert(conn, n, "ab", RESERVED) for n in (1, 2, 3)),
        lambda conn: facts.insert_reply(conn, 1, "ab", text="x", input_tokens=10, output_tokens=5, usd=0.125),
        lambda conn: reservations.settle(conn, 2, "ab"),
    )
    with Reader(path) as reader:
        assert (reader.spent().usd, reader.spent().tokens) == (0.125, 15)
    write(path, reservations.book_lost)
    with Reader(path) as reader:
        spent = reader.spent()
        assert (spent.usd, spent.tokens, spent.calls, spent.failed) == (0.375, 115, 1, 0)


def test_an_unknown_price_makes_the_sum_unknown(path: Path) -> None:
    write(
        path,
        plan(1, 1, match(1)),
        lambda conn: facts.insert_reply(conn, 1, "ab", text="x", usd=1.0),
        lambda conn: facts.insert_reply(conn, 1, "ab", text="", failure="timeout", usd=None, attempt=2),
    )
    with Reader(path) as reader:
        spent = reader.spent()
        assert (spent.usd, spent.calls, spent.failed) == (None, 2, 1)


def test_settling_finds_its_reservation_by_an_index(path: Path) -> None:
    conn = sqlite3.connect(path)
    plan_ = conn.execute(
        "EXPLAIN QUERY PLAN UPDATE reservations SET state = 'settled'"
        " WHERE step = ? AND orientation = ? AND state = 'open'",
        (1, "ab"),
    ).fetchall()
    conn.close()
    assert "reservations_open" in plan_[0][3]


def test_costs_are_known_by_group(tmp_path: Path) -> None:
    path = small_run.new(
        tmp_path / "run.db", small_run.group("b"), small_run.group("a"), small_run.group("c")
    )
    write(
        path,
        *(plan(n, n, match(1, name=name)) for n, name in enumerate("abc", 1)),
        lambda conn: facts.insert_reply(conn, 1, "ab", text="", input_tokens=3, output_tokens=4, usd=0.5),
        lambda conn: facts.insert_reply(conn, 2, "ab", text="", input_tokens=1, usd=None),
        lambda conn: reservations.insert(conn, 1, "ba", RESERVED),
        reservations.book_lost,
    )
    with Reader(path) as reader:
        assert reader.spent_by_group() == {"a": (107, 0.75), "b": (1, 0.0)}


def test_an_applied_match_is_found_by_its_step(path: Path) -> None:
    withdrawn = Outcome(match(2), "void", 2, None, "withdrawn")
    write(
        path,
        *(plan(n, n, match(n)) for n in (1, 2, 3)),
        applied(4, 1, match(1), 1, "b"),
        lambda conn: facts.insert_outcome(
            conn, 5, 2, id_of(match(2)), withdrawn, None, scope="main", played_a=1, played_b=1, at=0.0
        ),
    )
    with Reader(path) as reader:
        assert reader.applied_match("main", 1) == ("c0", "c1", "b", False, 1)
        assert reader.applied_match("main", 2) == ("c0", "c1", "void", True, 2)
        assert reader.applied_match("main", 3) is None
        assert reader.applied_match("nowhere", 1) is None
        rows = list(reader.applied_rows("main"))
        assert [row.numbers for row in rows] == [(1200.0, 1216.0, 1200.0, 1184.0, 0.5, 32.0), (None,) * 6]
        assert [(row.winner, row.reason, row.orders, row.said) for row in rows] == [
            ("b", "", ("ab",), {}),
            ("void", "withdrawn", ("ab",), {}),
        ]
        assert reader.ratings()["main", "c0"] == (1216.0, 1)
        assert reader.counts().withdrawn == 1
        assert [entry.change for entry in reader.journal() if isinstance(entry, Applied)][1] is None


def test_order_consistency_is_kept_of_matches_judged_in_both_orders(path: Path) -> None:
    def judged(n: int, consistent: bool | None):
        step = match(n)
        return lambda conn: facts.insert_outcome(
            conn,
            10 + n,
            n,
            id_of(step),
            Outcome(step, "a", n),
            None,
            scope="main",
            played_a=n,
            played_b=n,
            order_consistent=consistent,
            at=0.0,
        )

    write(path, *(plan(n, n, match(n)) for n in (1, 2, 3, 4)), judged(1, None))
    write(path, judged(2, True), judged(3, False), judged(4, True))
    with Reader(path) as reader:
        assert [row["order_consistent"] for row in reader.matches()] == [None, True, False, True]


# Exports.


def two_groups(tmp_path: Path) -> Path:
    """`zeta` stands before `main` in the pool; in each, step 2 is applied before step 1."""
    path = small_run.new(tmp_path / "two.db", small_run.group("zeta"), small_run.group("main"))
    pos = 0
    units = []

    def says(step_id: int, *verdict: object) -> None:
        units.append(lambda conn: facts.insert_verdict(conn, step_id, *verdict))

    for step_id, name in ((1, "main"), (3, "zeta")):
        steps = [match(1, "c0", "c1", name, orders=("ab", "ba")), match(2, "c3", "c2", name, round=1)]
        for offset, step in enumerate(steps):
            pos += 1
            units.append(plan(pos, step_id + offset, step))
        units.append(lambda conn, n=step_id: facts.insert_verdict(conn, n, "ba", "first", 0.75, "so", ("f",)))
        units.append(lambda conn, n=step_id: facts.insert_verdict(conn, n, "ab", "first", 0.5))
        units.append(
            lambda conn, n=step_id + 1: facts.insert_verdict(conn, n, "ba", "invalid", None, "mumbled")
        )
        for applied_no, offset in ((1, 1), (2, 0)):
            pos += 1
            winner = "void" if offset else "draw"
            units.append(applied(pos, step_id + offset, steps[offset], applied_no, winner))
    write(path, *units)
    return path


def test_matches_are_exported_in_group_order_then_applied_order(tmp_path: Path) -> None:
    with Reader(two_groups(tmp_path)) as reader:
        rows = list(reader.matches())
        assert [(row["group"], row["applied_no"], row["seq"]) for row in rows] == [
            ("zeta", 1, 2),
            ("zeta", 2, 1),
            ("main", 1, 2),
            ("main", 2, 1),
        ]
        assert ",".join(rows[0]) == (
            "seq,applied_no,group,round,hyp_a,hyp_b,mode,winner,elo_a_before,elo_a_after,elo_b_before,"
            "elo_b_after,p_a,similarity,rationale,flags,order_consistent,overruled_by,at,why"
        )
        assert rows[0] == {
            "seq": 2,
            "applied_no": 1,
            "group": "zeta",
            "round": 1,
            "hyp_a": "c3",
            "hyp_b": "c2",
            "mode": "pairwise",
            "winner": "void",
            "elo_a_before": 1200.0,
            "elo_a_after": 1200.0,
            "elo_b_before": 1200.0,
            "elo_b_after": 1200.0,
            "p_a": None,
            "similarity": None,
            "rationale": "why 2",
            "flags": [],
            "order_consistent": None,
            "overruled_by": None,
            "at": None,
            "why": "",
        }
        timed = list(reader.matches(times=True))
        assert [row.pop("applied_at") for row in timed] == [1007.0, 1008.0, 1003.0, 1004.0]
        assert timed == rows


def test_comparisons_name_the_one_shown_first_a(tmp_path: Path) -> None:
    with Reader(two_groups(tmp_path)) as reader:
        rows = list(reader.comparisons())
    assert [(row["group"], row["seq"], row["a"], row["b"], row["winner"], row["p_a"]) for row in rows] == [
        (name, *rest)
        for name in ("zeta", "main")
        for rest in (
            (2, "c2", "c3", "invalid", None),
            (1, "c0", "c1", "a", 0.5),
            (1, "c1", "c0", "a", 0.75),
        )
    ]
    assert list(rows[0]) == [
        *("a", "b", "winner", "p_a", "group", "seq", "mode", "reason", "flags"),
        *("first", "weight", "match", "overruled", "system_a", "system_b"),
    ]
    assert {row["first"] for row in rows} == {"a"}
    assert [(row["weight"], row["match"], row["overruled"]) for row in rows[:3]] == [
        (0.0, 2, None),  # unusable
        (0.5, 1, None),
        (0.5, 1, None),
    ]
    assert (rows[2]["reason"], rows[2]["flags"], rows[0]["reason"]) == ("so", ["f"], "mumbled")


def test_comparisons_of_pending_matches_are_not_exported(path: Path) -> None:
    write(path, plan(1, 1, match(1)), lambda conn: facts.insert_verdict(conn, 1, "ab", "first"))
    with Reader(path) as reader:
        assert list(reader.comparisons()) == []
        assert list(reader.matches()) == []


def test_snapshots_events_and_meta_read_back(path: Path) -> None:
    write(
        path,
        lambda conn: facts.insert_snapshot(conn, "main", 20, [("c1", 1216.25), ("c0", 1184.0)], True),
        lambda conn: facts.insert_snapshot(conn, "main", 10, [("c0", 1200.0)], False),
        lambda conn: facts.insert_event(conn, 4, "paused", '{"why":"user"}', 3.5),
        lambda conn: facts.set_meta(conn, "stop_reason", "BUDGET"),
        lambda conn: facts.set_meta(conn, "stop_reason", "ELO_STABLE"),
    )
    with Reader(path) as reader:
        assert reader.snapshots() == [
            Snapshot("main", 10, (("c0", 1200.0),), False),
            Snapshot("main", 20, (("c1", 1216.25), ("c0", 1184.0)), True),
        ]
        assert list(reader.events()) == [Event(4, "paused", '{"why":"user"}', 3.5)]
        assert reader.meta() == {"run": small_run.RUN, "stop_reason": "ELO_STABLE"}


def test_a_follower_notices_commits_and_can_hold_one_moment(path: Path) -> None:
    with Reader(path) as reader:
        before = reader.data_version()
        with reader.frozen():
            assert reader.applied() == 0
            write(path, plan(1, 1, match(1)), applied(2, 1, match(1), 1))
            assert reader.applied() == 0
        assert reader.applied() == 1
        assert reader.data_version() != before


def test_damage_met_while_reading_is_one_sentence(path: Path) -> None:
    conn = sqlite3.connect(path)
    root = conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'candidates'").fetchone()[0]
    size = conn.execute("PRAGMA page_size").fetchone()[0]
    conn.close()
    whole = bytearray(path.read_bytes())
    whole[(root - 1) * size : root * size] = b"\xa5" * size
    path.write_bytes(whole)
    with Reader(path) as reader, pytest.raises(NotARun, match="damaged"):
        reader.groups()


# States move forward only.


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        (applied(9, 1, match(1), 2), "not waiting"),
        (applied(9, 7, match(7), 2), "not waiting"),
        (lambda conn: facts.mark_overruled(conn, id_of(match(2)), "a", 9), "no outcome to overrule"),
        (lambda conn: facts.reopen_group(conn, "main"), "not closed"),
        (lambda conn: facts.close_group(conn, "nowhere", "IDLE", ""), "not open"),
        (act(9, Intervention("pin", "main", "nobody"), new_state="pinned"), "no candidate"),
        (lambda conn: facts.rewrite_ratings(conn, "main", [], {"nobody": (1.0, 1)}), "no rating"),
    ],
)
def test_a_fact_that_does_not_fit_is_refused(path: Path, unit, says: str) -> None:
    write(path, plan(1, 1, match(1)), applied(2, 1, match(1), 1), plan(3, 2, match(2)))
    with pytest.raises(StoreError, match=says):
        write(path, unit)


def test_groups_close_and_reopen(path: Path) -> None:
    write(path, lambda conn: facts.close_group(conn, "main", "ELO_STABLE", "the top 5 stood still"))
    with Reader(path) as reader:
        assert reader.group_ends()["main"] == GroupEnd("closed", "ELO_STABLE", "the top 5 stood still")
        assert reader.groups()[0].skipped is None
    write(path, lambda conn: facts.reopen_group(conn, "main"))
    with Reader(path) as reader:
        assert reader.group_ends()["main"] == GroupEnd("open", None, "")


def test_a_match_id_is_the_same_for_both_orders_and_known() -> None:
    known = "a291e100"  # printf 'x1\\0y2\\0r:g:7' | sha256sum
    assert facts.match_id("r", "g", 7, "y2", "x1") == facts.match_id("r", "g", 7, "x1", "y2")
    assert facts.match_id("r", "g", 7, "x1", "y2")[:8] == known
    assert facts.match_id("r", "g", 8, "x1", "y2") != facts.match_id("r", "g", 7, "x1", "y2")


# Payloads.

text = st.text()
number = st.floats(allow_nan=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
candidates = st.builds(
    Candidate,
    id=text,
    text=text,
    title=text,
    group=text,
    system=st.none() | text,
    class_=st.none() | text,
    parent_ids=st.lists(text, max_size=3).map(tuple),
    generation=st.integers(0, 9),
    rating=st.none() | number,
    strength=st.none() | number,
    embedding=st.none() | st.lists(number, max_size=3).map(tuple),
    review=st.none() | text,
    meta=st.dictionaries(text, json_values, max_size=3),
    twin_of=st.none() | text,
    state=st.sampled_from(["reviewed", "in_tournament"]),
)


@given(
    st.builds(
        Intervention,
        kind=st.sampled_from(["pin", "add", "overrule", "settings"]),
        group=st.none() | text,
        candidate=st.none() | text,
        other=st.none() | text,
        added=st.none() | candidates,
        seq=st.none() | st.integers(1, 99),
        winner=st.sampled_from([None, "a", "void"]),
        values=st.dictionaries(text, json_values, max_size=3),
    )
)
def test_interventions_read_back_equal(action: Intervention) -> None:
    assert decode_intervention(encode_intervention(action)) == action


@given(
    st.builds(
        Match,
        group=text,
        seq=st.integers(1, 10**6),
        a=text,
        b=text,
        mode=st.sampled_from(["pairwise", "debate", "score"]),
        orders=st.sampled_from([("ab",), ("ba",), ("ab", "ba"), ("ba", "ab")]),
        round=st.none() | st.integers(1, 9),
        similarity=st.none() | number,
        why=text,
    )
)
def test_steps_read_back_equal(step: Match) -> None:
    assert decode_step(encode_step(step)) == step


@given(st.none() | st.lists(number).map(tuple))
def test_vectors_read_back_bit_for_bit(vector: tuple[float, ...] | None) -> None:
    assert decode_vector(encode_vector(vector)) == vector


@given(st.text(st.characters()))
def test_any_text_can_be_stored_and_ordinary_text_is_untouched(text: str) -> None:
    kept = whole_text(text)
    assert kept.encode().decode() == kept
    assert len(kept) <= len(text)
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert kept == text
