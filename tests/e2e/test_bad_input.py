"""Input that is wrong: one sentence that says what and where, the right exit code, and nothing written."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from arena_cli import Arena, Done, photograph, photograph_of

from arena_tui.store import schema
from arena_tui.tournament_file import check_file

POOL = "candidates: [{id: a, text: one}, {id: b, text: two}]\n"
JUDGE = "judge: {kind: simulated}\n"
LIMITS = "limits: {matches: 5}\n"

# name, content, the line that is named (None: the file as a whole), what the sentence holds
BAD_FILES: list[tuple[str, str, int | None, str]] = [
    ("an empty file", "", None, "empty"),
    ("a plain text", "Which is the best of these?\n", 1, "expected keys such as task"),
    ("a table", "id,text\na,one\nb,two\n", 1, "expected keys such as task"),
    ("an empty pool", "candidates: []\n" + JUDGE + LIMITS, 1, "candidates"),
    ("one candidate", "candidates: [{id: a, text: one}]\n" + JUDGE + LIMITS, 1, "only one candidate"),
    ("two equal texts", "candidates: [{id: a, text: one}, {id: b, text: One}]\n" + JUDGE, 1, "different"),
    ("two equal ids", "candidates:\n- {id: a, text: one}\n- {id: a, text: two}\n" + JUDGE, 3, "'a'"),
    ("an unknown key", POOL + JUDGE + "limit: {matches: 5}\n", 3, "limits"),
    ("an unknown key below", POOL + JUDGE + "limits:\n  matchs: 5\n", 4, "matches"),
    ("a wrong type", POOL + JUDGE + "limits:\n  matches: many\n", 4, "limits.matches"),
    ("a count that is none", POOL + JUDGE + "limits: {matches: 2.5}\n", 3, "limits.matches"),
    ("not a number", POOL + JUDGE + "format: {kind: elo, k_new: .nan}\n", 3, "format.k_new"),
    ("an infinite number", POOL + JUDGE + "limits: {usd: .inf}\n", 3, "limits.usd"),
    ("a duplicate key", POOL + JUDGE + "seed: 1\nseed: 2\n", 4, "seed"),
    ("bad YAML", POOL + JUDGE + "limits: {matches: 5\n", 4, "YAML"),
    ("a tab", POOL + JUDGE + "limits:\n\tmatches: 5\n", 4, ""),
    ("an anchor", POOL + JUDGE + "name: &n x\ntask: *n\n", 3, "anchor"),
    ("a run that never ends", POOL + JUDGE + "stop: {rule: none}\n", 3, "never end"),
    ("a judge that does not exist", POOL + "judge: {kind: oracle}\n" + LIMITS, 2, "oracle"),
    ("a format that is not built", POOL + JUDGE + "format: {kind: evolution}\n", 3, "evolution"),
    ("no judge", POOL + LIMITS, 1, "judge"),
    ("no candidates", JUDGE + LIMITS, 1, "candidates"),
    ("a pool that is missing", "candidates: pool.jsonl\n" + JUDGE + LIMITS, 1, "pool.jsonl"),
    ("a program that is missing", POOL + "judge: {kind: command, command: [./nothing]}\n", 2, "nothing"),
    ("votes that are missing", POOL + "judge: {kind: recorded, file: v.jsonl}\n", 2, "v.jsonl"),
    ("a secret", POOL + JUDGE + f"name: sk-ant-api03-{'a1B2c3D4' * 6}\n", 3, "secret"),
]


def bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "\n".join(lines) + "\n"


def written(arena: Arena) -> dict[str, str]:
    """Everything there is, but for what lies beside a database that is only read, or is being opened."""
    seen = photograph(arena.folder)
    nothing = photograph_of(b"")
    return {
        path: content
        for path, content in seen.items()
        if not path.endswith(("-shm", ".lock")) and (not path.endswith("-wal") or content != nothing)
    }


def assert_one_sentence(done: Done, *codes: int) -> None:
    assert done.code in codes, done
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.err.startswith(("arena: ", "refused: ", "Usage: ")), done.err
    if not done.err.startswith("Usage: "):
        assert len(done.err.strip().splitlines()) == 1, done.err


@pytest.mark.parametrize("name", [case[0] for case in BAD_FILES])
def test_bad_tournament_file_is_one_sentence_with_its_line(
    arena: Arena, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, content, line, said = next(case for case in BAD_FILES if case[0] == name)
    file = arena.folder / "t.yaml"
    file.write_text(content)
    before = photograph(arena.folder)
    done = arena.run("--no-ui", file)
    assert_one_sentence(done, 2)
    assert said.casefold() in done.err.casefold()
    monkeypatch.chdir(arena.folder)
    (problem,) = check_file(file)
    assert (problem.path, problem.line) == ("t.yaml", line)
    assert str(problem) == done.err.removeprefix("arena: ").strip()
    assert photograph(arena.folder) == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.jsonl", '{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n'),
        ("p.csv", "id,text\na,one\nb,two\n"),
        ("p.md", "# An answer\n\nSome text.\n"),
        ("p.txt", "Some text.\n"),
        ("p.yaml", "- one\n- two\n"),
    ],
)
def test_pool_given_as_tournament_file_is_told_what_a_tournament_file_looks_like(
    arena: Arena, name: str, content: str
) -> None:
    (arena.folder / name).write_text(content)
    before = photograph(arena.folder)
    done = arena.run("--no-ui", name)
    assert done.code == 2
    assert done.err.startswith(f"arena: {name} is a ")
    assert "judge:" in done.err
    assert "candidates:" in done.err
    assert photograph(arena.folder) == before


def test_all_problems_are_named_at_once(arena: Arena) -> None:
    (arena.folder / "t.yaml").write_text(POOL + JUDGE + "limits: {matchs: 5}\nseed: x\nnam: y\n")
    done = arena.run("check", "t.yaml")
    assert done.code == 2
    assert [line.split(": ")[0] for line in done.out.splitlines()] == ["t.yaml:3", "t.yaml:4", "t.yaml:5"]


@pytest.mark.parametrize("command", ["--no-ui {}", "check {}"])
@pytest.mark.parametrize(
    "kind", ["missing", "directory", "binary", "huge", "bomb", "device", "unreadable name"]
)
def test_what_is_no_tournament_file_is_one_sentence(arena: Arena, kind: str, command: str) -> None:
    file = arena.folder / "t.yaml"
    match kind:
        case "directory":
            file.mkdir()
        case "binary":
            file.write_bytes(bytes(range(256)) * 64)
        case "huge":
            with file.open("wb") as stream:
                stream.truncate(200_000_000)
        case "bomb":
            file.write_text(bomb())
        case "device":
            file = Path("/dev/zero")
        case "unreadable name":
            file = arena.folder / ("x" * 300)
    before = photograph(arena.folder)
    done = arena.run(*command.format(file).split())
    assert done.code == 2
    assert "Traceback" not in done.err
    said = (done.out if command.startswith("check") else done.err).strip()
    assert len(said.splitlines()) == 1
    assert (file.name[:20] in said) or kind == "device"
    assert photograph(arena.folder) == before


@pytest.mark.parametrize("content", ["binary", "huge", "directory", "no json", "no text", "a list", "empty"])
def test_bad_pool_is_one_sentence_that_names_it(arena: Arena, content: str) -> None:
    pool = arena.folder / "pool.jsonl"
    match content:
        case "binary":
            pool.write_bytes(bytes(range(256)) * 64)
        case "huge":
            with pool.open("wb") as stream:
                stream.truncate(2_000_000_000)
        case "directory":
            pool.mkdir()
        case "no json":
            pool.write_text('{"id": "a", "text": "one"}\n{"id": "b", "text": \n')
        case "no text":
            pool.write_text('{"id": "a", "text": "one"}\n{"id": "b"}\n')
        case "a list":
            pool.write_text('{"id": "a", "text": "one"}\n[1, 2]\n')
        case "empty":
            pool.write_text("")
    (arena.folder / "t.yaml").write_text("candidates: pool.jsonl\n" + JUDGE + LIMITS)
    before = photograph(arena.folder)
    done = arena.run("--no-ui", "t.yaml")
    assert_one_sentence(done, 2)
    assert "pool.jsonl" in done.err or (content == "empty" and "t.yaml:1: the pool has no" in done.err)
    assert ("pool.jsonl:2" in done.err) == (content in ("no json", "no text", "a list"))
    assert photograph(arena.folder) == before


@pytest.mark.parametrize(
    "args",
    [
        "--no-ui t.yaml --set limits.matches=many",
        "--no-ui t.yaml --set nonsense",
        "--no-ui t.yaml --set limits.nonsense=1",
        "--no-ui t.yaml --seed x",
        "--no-ui t.yaml --new --extend",
        "--no-ui t.yaml --extend",
        "--no-ui t.yaml --db missing/folder/t.yaml/x.db --events /nowhere/at/all",
        "--no-ui t.yaml --events /nowhere/at/all",
        "--no-ui t.yaml --db t.yaml",
        "resume",
        "resume nothing",
        "resume --add-matches 0",
        "resume --add-usd nan",
        "resume --add-time soon",
        "show nothing",
        "verify nothing",
        "export nothing",
        "delete nothing",
        "act nothing pause",
        "act nothing dance",
        "export --what everything",
        "--nonsense",
    ],
)
def test_bad_usage_is_told_and_nothing_is_written(arena: Arena, args: str) -> None:
    arena.tournament()
    before = photograph(arena.folder)
    assert_one_sentence(arena.run(*args.split()), 1 if args.endswith("--db t.yaml") else 2)
    assert photograph(arena.folder) == before


# --- databases ---------------------------------------------------------------------------------------


def flip(path: Path, start: int, count: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(start)
        junk = bytes(byte ^ 0xA5 for byte in stream.read(count))
        stream.seek(start)
        stream.write(junk)


def flip_header(path: Path) -> None:
    flip(path, 0, 16)


def flip_pages(path: Path) -> None:
    """The head of every b-tree page but the first."""
    for page in range(1, path.stat().st_size // 4096):
        flip(path, page * 4096, 8)


def cut(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 3)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def of_another_application(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(
            "PRAGMA application_id = 7; CREATE TABLE meta (key, value); CREATE TABLE steps (id)"
        )


def of_a_newer_arena(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA user_version = 9999")


def of_a_run_that_was_never_filled(path: Path) -> None:
    path.unlink()
    schema.create(path)


def text(path: Path) -> None:
    path.write_text("This is a letter, not a database.\n" * 400)


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], None]] = {
    damage.__name__: damage
    for damage in (
        flip_header,
        flip_pages,
        cut,
        empty,
        of_another_application,
        of_a_newer_arena,
        of_a_run_that_was_never_filled,
        text,
        directory,
    )
}
COMMANDS = (
    "--no-ui --db {db} t.yaml",
    "show {db}",
    "resume --no-ui {db}",
    "verify {db}",
    "export --what standings {db}",
    "export --what matches {db}",
    "export --what config {db}",
    "act {db} pin amber",
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sound run that has stopped at its limit, to be copied and damaged."""
    arena = Arena(tmp_path_factory.mktemp("sound"))
    assert arena.run("--no-ui", "--quiet", "--db", "run.db", arena.tournament()).code == 3
    return arena.folder


@pytest.mark.parametrize("command", COMMANDS)
def test_sound_run_is_accepted_by_every_command(arena: Arena, sound: Path, command: str) -> None:
    db = shutil.copy(sound / "run.db", arena.folder)
    shutil.copy(sound / "t.yaml", arena.folder)
    assert arena.run(*command.format(db=db).split()).code in (0, 3)


@pytest.mark.parametrize("damage", DAMAGES)
def test_database_that_is_no_sound_run_is_one_sentence_and_stays_as_it_is(
    arena: Arena, sound: Path, damage: str
) -> None:
    db = Path(shutil.copy(sound / "run.db", arena.folder))
    shutil.copy(sound / "t.yaml", arena.folder)
    DAMAGES[damage](db)
    before = written(arena)
    for command in COMMANDS:
        if "matches" in command and damage == of_a_run_that_was_never_filled.__name__:
            continue  # it has no matches, and that is what is exported
        done = arena.run(*command.format(db=db).split())
        if command.startswith("verify") and done.out:  # what is damaged is what verify is to say
            assert done.code == 1
            assert done.err == ""
        else:
            assert_one_sentence(done, 1, 2)
            assert "run.db" in done.err, (command, done.err)
        assert written(arena) == before, command


@pytest.mark.parametrize("damage", sorted(set(DAMAGES) - {"directory"}))
def test_damaged_run_in_the_data_folder_disturbs_no_other_and_can_be_deleted(
    arena: Arena, damage: str
) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    damaged = arena.db()
    sound = arena.run("--no-ui", "--json", "--new", "t.yaml").result["run"]
    DAMAGES[damage](damaged)
    rows = json.loads(arena.run("runs", "--json").out)
    assert len(rows) == 2
    (row,) = (row for row in rows if row["db"] == str(damaged))
    assert row["status"] in ("damaged", "interrupted")
    assert arena.run("show", sound).code == 0
    arena.verify(sound)
    assert arena.run("delete", "--yes", damaged.stem).code == 0
    assert not damaged.exists()
