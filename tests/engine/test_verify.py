"""The structural check: a whole run has no faults, and each kind of damage is found and named."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import small_run
from small_run import applied, match, plan, write

from arena_tui.facts import Intervention
from arena_tui.store import facts, reservations
from arena_tui.store.verify import open_reservations, structural


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two groups; in `main` three steps, two of them applied out of their order, and a pin."""
    path = small_run.new(tmp_path / "run.db", small_run.group(), small_run.group("other"))
    steps = [match(1), match(2, "c2", "c3"), match(3)]
    other = match(1, name="other")
    write(
        path,
        *(plan(n, n, step) for n, step in enumerate(steps, 1)),
        plan(4, 4, other),
        applied(5, 2, steps[1], 1, "draw"),
        lambda conn: facts.insert_intervention(
            conn, 6, Intervention("pin", "main", "c1"), 1, "cli", 0.0, new_state="pinned"
        ),
        applied(7, 1, steps[0], 2, "void"),
        applied(8, 4, other, 1),
        lambda conn: facts.insert_verdict(conn, 3, "ab", "first"),
    )
    return path


def damage(path: Path, *statements: str) -> None:
    conn = sqlite3.connect(path)
    for statement in statements:
        assert conn.execute(statement).rowcount != 0, f"changed nothing: {statement}"
    conn.commit()
    conn.close()


def test_a_whole_run_has_no_faults(path: Path) -> None:
    assert structural(path) == []


def test_a_new_run_has_no_faults(tmp_path: Path) -> None:
    assert structural(small_run.new(tmp_path / "new.db")) == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM interventions", "position 6 is missing"),
        ("UPDATE interventions SET pos = 5", "position 5 is there twice"),
        ("UPDATE steps SET pos = 0 WHERE pos = 1", "position 0 is there twice"),
        ("DELETE FROM elo_journal WHERE pos = 8", "disagree on whether it is applied"),
        ("UPDATE steps SET state = 'planned' WHERE id = 1", "disagree on whether it is applied"),
        (
            "UPDATE tournament_matches SET applied_no = NULL WHERE step = 1",
            "says something else than the step",
        ),
        ("DELETE FROM tournament_matches WHERE step = 3", "its match is missing"),
        ("UPDATE tournament_matches SET winner = 'a' WHERE step = 2", "differs from the journal's"),
        ("UPDATE tournament_matches SET overruled_by = 6 WHERE step = 1", "overruled by an action"),
        (
            "UPDATE tournament_matches SET applied_no = 9 WHERE step = 1",
            "group main (2 applied, last number 9)",
        ),
        ("UPDATE steps SET group_seq = 9 WHERE id = 3", "group main (3 steps, last number 9)"),
        ("UPDATE comparisons SET orientation = 'ba'", "an order that was not planned"),
        ("UPDATE candidates SET added_pos = 6 WHERE id = 'c3' AND group_id = 'main'", "candidate main/c3"),
        ("UPDATE tournament_matches SET hyp_b = 'nobody' WHERE step = 3", "does not exist"),
        ("UPDATE tournament_matches SET hyp_b = 'c3' WHERE step = 3", "does not fit step 3"),
        ("UPDATE meta SET value = 'another' WHERE key = 'run'", "does not fit step 1"),
        ("DELETE FROM meta", "the run has no id"),
    ],
)
def test_damage_is_named(path: Path, statement: str, says: str) -> None:
    damage(path, statement)
    assert says in "\n".join(structural(path))


def test_outcomes_out_of_order_are_named(path: Path) -> None:
    damage(
        path,
        "UPDATE elo_journal SET pos = 99 WHERE pos = 5",
        "UPDATE elo_journal SET pos = 5 WHERE pos = 7",
        "UPDATE elo_journal SET pos = 7 WHERE pos = 99",
    )
    assert "the match that was applied before it" in "\n".join(structural(path))


def test_an_outcome_before_its_plan_is_named(path: Path) -> None:
    damage(
        path,
        "UPDATE steps SET pos = 99 WHERE pos = 4",
        "UPDATE elo_journal SET pos = 4 WHERE pos = 8",
        "UPDATE steps SET pos = 8 WHERE pos = 99",
    )
    assert structural(path) == ["position 4: an outcome stands before its plan"]


def test_many_faults_of_one_kind_are_counted(path: Path) -> None:
    write(path, *(plan(5 + n, 1 + n, match(n)) for n in range(4, 24)))
    damage(path, "DELETE FROM tournament_matches WHERE step > 4")
    assert "... and 15 more of this kind" in structural(path)


def test_reservations_of_a_killed_run_are_no_fault_but_known(path: Path) -> None:
    write(path, lambda conn: reservations.insert(conn, 3, "ab", reservations.Reserved(1.0, 10, 1.0, 10)))
    assert structural(path) == []
    assert open_reservations(path) == 1
    write(path, lambda conn: facts.set_meta(conn, "stop_reason", "BUDGET"))
    assert "1 reservation left open although" in structural(path)[0]


def test_a_torn_page_is_damage(path: Path) -> None:
    """Of the tree of matches: what is read first, the schema, stays whole."""
    conn = sqlite3.connect(path)
    root = conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tournament_matches'").fetchone()[0]
    size = conn.execute("PRAGMA page_size").fetchone()[0]
    conn.close()
    whole = bytearray(path.read_bytes())
    whole[(root - 1) * size : (root - 1) * size + 64] = b"\xa5" * 64
    path.write_bytes(whole)
    faults = structural(path)
    assert faults
    assert all("the file is damaged" in fault for fault in faults)
