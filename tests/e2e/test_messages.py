"""What is said to someone who mistyped a word, named the wrong file, lacks a file, or wants to go on."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from arena_cli import STRENGTHS, Arena

import arena_tui
from arena_tui.report.endings import NOTHING_USABLE

COMMANDS = {"kind": "command", "mode": "pairwise"}


def of_python(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of `t.yaml` whose judge is a function; its database."""
    monkeypatch.setenv("ARENA_HOME", str(arena.home))
    arena_tui.run(arena_tui.load(arena.tournament()), judge=first_is_better)
    return arena.db()


def first_is_better(first: arena_tui.Candidate, second: arena_tui.Candidate) -> str:
    return "first"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("chek t.yaml", "no command or file 'chek'; did you mean check?"),
        ("reusme", "did you mean resume?"),
        ("nonsense", "no command or file 'nonsense'; `arena --help` lists the commands"),
        ("tt.yaml", "tt.yaml: no such file (did you mean t.yaml?)"),
        ("another.yaml", "another.yaml: no such file (its folder has t.yaml)"),
        ("check tt.yaml", "tt.yaml: no such file (did you mean t.yaml?)"),
        ("export --what maches", "Did you mean matches?"),
        ("resume --ad-matches 3", "--add-matches"),
        ("show t.yaml", "t.yaml is a tournament file, not a run; its newest run is e2e-"),
        ("show e3e", "no run and no file is called 'e3e': did you mean e2e-"),
        ("act e2e pinn amber", "unknown action 'pinn'; did you mean pin?"),
        ("act e2e pin ambr", "no candidate has the id 'ambr'; did you mean amber?"),
        ("act e2e overrule 1 drawn", "did you mean draw?"),
        ("act e2e limit matchs=100", "no limit is called 'matchs'; did you mean matches?"),
        ("act e2e limit per_group.matchs=100", "did you mean limits.per_group.matches?"),
        ("act e2e add t.jsonl", "no such file or folder: 't.jsonl'"),
        ("t.yaml --set limits.matchs=9", "did you mean limits.matches?"),
        ("t.yaml --set format.p_new=0.9", "--set format.p_new: format: p_new, p_close and p_random"),
        ("t.yaml --seed 8", "differs from --seed 8, so it cannot go on: leave that out, or"),
        ("t.yaml --set format.k_new=9", "differs from --set format.k_new=9, so it cannot go on"),
    ],
)
def test_mistake_is_answered_with_what_was_perhaps_meant(arena: Arena, args: str, said: str) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament(limits={"matches": 3}))
    done = arena.run(*args.split())
    told = (done.out if args.startswith("check") else done.err).strip()
    assert done.code == 2, done
    assert said in told
    assert "Traceback" not in told


def test_shortened_ids_are_understood_as_they_are_shown(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", arena.tournament(limits={"matches": 3})).result["run"]
    assert arena.run("show", "--json", f"{run[:9]}…").result["run"] == run
    assert arena.run("act", run, "pin", "amb…").err == "amber is now pinned\n"
    assert arena.run("act", run, "unpin", "amber").err == "amber is no longer pinned\n"
    assert arena.run("act", run, "reject", "amber").err == "amber is now rejected\n"
    assert arena.run("act", run, "restore", "amber").err == "amber plays again\n"


# --- what is missing is found before anything is made ------------------------------------------------


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ({**COMMANDS, "command": ["python3", "judge.py"]}, "no file 'judge.py' for python3"),
        (
            {**COMMANDS, "command": ["./present.py"]},
            "./present.py is not executable (chmod +x ./present.py, or",
        ),
        ({"kind": "recorded", "file": "bad.jsonl"}, "winner"),
        (
            {"kind": "recorded", "file": "strangers.jsonl"},
            "no recorded verdict is on two candidates of one group",
        ),
        ({"kind": "recorded", "file": "stranger.jsonl"}, "did you mean strangers.jsonl?"),
    ],
)
def test_judge_that_cannot_work_is_refused_by_check_and_before_a_run_is_made(
    arena: Arena, judge: dict[str, object], said: str
) -> None:
    (arena.folder / "present.py").write_text("print(1)")
    (arena.folder / "bad.jsonl").write_text('{"a": "amber", "b": "birch", "winner": "amber"}\n')
    (arena.folder / "strangers.jsonl").write_text('{"a": "amber", "b": "nobody", "winner": "a"}\n')
    file = arena.tournament(judge=judge)
    checked, started = arena.run("check", file), arena.run("--no-ui", file)
    assert (checked.code, started.code) == (2, 2)
    assert said in checked.out
    assert said in started.err
    assert not arena.home.exists()


def test_votes_on_some_of_the_pairs_are_enough_to_start(arena: Arena) -> None:
    (arena.folder / "votes.jsonl").write_text('{"a": "amber", "b": "birch", "winner": "a"}\n')
    file = arena.tournament(judge={"kind": "recorded", "file": "votes.jsonl"})
    assert arena.run("check", file).code == 0


# --- how it ended and how to go on -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "usage", "hint"),
    [
        ({"matches": 1}, {}, "arena resume {run} --add-matches N"),
        ({"usd": 0.05}, {"usd": 0.01}, "arena resume {run} --add-usd X"),
        ({"tokens": 500}, {"input_tokens": 100}, "arena resume {run} --add-tokens N"),
        (
            {"per_group": {"matches": 5}},
            {},
            "arena act {run} limit per_group.matches=N, then arena resume {run}",
        ),
        (
            {"per_group": {"usd": 0.05}},
            {"usd": 0.01},
            "arena act {run} limit per_group.usd=X, then arena resume {run}",
        ),
    ],
)
def test_hint_after_a_limit_names_the_option_that_lifts_it(
    arena: Arena, limits: dict[str, object], usage: dict[str, float], hint: str
) -> None:
    judge = {"kind": "simulated", "mode": "pairwise", "usage": usage}
    done = arena.run("--no-ui", "--json", arena.tournament(judge=judge, limits=limits))
    assert done.code == 3
    lines = done.err.splitlines()
    assert lines[-1] == f"go on with: {hint.format(run=done.result['run'])}"
    assert not any(" 1 matches" in line or " 1 comparisons" in line for line in lines)
    more = [
        word.replace("N", "100").replace("X", "1") for word in hint.format(run=done.result["run"]).split()
    ]
    if "act" not in more:
        assert arena.run(*more[1:], "--quiet").code == 3
        assert sum(arena.run("show", "--json").result["matches"].values()) > sum(
            done.result["matches"].values()
        )


def test_run_without_usable_verdicts_says_why_and_how_it_goes_on(arena: Arena) -> None:
    judge = {**COMMANDS, "command": ["/bin/sh", "-c", "echo I like the first; exit 0"]}
    done = arena.run("--no-ui", "--json", "--quiet", arena.tournament(judge=judge))
    assert done.code == 1
    fault = "not valid JSON: Expecting value at character 1"
    reason = f"the program printed no verdict: {fault}, it printed 'I like the first'"
    assert done.result["judge"]["invalid_reasons"] == [{"reason": reason, "comparisons": 10}]
    assert f"no verdict in 10 comparisons: {reason}" in done.err.splitlines()
    assert done.err.splitlines()[-1] == NOTHING_USABLE
    shown = arena.run("show").out.splitlines()
    assert shown[-1] == NOTHING_USABLE


def test_finished_run_gives_no_command_to_go_on_and_only_goes_on_when_named(arena: Arena) -> None:
    stable = {"rule": "stability", "top_k": 2, "n": 2, "eps": 500, "min_matches_before_stable": 10}
    done = arena.run("--no-ui", "--json", arena.tournament(stop=stable))
    assert done.code == 0
    assert "go on with" not in done.err
    refused = arena.run("resume")
    assert refused.code == 2
    assert (
        f"no run is unfinished; a finished one goes on when it is named: `arena resume {done.result['run']}`"
        in (refused.err)
    )


def test_only_close_races_of_those_who_have_played_are_called_close(arena: Arena) -> None:
    file = arena.tournament(limits={"matches": 1})
    done = arena.run("--no-ui", "--json", file)
    (race,) = done.result["details"]["closest_races"]
    assert race["gap"] > 0
    played = {row["id"] for row in done.result["standings"] if row["matches"]}
    assert {race["ahead"], race["behind"]} == played
    judge = {"kind": "simulated", "mode": "pairwise", "noise": 0}
    wide = arena.run("--no-ui", "--json", "--new", arena.tournament(judge=judge, limits={"matches": 300}))
    told = [line for line in wide.err.splitlines() if line.startswith("small gap: ")]
    near = [race for race in wide.result["details"]["closest_races"] if race["gap"] < 50]
    assert len(told) == len(near) < 3


def test_held_verdicts_that_the_table_counts_are_said_to_be_counted(arena: Arena) -> None:
    latency = {"pairwise": {"mean": 0.01}, "debate": {"mean": 0.2}}
    judge = {"kind": "simulated", "latency": latency}
    limits = {"matches": 12, "concurrency": 4}
    done = arena.run("--no-ui", "--json", arena.tournament(judge=judge, limits=limits))
    result = done.result
    applied = sum(count for kind, count in result["matches"].items() if kind != "held")
    counted = sum(row["matches"] for row in result["standings"]) / 2
    assert counted == applied + result["matches"]["held"]
    assert (f"{result['matches']['held']} held verdict" in done.err) == bool(result["matches"]["held"])
    assert "held for later" not in done.err


def test_interrupted_run_tells_what_was_under_way_and_how_it_goes_on(arena: Arena) -> None:
    usage = {"kind": "simulated", "mode": "pairwise", "usage": {"usd": 0.01}}
    run = arena.run("--no-ui", "--json", arena.tournament(judge=usage, limits={"matches": 5})).result["run"]
    with closing(sqlite3.connect(arena.db())) as conn, conn:  # as a kill would leave it
        conn.execute("UPDATE meta SET value = '' WHERE key IN ('stop_reason', 'exit_code')")
        conn.execute("UPDATE reservations SET state = 'open' WHERE id = 1")
    assert [row["status"] for row in json.loads(arena.run("runs", "--json").out)] == ["interrupted"]
    lines = arena.run("show").out.splitlines()
    assert any(line.startswith("interrupted: its process is gone") for line in lines)
    assert lines[-2:] == [
        f"go on with: arena resume {run}",
        "1 comparison under way when it was cut off; the cost counts as spent",
    ]


def test_forecast_says_which_times_it_assumes(arena: Arena) -> None:
    file = arena.tournament(judge={"kind": "simulated", "latency": {"pairwise": 1}})
    assert "assuming" not in arena.run("plan", file).out, "a simulation takes what its settings say"
    file = arena.tournament(judge={"kind": "simulated", "latency": 1})
    assert "assuming" not in arena.run("plan", file).out
    judge = {"kind": "command", "command": ["/bin/true"], "mode": "pairwise"}
    assert "in flight, assuming 2 s for the program" in arena.run("plan", arena.tournament(judge=judge)).out


# --- a run that was begun from Python ----------------------------------------------------------------


def test_run_with_a_judge_from_python_goes_on_only_from_python(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = of_python(arena, monkeypatch)
    for args in (("resume",), ("resume", db, "--add-matches", 3), ("--no-ui", "t.yaml")):
        done = arena.run(*args)
        assert (done.code, done.out) == (2, "")
        assert "was begun with the Python judge 'first_is_better'" in done.err
        assert f"db='{db}'" in done.err
    assert arena.run("act", db, "limit", "matches=65").code == 0, "what needs no judge is done"
    arena.verify()
    assert arena.run("--no-ui", "--quiet", "--new", "t.yaml").code == 3


def test_export_of_a_run_from_python_says_that_its_judge_is_not_in_the_file(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_python(arena, monkeypatch)
    exported = arena.run("export", "--what", "config").out
    assert exported.startswith(
        "# The verdicts of this run came from a Python judge (first_is_better), which no file"
    )
    (arena.folder / "again.yaml").write_text(exported)
    assert arena.run("check", "again.yaml").code == 0
    shown = arena.run("show")
    assert "SIMULATED" not in shown.out
    assert json.loads(arena.run("show", "--json").out)["judge"]["kind"] == "python"


def test_ids_in_tables_are_whole_in_a_pipe_too(arena: Arena) -> None:
    long = {id_: f"{id_}-" + "x" * 50 for id_ in STRENGTHS}
    pool = [{"id": id_, "text": f"A text about {name} that is long enough to fill the table of a terminal."}
            for name, id_ in long.items()]  # fmt: skip
    name = "a-name-that-makes-a-long-run-id-indeed"
    done = arena.run("--no-ui", arena.tournament(name=name, candidates=pool, limits={"matches": 3}))
    assert all(id_ in done.out for id_ in long.values())
    run = arena.db().stem
    assert len(run) > 26
    assert run in arena.run("runs").out
    assert os.path.exists(arena.db())
