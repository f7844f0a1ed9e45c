"""A run's file with a value that nothing of ours wrote is refused in one sentence, whoever reads it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from scripted_runs import ScriptedJudge, create, run

from arena_tui.engine.actions import Action
from arena_tui.engine.opening import Driver
from arena_tui.engine.refolding import refold
from arena_tui.engine.replay import replay
from arena_tui.engine.standstill import act_at_rest
from arena_tui.errors import DiskTrouble, NotARun, StoreError
from arena_tui.resumption import differences_of
from arena_tui.store import schema
from arena_tui.store.reader import Reader
from arena_tui.summary import summarize
from arena_tui.tournament_file import load_mapping


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped run of 12 matches with planned ones, an action and a snapshot."""
    db = create(
        tmp_path_factory.mktemp("sound") / "run.db", limits={"matches": 12}, stop={"rule": "stability"}
    )
    run(db, ScriptedJudge())
    act_at_rest(db, Action("pin", ("c01",)))
    return db


@pytest.fixture
def damaged(sound: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of it after an SQL statement that changes something."""

    def damage(statement: str) -> Path:
        db = Path(shutil.copy(sound, tmp_path / "run.db"))
        with closing(sqlite3.connect(db)) as conn:
            conn.execute("PRAGMA foreign_keys = OFF")
            assert conn.execute(statement).rowcount > 0
            conn.commit()
        return db

    return damage


def shown(db: Path) -> None:
    with Reader(db) as reader, reader.frozen():
        summarize(replay(reader), reader, db)


def resumed(db: Path) -> None:
    with Driver(db, lambda *_: ScriptedJudge()) as driver:
        driver.engine()


def acted_on(db: Path) -> None:
    act_at_rest(db, Action("pin", ("c02",)))


def exported_rows(db: Path) -> None:
    with Reader(db) as reader:
        assert all(reader.matches())


def snapshots(db: Path) -> None:
    with Reader(db) as reader:
        reader.snapshots()


def compared(db: Path) -> None:
    differences_of(load_mapping({"candidates": ["a", "b"], "judge": "simulated"}), db, extend=False)


READERS = (shown, resumed, acted_on)
STEP = "UPDATE steps SET payload = json_set(payload, '$.{}', {}) WHERE id = {}"
STARTED = "UPDATE meta SET value = '{}' WHERE key = '{}'"

DAMAGES = {
    "settings of nothing": STARTED.format("{}", "tournament"),
    "settings that are no JSON": STARTED.format("{", "tournament"),
    "settings that are a list": STARTED.format("[]", "tournament"),
    "a seed that is no number": STARTED.format("x", "seed"),
    "a lookahead that is no number": STARTED.format("", "lookahead"),
    "a step of nobody": STEP.format("a", "'nobody'", 3),
    "a step of no group": STEP.format("group", "'nowhere'", 3),
    "a step of a later number": STEP.format("seq", "99", 3),
    "a step of no mode": STEP.format("mode", "'duel'", 3),
    "a step without orders": "UPDATE steps SET payload = json_remove(payload, '$.orders') WHERE id = 3",
    "a step with more": STEP.format("colour", "1", 3),
    "a step that is no JSON": "UPDATE steps SET payload = '{' WHERE id = 3",
    "a step that is a number": "UPDATE steps SET payload = '3' WHERE id = 3",
    "a planned step of nobody": STEP.format("b", "'nobody'", "(SELECT MAX(id) FROM steps)"),
    "an action that is no JSON": "UPDATE interventions SET payload = '['",
    "an action on nobody": "UPDATE interventions SET payload = json_set(payload, '$.candidate', 'nobody')",
    "an action of no kind": "UPDATE interventions SET payload = json_remove(payload, '$.kind')",
    "an action its state forbids": "UPDATE candidates SET initial_state = 'rejected' WHERE id = 'c01'",
    "a candidate without parents": "UPDATE candidates SET parent_ids = 'x' WHERE id = 'c02'",
    "a candidate with half a vector": "UPDATE candidates SET embedding = x'010203' WHERE id = 'c02'",
    "a group of odd criteria": "UPDATE groups SET criteria = 'x'",
    "a candidate that is gone": "DELETE FROM candidates WHERE id = 'c02'",
    "an outcome of no step": "UPDATE steps SET group_seq = 98, payload = json_set(payload, '$.seq', 98)"
    " WHERE id = 2",
}


@pytest.mark.parametrize("damage", list(DAMAGES))
@pytest.mark.parametrize("read", READERS)
def test_a_value_that_makes_no_sense_is_one_sentence(
    damaged: Callable[[str], Path], damage: str, read: Callable[[Path], None]
) -> None:
    db = damaged(DAMAGES[damage])
    with pytest.raises(StoreError) as refusal:
        read(db)
    assert "\n" not in str(refusal.value)
    assert "run.db" in str(refusal.value)


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_verify_names_it_instead_of_failing(damaged: Callable[[str], Path], damage: str) -> None:
    """`arena verify` exits 1 either way: with faults, or with a StoreError."""
    assert said_of(verified, damaged(DAMAGES[damage]))


def verified(db: Path) -> str:
    with Reader(db) as reader, reader.frozen():
        return "\n".join(refold(reader))


def said_of(read: Callable[[Path], object], db: Path) -> str:
    """What `read` gives, or the StoreError that it raises."""
    try:
        return str(read(db))
    except StoreError as error:
        return str(error)


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        (STARTED.format("x", "secret"), resumed),
        (STARTED.format("x", "elapsed"), resumed),
        (STARTED.format("x", "identity"), compared),
        ("DELETE FROM meta WHERE key = 'identity'", compared),
        ("UPDATE tournament_matches SET flags = 'x' WHERE step = 2", exported_rows),
        ("UPDATE snapshots SET top = '[1]'", snapshots),
    ],
)
def test_a_value_that_only_some_read_is_one_sentence_for_them(
    damaged: Callable[[str], Path], statement: str, read: Callable[[Path], object]
) -> None:
    with pytest.raises(NotARun, match=r"run\.db is damaged: .* restore the file from a copy"):
        read(damaged(statement))


def test_a_torn_page_is_one_sentence_for_whoever_shows_the_run(sound: Path, tmp_path: Path) -> None:
    """Wherever 16 bytes were overwritten: every page in turn."""
    whole = sound.read_bytes()
    for at in range(4096, len(whole), 4096):
        db = tmp_path / "torn.db"
        db.write_bytes(whole[:at] + b"\xa5" * 16 + whole[at + 16 :])
        for read in (shown, exported_rows):
            said = said_of(read, db)
            assert said == "None" or "torn.db" in said


def test_what_went_wrong_inside_a_frozen_view_is_what_is_told(sound: Path) -> None:
    with Reader(sound) as reader:
        with pytest.raises(KeyError, match="mine"), reader.frozen():
            raise KeyError("mine")
        with reader.frozen():
            assert reader.applied() == 12


# --- a file that may not be written -------------------------------------------------------------------


@pytest.mark.parametrize("use", [resumed, acted_on])
def test_a_file_without_leave_to_write_is_told_before_anything_is_done(
    sound: Path, use: Callable[[Path], None]
) -> None:
    """For root every file is writable: here the system says otherwise."""
    before = sound.read_bytes()
    no_leave = mock.patch.object(schema.os, "access", lambda path, how: how != os.W_OK)
    with no_leave, pytest.raises(DiskTrouble, match="read-only; make the file and its folder writable"):
        use(sound)
    assert sound.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write every file")
@pytest.mark.parametrize("use", [resumed, acted_on])
def test_a_file_that_its_owner_may_only_read(
    sound: Path, tmp_path: Path, use: Callable[[Path], None]
) -> None:
    db = Path(shutil.copy(sound, tmp_path / "run.db"))
    db.chmod(0o400)
    with pytest.raises(DiskTrouble, match="read-only; make the file and its folder writable"):
        use(db)
