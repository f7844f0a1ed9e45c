"""The tournament files of config/ as a user has them: with a mock for a model, and without a key."""

from __future__ import annotations

import math

import pytest
from arena_cli import ROOT, Arena, photograph

ENDS = {
    "swiss": ("COMPLETED", 0),
    "pivot": ("COMPLETED", 0),
    "adaptive": ("CONFIDENT", 0),
    "systems": ("CONFIDENT", 0),
}


@pytest.mark.parametrize("kind", ENDS)
def test_a_mock_plays_the_file_to_its_end(arena: Arena, kind: str) -> None:
    file = ROOT / "config" / f"{kind}.yaml"
    done = arena.run("--no-ui", "--json", file, "--set", "judge.model=mock:panel", ANTHROPIC_API_KEY="")
    result = done.result
    assert (result["stop_reason"], done.code) == ENDS[kind], done.err
    assert result["judge"]["simulated"]
    assert "SIMULATED" in done.err
    assert result["usage"]["usd"] == 0.0
    assert len(result["standings"]) == (4 if kind == "systems" else 16)
    for row in result["standings"]:
        assert row["low"] < row["rating"] < row["high"]
        assert all(math.isfinite(row[key]) for key in ("low", "high", "p_best"))
    if kind == "systems":
        assert set(result["details"]["matrix"]) == {row["id"] for row in result["standings"]}
        assert result["details"]["baseline"]["system"] == "terse"
        assert result["details"]["by_category"]
    arena.verify()


@pytest.mark.parametrize("kind", ENDS)
def test_without_a_key_one_sentence_names_the_variable_and_nothing_is_made(arena: Arena, kind: str) -> None:
    before = photograph(arena.folder)
    done = arena.run("--no-ui", ROOT / "config" / f"{kind}.yaml", ANTHROPIC_API_KEY="")
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"arena: {ROOT / 'config' / kind}.yaml:")
    assert "set the environment variable ANTHROPIC_API_KEY" in line
    assert photograph(arena.folder) == before
