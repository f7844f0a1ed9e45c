"""Paid replies in a file of their own: kept, shared by processes, and one sentence when the file is bad."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.errors import UsageError
from arena_tui.providers.base import Completion, TokenLogprobs, Tokens
from arena_tui.providers.reply_cache import ReplyCache, _decoded, _encoded

WHOLE = Completion(
    "better idea: 1",
    "stop",
    Tokens(100, 60, 20, 7),
    (TokenLogprobs(" 1", -0.1, ((" 1", -0.1), (" 2", -2.5))),),
    model="m-2026",
)


@pytest.fixture
async def cache(tmp_path):
    cache = ReplyCache(tmp_path / "arena" / "replies.db")
    yield cache
    await cache.close()


async def test_a_stored_reply_comes_back_equal(cache):
    assert await cache.get("k") is None
    cache.put("k", WHOLE)
    assert await cache.get("k") == WHOLE
    assert await cache.get("other") is None


async def test_a_later_reply_replaces_an_older_one(cache):
    cache.put("k", WHOLE)
    cache.put("k", Completion("new", "stop"))
    assert (await cache.get("k")).text == "new"


async def test_a_forgotten_reply_is_not_served(cache):
    cache.put("k", WHOLE)
    await cache.forget("k")
    assert await cache.get("k") is None
    await cache.forget("never there")


async def test_replies_outlive_the_process(tmp_path):
    for _ in range(2):
        cache = ReplyCache(tmp_path / "replies.db")
        cache.put("k", WHOLE)
        await cache.close()
    cache = ReplyCache(tmp_path / "replies.db")
    assert await cache.get("k") == WHOLE
    await cache.close()
    await cache.close()


async def test_only_its_owner_can_read_the_file(cache):
    old = os.umask(0)
    try:
        await cache.open()
        cache.put("k", WHOLE)
        await cache.get("k")
    finally:
        os.umask(old)
    assert stat.S_IMODE(cache.path.parent.stat().st_mode) == 0o700
    files = list(cache.path.parent.iterdir())
    assert cache.path in files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


async def test_nothing_is_made_before_it_is_used(tmp_path):
    cache = ReplyCache(tmp_path / "later" / "replies.db")
    assert not (tmp_path / "later").exists()
    await cache.close()


def _not_a_database(path: Path) -> None:
    path.write_bytes(b"these are no replies" * 100)


def _of_another_program(path: Path) -> None:
    conn = sqlite3.connect(path)
    conn.execute("CREATE TABLE replies (key TEXT)")
    conn.close()


def _marked_by_another_program(path: Path) -> None:
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA application_id = 77")
    conn.close()


def _torn(path: Path) -> None:
    asyncio.run(_filled(path, 400))
    data = bytearray(path.read_bytes())
    data[4096 : len(data)] = b"\x99" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def _odd_row(path: Path) -> None:
    asyncio.run(_filled(path, 1))
    conn = sqlite3.connect(path)
    conn.execute("UPDATE replies SET completion = '{\"text\": 1}'")
    conn.commit()
    conn.close()


def _other_version(path: Path) -> None:
    asyncio.run(_filled(path, 1))
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA user_version = 99")
    conn.close()


async def _filled(path: Path, replies: int) -> None:
    cache = ReplyCache(path)
    for number in range(replies):
        cache.put(f"k{number}", WHOLE)
    await cache.close()
    assert not cache.trouble


@pytest.mark.parametrize(
    "spoil",
    [_not_a_database, _of_another_program, _marked_by_another_program, _torn, _other_version],
)
def test_a_bad_file_is_one_sentence_that_names_it_and_says_that_deleting_it_is_safe(spoil, tmp_path):
    path = tmp_path / "replies.db"
    spoil(path)
    before = path.read_bytes()

    async def use() -> tuple[str, str]:
        cache = ReplyCache(path)
        with pytest.raises(UsageError) as caught:
            await cache.get("k0")
        cache.put("new", WHOLE)  # a paid call goes on
        await cache.close()
        return str(caught.value), cache.trouble

    sentence, trouble = asyncio.run(use())
    assert sentence.startswith(str(path))
    assert "delete it" in sentence
    assert "safe" in sentence
    assert "\n" not in sentence
    if spoil in (_not_a_database, _of_another_program, _marked_by_another_program):
        assert path.read_bytes() == before
        assert trouble == sentence
        assert not list(tmp_path.glob("replies.db-*"))


async def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file" / "replies.db")
    with pytest.raises(UsageError, match="cannot be made"):
        await cache.open()
    cache.put("k", WHOLE)
    await cache.close()
    assert "cannot be made" in cache.trouble


async def test_a_file_that_another_program_keeps_locked_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("arena_tui.providers.reply_cache.BUSY_MS", 20)
    await _filled(tmp_path / "replies.db", 1)
    other = sqlite3.connect(tmp_path / "replies.db", isolation_level=None)
    cache = ReplyCache(tmp_path / "replies.db")
    await cache.open()
    other.execute("BEGIN EXCLUSIVE")
    cache.put("k1", WHOLE)
    assert await cache.get("k0") == WHOLE  # reading goes on
    assert "locked" in cache.trouble
    other.close()
    await cache.close()


_WRITER = """
import asyncio, sys
from pathlib import Path
from arena_tui.providers.base import Completion
from arena_tui.providers.reply_cache import ReplyCache

async def main():
    cache = ReplyCache(Path(sys.argv[1]))
    for number in range(150):
        cache.put(f"{sys.argv[2]}-{number}", Completion(f"reply {number}", "stop"))
        cache.put("shared", Completion(sys.argv[2], "stop"))
        if number % 30 == 0:
            await cache.get("shared")
    await cache.close()
    print(cache.trouble)

asyncio.run(main())
"""


def test_several_processes_make_and_fill_one_file_at_once(tmp_path):
    path = tmp_path / "new" / "replies.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for name in "abc"
    ]
    outputs = [writer.communicate() for writer in writers]
    assert [(output.strip(), error) for output, error in outputs] == [(b"", b"")] * 3

    async def look() -> None:
        cache = ReplyCache(path)
        for name in "abc":
            for number in (0, 77, 149):
                assert (await cache.get(f"{name}-{number}")).text == f"reply {number}"
        assert (await cache.get("shared")).text in "abc"
        await cache.close()

    asyncio.run(look())


_TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)  # half surrogate pairs too


@given(
    st.builds(
        Completion,
        text=_TEXTS,
        stop_reason=st.sampled_from(["stop", "end_turn"]),
        tokens=st.builds(Tokens, *[st.integers(0, 10**9)] * 4),
        logprobs=st.lists(
            st.builds(
                TokenLogprobs,
                _TEXTS,
                st.floats(-100, 0),
                st.lists(st.tuples(_TEXTS, st.floats(-100, 0)), max_size=3).map(tuple),
            ),
            max_size=3,
        ).map(tuple),
        model=_TEXTS,
    )
)
def test_every_completion_survives_its_storage(completion):
    assert _decoded(_encoded(completion)) == completion


async def test_one_damaged_row_is_bought_anew_and_replaced(tmp_path):
    path = tmp_path / "replies.db"
    await asyncio.to_thread(_odd_row, path)
    cache = ReplyCache(path)
    assert await cache.get("k0") is None
    cache.put("k0", WHOLE)
    assert await cache.get("k0") == WHOLE
    await cache.close()
