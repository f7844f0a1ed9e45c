"""A file that gains or loses candidates, a run that gained some by itself: what goes on, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from arena_cli import STRENGTHS, Arena

from arena_tui.store.reader import Reader


def rows(*ids: str) -> list[dict[str, Any]]:
    return [{"id": id_, "text": f"A text about {id_}.", "strength": STRENGTHS.get(id_, 2.0)} for id_ in ids]


def pool_file(arena: Arena, *ids: str) -> Path:
    path = arena.folder / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(*ids)))
    return path


@pytest.fixture
def extended(arena: Arena) -> str:
    """A run to which the file has brought gorse and `act add` hazel; its id."""
    run: str = arena.run("--no-ui", "--json", arena.tournament()).result["run"]
    file = arena.tournament(candidates=rows(*STRENGTHS, "gorse"))
    assert arena.run("--no-ui", "--quiet", "--extend", "--set", "limits.matches=70", file).code == 3
    assert arena.run("act", run, "add", pool_file(arena, "hazel")).code == 0
    return run


@pytest.mark.parametrize("options", [(), ("--extend",)])
@pytest.mark.parametrize("in_file", [(), ("hazel",)])
def test_the_unchanged_file_goes_on_with_what_was_added_by_hand(
    arena: Arena, extended: str, options: tuple[str, ...], in_file: tuple[str, ...]
) -> None:
    """Also where the file names by now what was added to the run."""
    file = arena.tournament(candidates=rows(*STRENGTHS, "gorse", *in_file), limits={"matches": 80})
    done = arena.run("--no-ui", "--json", *options, file)
    assert done.code == 3, done
    assert done.result["run"] == extended
    assert {row["id"] for row in done.result["standings"]} == {*STRENGTHS, "gorse", "hazel"}
    assert sum(done.result["matches"].values()) == 80
    arena.verify()


@pytest.mark.parametrize("options", [(), ("--extend",)])
@pytest.mark.parametrize(
    "ids",
    [
        STRENGTHS,  # gorse, which it once had
        (*list(STRENGTHS)[:-1], "gorse"),
        ("gorse", *STRENGTHS),
        (*reversed(STRENGTHS), "gorse"),
    ],
)
def test_a_file_that_lost_or_reordered_what_it_had_is_refused(
    arena: Arena, extended: str, options: tuple[str, ...], ids: tuple[str, ...]
) -> None:
    moved = ids == ("gorse", *STRENGTHS)
    done = arena.run("--no-ui", "--quiet", *options, arena.tournament(candidates=rows(*ids)))
    assert done.code == (3 if moved else 2), "where an extension stands among the others does not matter"
    if not moved:
        assert "candidates" in done.err
        assert "--new" in done.err


@pytest.mark.parametrize(
    ("id_", "field"),
    [("amber", "strength"), ("amber", "class"), ("gorse", "text"), ("gorse", "title"), ("hazel", "meta")],
)
def test_a_changed_candidate_is_named(arena: Arena, extended: str, id_: str, field: str) -> None:
    candidates = rows(*STRENGTHS, "gorse", "hazel")
    other = {"strength": 0.25, "meta": {"a": 1}}.get(field, "other")
    changed = [row | {field: other} if row["id"] == id_ else row for row in candidates]
    file = arena.tournament(candidates=changed)
    done = arena.run("--no-ui", "--quiet", "--extend", file)
    assert done.code == 2
    assert f"lost or changed {id_}" in done.err
    assert arena.run("--no-ui", "--quiet", file).code == 2


def test_a_gained_candidate_needs_extend_also_after_an_extension(arena: Arena, extended: str) -> None:
    file = arena.tournament(candidates=rows(*STRENGTHS, "gorse", "iris"), limits={"matches": 90})
    refused = arena.run("--no-ui", "--quiet", file)
    assert refused.code == 2
    assert "--extend" in refused.err
    assert arena.run("--no-ui", "--quiet", "--extend", file).code == 3
    with Reader(arena.db()) as reader:
        added = [(a.intervention.added.id, a.origin) for a in reader.interventions() if a.intervention.added]
    assert added == [("gorse", "resume"), ("hazel", "cli"), ("iris", "resume")]


def test_a_skipped_group_that_could_play_by_now_needs_a_fresh_run(arena: Arena) -> None:
    lonely = {"id": "one", "text": "alone", "group": "later"}
    arena.run("--no-ui", "--quiet", arena.tournament(candidates=[*rows(*STRENGTHS), lonely]))
    more = {"id": "two", "text": "not alone any more", "group": "later"}
    file = arena.tournament(candidates=[*rows(*STRENGTHS), lonely, more])
    done = arena.run("--no-ui", "--quiet", "--extend", file)
    assert done.code == 2
    assert "the group 'later' was skipped when the run began (it has only one candidate)" in done.err
    assert "start a fresh run with --new" in done.err
    assert arena.run("--no-ui", "--quiet", "--new", file).code == 3


def test_exported_config_has_everybody_and_the_settings_in_force(arena: Arena, extended: str) -> None:
    for limit in ("matches=75", "concurrency=3", "lookahead=5", "usd=2.5"):
        assert arena.run("act", extended, "limit", limit).code == 0
    to = arena.folder / "again.yaml"
    assert arena.run("export", extended, "--what", "config", "--to", to).code == 0
    config = yaml.safe_load(to.read_text())
    assert [row["id"] for row in config["candidates"]] == [*STRENGTHS, "gorse", "hazel"]
    assert {key: config["limits"][key] for key in ("matches", "concurrency", "lookahead", "usd")} == {
        "matches": 75,
        "concurrency": 3,
        "lookahead": 5,
        "usd": 2.5,
    }
    again = arena.run("--no-ui", "--json", to)
    assert sum(again.result["matches"].values()) == 75
    assert {row["id"] for row in again.result["standings"]} == {*STRENGTHS, "gorse", "hazel"}


# --- recorded votes -----------------------------------------------------------------------------------


def votes(arena: Arena, winner: str) -> dict[str, Any]:
    ids = list(STRENGTHS)
    lines = [{"a": a, "b": b, "winner": winner} for a in ids for b in ids if a != b]
    (arena.folder / "votes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return {"kind": "recorded", "file": "votes.jsonl"}


def test_votes_that_were_edited_make_another_tournament(arena: Arena) -> None:
    file = arena.tournament(judge=votes(arena, "a"), limits={"matches": 10})
    assert arena.run("--no-ui", "--quiet", file).code == 3
    before = arena.db().read_bytes()
    votes(arena, "b")
    by_file = arena.run("--no-ui", "--quiet", "--set", "limits.matches=20", file)
    by_id = arena.run("resume", arena.db().stem, "--quiet", "--add-matches", "10")
    assert (by_file.code, by_id.code) == (2, 2)
    assert "votes" in by_file.err
    assert "recorded votes has changed" in by_id.err
    assert arena.db().read_bytes() == before
    votes(arena, "a")
    assert arena.run("resume", arena.db().stem, "--quiet", "--add-matches", "10").code == 3
    arena.verify()


def test_votes_of_a_member_of_a_panel_count_too(arena: Arena) -> None:
    recorded = votes(arena, "a") | {"file": str(arena.folder / "votes.jsonl")}
    panel = {"kind": "panel", "judges": [recorded, {"kind": "simulated"}]}
    file = arena.tournament(judge=panel, limits={"matches": 10})
    assert arena.run("--no-ui", "--quiet", file).code == 3
    votes(arena, "b")
    assert arena.run("resume", arena.db().stem, "--quiet", "--add-matches", "10").code == 2
