"""Every format from the command line: run headless to its end, shown again, listed, its pairings exported."""

from __future__ import annotations

import csv
import io
import json

from arena_cli import STRENGTHS, Arena

HEADINGS = {
    "swiss": "points",
    "pivot": "w/c",
    "round_robin": "points",
    "knockout": "rounds won",
    "adaptive": "",
}
FIT_KEYS = {"tie_model", "inflation", "clustered", "components", "undefeated", "winless", "confidence"}


def test_every_format_is_run_shown_and_listed(arena: Arena) -> None:
    for kind, score in HEADINGS.items():
        stop = {"stop": {"rule": "confident", "delta": 1.0}} if kind == "adaptive" else {"stop": {}}
        file = arena.tournament(f"{kind}.yaml", format={"kind": kind}, limits={}, name=kind, **stop)
        done = arena.run("--no-ui", "--quiet", file)
        assert done.code == 0, done.err
        heading = done.out.splitlines()[0]
        assert "Elo" not in heading
        assert all(word in heading for word in ("range", "rating", "95 %", "P(best)", "W-D-L", score))
        assert ("CONFIDENT is a statement about" in done.out) == (kind == "adaptive")
        assert "on this judge's own scale" in done.out.replace("\n", " ")

        shown = arena.run("show")
        assert shown.code == 0
        assert shown.out.startswith(done.out)
        result = arena.run("show", "--json").result
        assert result["details"].keys() >= FIT_KEYS
        assert len(result["standings"]) == len(STRENGTHS)
        assert sum(row["p_best"] or 0.0 for row in result["standings"]) > 0.999
        assert all((row["score"] is None) == (kind == "adaptive") for row in result["standings"])
        (sure,) = result["details"]["confidence"].values()
        assert {sure["leader"], sure["runner_up"]} <= STRENGTHS.keys()

        if kind != "adaptive":
            pairings = list(csv.DictReader(io.StringIO(arena.run("export", "--what", "pairings").out)))
            played = sum(result["matches"].values())
            assert sum(bool(row["b"]) for row in pairings) == played
    listed = json.loads(arena.run("runs", "--json").out)
    assert {row["format"] for row in listed} == HEADINGS.keys()
