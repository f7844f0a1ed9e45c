"""The inbox: requests arrive whole and in order, each gets one answer, junk is refused."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from arena_tui.errors import DiskTrouble
from arena_tui.store import inbox

WAIT = 20.0


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


def folder(db: Path) -> Path:
    return Path(f"{db}.inbox")


def test_requests_come_in_the_order_of_asking(db: Path) -> None:
    ids = [inbox.send(db, {"kind": "pin", "candidate": f"c{n}"}, "cli") for n in range(20)]
    found = inbox.requests(db)
    assert [request.id for request in found] == ids
    assert [request.action["candidate"] for request in found] == [f"c{n}" for n in range(20)]
    assert {request.origin for request in found} == {"cli"}


def test_asker_and_driver_meet(db: Path) -> None:
    def drive() -> None:
        while not (found := inbox.requests(db)):
            pause.wait(0.005)
        inbox.answer(db, found[0].id, True, "c1 is pinned")

    pause = threading.Event()
    driver = threading.Thread(target=drive)
    driver.start()
    request = inbox.send(db, {"kind": "pin", "candidate": "c1"}, "cli")
    assert inbox.wait_answer(db, request, WAIT) == (True, "c1 is pinned")
    driver.join()
    assert list(folder(db).iterdir()) == []


def test_without_an_answer_the_wait_ends_and_the_request_stays(db: Path) -> None:
    request = inbox.send(db, {"kind": "pin"}, "cli")
    assert inbox.wait_answer(db, request, 0.0) is None
    assert [found.id for found in inbox.requests(db)] == [request]


def test_no_inbox_means_no_requests(db: Path) -> None:
    assert inbox.requests(db) == []


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"action": 3, "origin": "cli"}',
        b'{"action": {}}',
        b"\xff\xfe\x00",
        b"[" * 99999,
    ],
)
def test_junk_is_answered_as_refused_and_does_not_stop_the_rest(db: Path, junk: bytes) -> None:
    bad = inbox.send(db, {"kind": "pin"}, "cli")
    (folder(db) / f"{bad}.request.json").write_bytes(junk)
    (folder(db) / "notes.txt").write_text("mine")
    (folder(db) / "x.request.json").write_text("mine too")
    good = inbox.send(db, {"kind": "pin"}, "cli")
    assert [request.id for request in inbox.requests(db)] == [good]
    answer = inbox.wait_answer(db, bad, 0.0)
    assert answer is not None
    assert not answer[0]
    assert "cannot be read" in answer[1]


def test_a_crash_between_answer_and_removal_does_not_deliver_again(db: Path) -> None:
    request = inbox.send(db, {"kind": "pin"}, "cli")
    file = folder(db) / f"{request}.request.json"
    content = file.read_bytes()
    inbox.answer(db, request, True, "done")
    file.write_bytes(content)  # as if the driver had died before it removed the request
    assert inbox.requests(db) == []
    assert not file.exists()
    assert inbox.wait_answer(db, request, 0.0) == (True, "done")


def test_a_crash_before_the_answer_delivers_again(db: Path) -> None:
    request = inbox.send(db, {"kind": "pin"}, "cli")
    assert [r.id for r in inbox.requests(db)] == [r.id for r in inbox.requests(db)] == [request]


def test_half_written_requests_are_not_seen(db: Path) -> None:
    request = inbox.send(db, {"kind": "pin"}, "cli")
    (folder(db) / f".{request}.request.json.0badcafe.new").write_text('{"action": {"ki')
    assert [found.id for found in inbox.requests(db)] == [request]


def test_inbox_and_requests_are_for_the_owner_only(db: Path) -> None:
    inbox.send(db, {"kind": "add", "text": "secret"}, "cli")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder(db), *folder(db).iterdir())}
    assert modes == {0o700, 0o600}


def test_texts_of_any_script_and_lone_surrogates_pass(db: Path) -> None:
    text = "naïve 漢字 🎲 \ud800"
    inbox.send(db, {"kind": "add", "text": text}, "cli")
    assert inbox.requests(db)[0].action["text"] == text


def test_a_request_that_cannot_be_left_is_disk_trouble(tmp_path: Path) -> None:
    with pytest.raises(DiskTrouble, match="inbox"):
        inbox.send(tmp_path / "nowhere" / "run.db", {}, "cli")
