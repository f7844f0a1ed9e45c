"""A key in the environment is nowhere else: in no database, cache, log, export, traceback or process list.

The server does its worst: it repeats the key in its error messages, in every way that it can fail.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from arena_cli import Arena, eventually, lines_of
from model_brain import Request, Scripted
from model_faults import Fault, FaultScript
from model_runs import KEYS, candidates, judge_at, judged, keyed
from model_server import Ways
from model_server_process import ModelServerThread
from reading_brain import reads_texts

from arena_tui.store.reader import Reader

MARK = "q7Zx81LmT0vRw3"
"""The part of the key that is looked for: a key that is only cut or masked at its ends is found too."""
PLANTED = f"sk-proj-{MARK}-Ab9"
MASKED = "x-api-key: ***"
TOLD = f"upstream refused x-api-key: {PLANTED}, authorization: Bearer {PLANTED}"

FAULTS = FaultScript(
    share=0.25,
    seed=2,
    mix=[
        *(Fault(name, words=TOLD) for name in ("rate_limited", "overloaded", "server_error", "bad_request")),
        *(
            Fault(name, words=TOLD)
            for name in ("unavailable", "request_timeout", "conflict", "unprocessable")
        ),
        *map(Fault, ("cut", "reset", "broken_json", "empty_object", "html_200", "html_502", "error_event")),
    ],
)

BUG = """
import sys, traceback
from arena_tui import cli
from arena_tui.providers.sdk import SdkProvider

def end(provider, reading, met):
    key = "a variable called key"
    raise ZeroDivisionError("a bug in the middle of a call")

def show_all(kind, error, trace):
    shown = traceback.TracebackException(kind, error, trace, capture_locals=True)
    print("".join(shown.format()), file=sys.stderr)

SdkProvider._end = end
sys.excepthook = show_all
cli.main()
"""


def written_in(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` with its bytes."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_nowhere(*texts: str, folder: Path) -> None:
    """The key is in none of the texts and in no file."""
    for text in texts:
        assert MARK not in text
    files = written_in(folder)
    assert any(name.endswith("replies.db") for name in files)
    assert [name for name, content in files.items() if MARK.encode() in content] == []


@pytest.mark.parametrize("wire", KEYS)
def test_planted_key_is_nowhere_after_faults_a_crash_and_a_refusal(arena: Arena, wire: str) -> None:
    refuses: list[str] = []  # set: every call is refused with the key in the answer

    def brain(request: Request) -> str | Scripted:
        return Scripted("", fault=Fault(refuses[0], words=TOLD)) if refuses else reads_texts(request)

    key = keyed(wire, PLANTED)
    with ModelServerThread(brain, FAULTS, Ways(latency=0.02)) as server:
        model = {"idle_timeout": 2, "total_timeout": 5}
        file = arena.tournament(
            candidates=candidates(),
            judge=judge_at(server.url, wire, cache="on", model=model),
            limits={"matches": 200, "concurrency": 8},
            stop={"rule": "none", "voids_in_a_row": 200},
        )
        db, told = arena.folder / "run.db", arena.folder / "events.jsonl"
        running = arena.start("--no-ui", "--db", db, "--events", told, file, cold=True, **key)
        eventually(lambda: len(judged(server.calls)) > 60 and MASKED in "".join(lines_of(told)), "faults")
        listed = Path(f"/proc/{running.pid}/cmdline").read_bytes().decode()
        assert "arena_tui" in listed
        running.kill()
        refuses.append("bad_key")
        refused = arena.run("resume", db, "--events", told, **key)
        assert refused.code == 1, refused.err
        assert KEYS[wire] in refused.err
        assert {call.key for call in server.calls} == {PLANTED}, "it was sent, and is all the server talks of"
        assert len({call.fault for call in server.calls}) > 8
    outputs = [listed, running.out, running.err, refused.out, refused.err]
    for args in (
        ("show", db, "--json"),
        ("runs", "--json"),
        ("plan", file, "--json"),
        *(("export", db, "--what", what) for what in ("standings", "matches", "comparisons")),
        ("export", db, "--what", "config", "--to", "again.yaml"),
    ):
        done = arena.run(*args, **key)
        assert done.code == 0, done
        outputs += [done.out, done.err]
    assert_nowhere(*outputs, folder=arena.folder)
    with Reader(db) as reader:
        assert reader.spent().failed > 1
    assert MASKED in "".join(outputs), "messages are kept, the key in them is not"


@pytest.mark.parametrize("wire", KEYS)
def test_traceback_of_a_bug_in_mid_call_does_not_show_the_key_not_even_with_its_locals(
    arena: Arena, wire: str
) -> None:
    with ModelServerThread(reads_texts) as server:
        file = arena.tournament(candidates=candidates(), judge=judge_at(server.url, wire))
        done = subprocess.run(
            [sys.executable, "-c", BUG, "--no-ui", str(file)],
            cwd=arena.folder,
            env=arena.environment(**keyed(wire, PLANTED)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert server.calls[0].key == PLANTED
    assert done.returncode == 1
    assert "a bug in the middle of a call" in done.stderr
    assert "key = 'a variable called key'" in done.stderr, "locals are shown"
    assert MARK not in done.stderr + done.stdout
    assert [name for name, content in written_in(arena.folder).items() if MARK.encode() in content] == []
