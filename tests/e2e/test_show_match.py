"""`arena show --match N`: one match with everything that was said of it."""

from __future__ import annotations

import pytest
from arena_cli import Arena


def test_a_match_is_shown_with_its_transcript_verdict_and_ratings(arena: Arena) -> None:
    judge = {"kind": "llm", "model": "mock:panel", "mode": "debate"}
    arena.run("--no-ui", arena.tournament(judge=judge, limits={"matches": 4}))
    row = arena.run("show", "--match", "3", "--json").result
    (said,) = row["comparisons"]
    shown = arena.run("show", "--match", "main:3")
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[0] == f"match main:3, debate, applied as number {row['applied_no']}"
    assert lines[1].startswith(f"  a  {row['hyp_a']}  {row['elo_a_before']:.1f} -> ")
    assert any(line.startswith(f"outcome: {row['winner']}") for line in lines)
    assert said["reason"]
    assert said["reason"].strip() in shown.out, "the whole of it"


@pytest.mark.parametrize(
    ("which", "told"),
    [("99", "has no match main:99 with an outcome"), ("other:1", "names no match"), ("x", "names no match")],
)
def test_what_is_no_match_is_one_sentence(arena: Arena, which: str, told: str) -> None:
    arena.run("--no-ui", arena.tournament(limits={"matches": 4}))
    done = arena.run("show", "--match", which)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_options_of_a_run_are_pointed_to(arena: Arena) -> None:
    assert "`arena FILE --help` shows its options" in " ".join(arena.run("--help").out.split())
