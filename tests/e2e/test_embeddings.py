"""Vectors for the similarity of texts come from an endpoint, once, before the run is made."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from arena_cli import Arena
from model_server_process import ModelServerThread

from arena_tui.store.reader import Reader

TEXTS = ["a cool room in every block", "white roofs", "a phone tree", "shutters that close by themselves"]


def a_file(base_url: str, **changes: object) -> str:
    return yaml.safe_dump(
        {
            "task": "Which is better?",
            "candidates": [{"id": f"c{number}", "text": text} for number, text in enumerate(TEXTS)],
            "format": {"kind": "elo", "similarity": "endpoint"},
            "embeddings": {"model": "openai:embed-small", "base_url": base_url, "batch": 3},
            "judge": {"kind": "simulated"},
            "limits": {"matches": 12},
            "seed": 1,
            **changes,
        }
    )


def test_vectors_are_fetched_in_batches_and_stored_with_the_run(arena: Arena) -> None:
    file = arena.folder / "t.yaml"
    with ModelServerThread() as server:
        file.write_text(a_file(server.openai_url))
        done = arena.run("--no-ui", "--json", file)
        assert done.code == 3, done.err
        assert server.other_paths == ["/v1/embeddings"] * 2
    # The endpoint is gone: nothing of it is needed to go on.
    db = json.loads(done.out)["db"]
    with Reader(Path(db)) as reader:
        assert all(candidate.embedding for candidate in reader.candidates())
    more = arena.run("resume", "--add-matches", "4", "--json", db)
    assert more.code == 3, more.err


def test_an_endpoint_that_is_not_there_is_one_sentence_and_leaves_no_run(arena: Arena) -> None:
    file = arena.folder / "t.yaml"
    file.write_text(a_file("http://127.0.0.1:9/v1"))
    done = arena.run("--no-ui", file)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "embeddings" in done.err
    assert arena.run("runs", "--json").out.strip() == "[]"


def test_an_endpoint_has_to_be_named_and_used(arena: Arena) -> None:
    file = arena.folder / "t.yaml"
    file.write_text(a_file("http://127.0.0.1:9/v1", format={"kind": "elo"}))
    done = arena.run("check", file)
    assert done.code == 2
    assert "only format.similarity: endpoint uses it" in done.err + done.out
