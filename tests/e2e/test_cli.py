"""The command line as people and scripts use it: outputs, options, what is resumed and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from arena_cli import STRENGTHS, Arena, asked_in, events_of

from arena_tui.store.reader import Reader

RESULT_KEYS = [
    *("run", "name", "format", "compare", "seed", "stop_reason", "stop_detail", "db"),
    *("matches", "comparisons", "calls", "usage", "groups", "standings", "judge", "details"),
    "overview",
]
STANDING_KEYS = [
    *("rank", "rank_low", "rank_high", "group", "class", "id", "title", "system", "state", "rating"),
    *("low", "high", "p_best", "wins", "losses", "draws", "matches"),
    *("twin_of", "parent_ids", "generation", "flags", "fitted", "score"),
]
MATCH_COLUMNS = [
    *("seq", "applied_no", "group", "round", "hyp_a", "hyp_b", "mode", "winner"),
    *("elo_a_before", "elo_a_after", "elo_b_before", "elo_b_after"),
    *("p_a", "similarity", "rationale", "flags", "order_consistent", "overruled_by", "at", "why"),
]
EVENT_KINDS = {"run", "match", "comparison", "rating", "snapshot", "group", "stop"}
ENDLESS = {"rule": "none"}
STABLE = {"rule": "stability", "top_k": 2, "n": 2, "eps": 500, "min_matches_before_stable": 10}


def candidates(*ids: str) -> list[dict[str, Any]]:
    return [{"id": id_, "text": f"A text about {id_}.", "strength": STRENGTHS.get(id_, 2.0)} for id_ in ids]


# --- outputs -----------------------------------------------------------------------------------------


def test_json_result_has_the_documented_keys_in_order(arena: Arena) -> None:
    done = arena.run("--no-ui", "--json", arena.tournament())
    assert done.code == 3
    assert done.out.count("\n") == 1
    assert done.out.isascii()
    result = done.result
    assert list(result) == RESULT_KEYS
    assert list(result["matches"]) == ["a", "b", "draw", "void", "held"]
    assert list(result["calls"]) == ["sent", "failed", "from_cache"]
    assert list(result["usage"]) == ["input_tokens", "cached_input_tokens", "output_tokens", "usd"]
    assert list(result["groups"]) == ["total", "finished", "stop_reasons", "skipped"]
    assert list(result["judge"])[:3] == ["first_slot_rate", "order_consistency", "invalid_rate"]
    assert [list(row) for row in result["standings"]] == [STANDING_KEYS] * len(STRENGTHS)
    assert (result["seed"], result["format"], result["compare"]) == (7, "elo", "candidates")
    assert result["stop_reason"] == "BUDGET"
    assert sum(result["matches"].values()) == result["comparisons"] == 60
    row = result["standings"][0]
    assert (row["rank"], row["rank_low"], row["score"]) == (1, 1, None)
    assert row["low"] < row["fitted"] < row["high"]
    assert sum(each["p_best"] for each in result["standings"]) == pytest.approx(1)
    assert sum(row["wins"] - row["losses"] for row in result["standings"]) == 0
    assert Path(result["db"]) == arena.db()
    assert json.loads(arena.run("show", "--json").out) == result


def test_table_is_on_stdout_and_everything_else_on_stderr(arena: Arena) -> None:
    done = arena.run("--no-ui", arena.tournament())
    table = done.out.splitlines()
    assert table[0].split("  ")[0] == "rank"
    assert [word for word in ("Elo", "BT", "95 %", "P(best)", "SIMULATED") if word not in table[0]] == []
    assert table[1 + len(STRENGTHS)] == ""
    notes = " ".join(table[2 + len(STRENGTHS) :])
    assert [notes.count(start) for start in ("Elo depends", "95 %: ", "P(best) by the fit: ")] == [1, 1, 1]
    lines = done.err.splitlines()
    assert "SIMULATED" in lines[0]
    assert sum(" beats " in line for line in lines) == 60
    assert lines[-1].startswith("go on with: arena resume")
    assert "\x1b" not in done.out + done.err


def test_quiet_leaves_out_the_lines_but_not_the_result(arena: Arena) -> None:
    done = arena.run("--no-ui", "--quiet", arena.tournament())
    assert done.out.split("\n\n")[0].count("\n") == len(STRENGTHS)
    assert " beats " not in done.err
    assert "note: " not in done.err
    assert any(line.endswith("; SIMULATED") for line in done.err.splitlines()), "no simulation goes unsaid"


def test_events_go_to_a_file_or_to_stdout_as_json_lines_with_pos_first(arena: Arena) -> None:
    file = arena.tournament(stop=STABLE)
    told = arena.run("--no-ui", "--events", "-", "--new", file)
    assert told.code == 0
    lines = told.out.splitlines()
    events = [json.loads(line) for line in lines]
    assert all(line.startswith('{"pos": ') for line in lines)
    assert all(list(event)[:2] == ["pos", "kind"] for event in events)
    assert {event["kind"] for event in events} == EVENT_KINDS
    assert (events[0]["kind"], events[-1]["kind"]) == ("run", "stop")
    positions = [event["pos"] for event in events if event["kind"] == "match"]
    assert positions == sorted(set(positions))
    assert arena.run("--no-ui", "--quiet", "--events", "events", "--new", file).code == 0
    applied = ("match", "rating", "snapshot")
    again = [event for event in events_of(arena.folder / "events") if event["kind"] in applied]
    # Verdicts that came after the stop rule had fired are told too, and which those are is a matter of time.
    assert [{**event, "pos": 0} for event in again] == [
        {**event, "pos": 0} for event in events if event["kind"] in applied
    ]


def test_snapshots_fall_on_every_tenth_match_exactly(arena: Arena) -> None:
    stop = {"rule": "stability", "eps": 0.001}  # never met
    judge = {"kind": "simulated", "invalid_rate": 0.1, "mode": "pairwise"}
    arena.run("--no-ui", "--quiet", "--events", "events", arena.tournament(stop=stop, judge=judge, seed=8))
    events = events_of(arena.folder / "events")
    valid = [e for e in events if e["kind"] == "match" and e["winner"] != "void"]
    assert 50 <= len(valid) < 60
    assert [e["valid_matches"] for e in events if e["kind"] == "snapshot"] == [10, 20, 30, 40, 50]


def test_no_color_and_no_terminal_mean_no_escape_codes(arena: Arena) -> None:
    file = arena.tournament()
    for environment in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "xterm-256color"}):
        for command in (("--no-ui", "--new", file), ("show",), ("runs",)):
            done = arena.run(*command, **environment)
            assert "\x1b" not in done.out + done.err


HOSTILE = {
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "colour": "\x1b[31;1mred\x1b[0m\x1b[2J",
    "title": "\x1b]0;owned\x07\x9b31m",
    "bidi": "abc\u202edef\u2066ghi\u200f",
    "return": "one\rtwo\x08\x08\x7f",
}


def test_foreign_text_never_reaches_a_screen_raw(arena: Arena) -> None:
    pool = [
        {"id": f"{name} \u202e\x9b31m", "title": f"title {text}", "text": f"text {text} {name}"}
        for name, text in HOSTILE.items()
    ]
    file = arena.tournament(name="n \x1b[31m\u202e", task="t \x1b]52;c;x\x07", candidates=pool)
    seen = []
    ran = arena.run("--no-ui", file)
    assert ran.code == 3, ran
    seen += [ran]
    first = pool[0]["id"]
    for command in (
        ("show",),
        ("runs",),
        ("check", file),
        ("plan", file),
        ("verify",),
        ("export",),
        ("export", "--what", "matches"),
        ("export", "--what", "comparisons"),
        ("export", "--what", "config"),
        ("act", arena.db(), "pin", first),
        ("act", arena.db(), "pin", first),
        ("act", arena.db(), "pin", "no \x1b[31m\u202e"),
        ("show", "no \x1b[31m\u202e"),
        ("--no-ui", "--set", "limits.no\x1b[31m\u202e=1", file),
        ("--no-ui", "no\x1b[31m\u202e.yaml"),
        ("no\x1b[31m\u202e",),
        ("export", "--what", "no\x1b[31m\u202e"),
        ("--no-ui", "--no\x1b[31m\u202e", file),
    ):
        seen.append(arena.run(*command))
    for done in seen:
        for bad in ("\x1b", "\x9b", "\x07", "\x08", "\x00", "\x7f", "\r", "\u202e", "\u2066", "\u200f"):
            assert bad not in done.out + done.err, (bad, done)
        assert "Traceback" not in done.err


def test_hostile_name_makes_a_harmless_file_name(arena: Arena) -> None:
    assert arena.run("--no-ui", "--quiet", arena.tournament(name="../../etc/passwd\x1b[31m é")).code == 3
    assert arena.db().parent == arena.home / "runs"
    assert arena.db().stem.startswith("etc-passwd")


def test_no_arguments_and_no_terminal_is_usage(arena: Arena) -> None:
    done = arena.run()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: arena")
    assert arena.run("--help").code == 0
    assert arena.run("--version").code == 0
    assert not arena.home.exists()


# --- which run: new, resumed, extended --------------------------------------------------------------


def test_run_that_ended_by_its_own_rule_is_followed_by_a_new_one(arena: Arena) -> None:
    file = arena.tournament(stop=STABLE)
    first = arena.run("--no-ui", "--json", file)
    second = arena.run("--no-ui", "--json", file)
    assert (first.code, second.code) == (0, 0)
    assert first.result["stop_reason"] == second.result["stop_reason"] == "ELO_STABLE"
    assert first.result["run"] != second.result["run"]
    assert first.result["standings"] == second.result["standings"], "the same seed, the same tournament"


def test_unfinished_run_goes_on_by_default_and_new_starts_afresh(arena: Arena) -> None:
    file = arena.tournament()
    first = arena.run("--no-ui", "--json", file)
    again = arena.run("--no-ui", "--json", file)
    fresh = arena.run("--no-ui", "--json", "--new", file)
    assert [done.code for done in (first, again, fresh)] == [3, 3, 3]
    assert again.result["run"] == first.result["run"]
    assert f"going on with run {first.result['run']}" in again.err
    assert again.result["matches"] == first.result["matches"], "the limit is still used up"
    assert fresh.result["run"] != first.result["run"]


def test_limits_and_name_changed_in_the_file_apply_when_it_goes_on(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", arena.tournament()).result["run"]
    file = arena.tournament(name="renamed", limits={"matches": 80, "concurrency": 3})
    done = arena.run("--no-ui", "--json", file)
    assert (done.code, done.result["run"], done.result["name"]) == (3, run, "renamed")
    assert sum(done.result["matches"].values()) == 80
    with Reader(arena.db()) as reader:
        (act,) = reader.interventions()
    assert act.intervention.values == {
        "limits.concurrency": 3,
        "limits.matches": 80,
        "name": "renamed",
    }
    arena.verify()
    assert arena.run("--no-ui", "--quiet", "--db", "whole.db", "--set", "limits.lookahead=16", file).code == 3
    assert arena.matches(arena.db()) == arena.matches("whole.db")


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"task": "Another question?"}, "task"),
        ({"seed": 8}, "seed"),
        ({"judge": {"kind": "simulated", "mode": "pairwise", "noise": 2}}, "judge"),
        ({"format": {"kind": "elo", "similarity": "none", "k_new": 40}}, "format"),
        ({"limits": {"matches": 60, "ordering": "arrival"}}, "ordering"),
        ({"candidates": candidates("amber", "birch", "cedar", "dune", "ember")}, "candidates"),
        ({"candidates": candidates(*STRENGTHS, "gorse")}, "candidates"),
    ],
)
def test_change_that_makes_another_tournament_is_refused_and_named(
    arena: Arena, changed: dict[str, Any], named: str
) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    before = arena.db().read_bytes()
    done = arena.run("--no-ui", arena.tournament(**changed))
    assert (done.code, done.out) == (2, "")
    assert f"differs from the file in its {named}, so it cannot go on" in done.err
    assert "--new" in done.err
    assert ("--extend" in done.err) == (named == "candidates")
    assert arena.db().read_bytes() == before
    assert arena.run("--no-ui", "--quiet", "--new", "t.yaml").code == 3


def test_seed_left_out_matches_the_stored_one(arena: Arena) -> None:
    first = arena.run("--no-ui", "--json", arena.tournament(seed=None))
    again = arena.run("--no-ui", "--json", "t.yaml")
    assert again.result["run"] == first.result["run"]
    assert again.result["seed"] == first.result["seed"]
    assert f"seed {first.result['seed']}" in first.err
    given = arena.run("--no-ui", "--json", "--new", "--seed", first.result["seed"], "t.yaml")
    assert given.result["standings"] == first.result["standings"]


def test_extend_admits_what_the_file_has_gained(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", arena.tournament(stop=STABLE)).result["run"]
    file = arena.tournament(stop=STABLE, candidates=candidates(*STRENGTHS, "gorse"))
    done = arena.run("--no-ui", "--json", "--extend", file)
    assert done.code in (0, 3)
    assert done.result["run"] == run
    assert {row["id"] for row in done.result["standings"]} == {*STRENGTHS, "gorse"}
    (gorse,) = (row for row in done.result["standings"] if row["id"] == "gorse")
    assert gorse["matches"] >= 3, "the stop rule waits for the new one"
    arena.verify()


def test_extended_file_goes_on_without_being_extended_again(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", arena.tournament()).result["run"]
    file = arena.tournament(candidates=candidates(*STRENGTHS, "gorse"), limits={"matches": 70})
    assert arena.run("--no-ui", "--quiet", "--extend", file).code == 3
    again = arena.run("--no-ui", "--json", "--set", "limits.matches=80", file)
    assert again.code == 3, again
    assert again.result["run"] == run
    assert sum(again.result["matches"].values()) == 80


def test_extend_refuses_lost_or_changed_candidates_and_a_file_without_a_run(arena: Arena) -> None:
    file = arena.tournament()
    assert "no run yet" in arena.run("--no-ui", "--extend", file).err
    arena.run("--no-ui", "--quiet", file)
    lost = arena.run("--no-ui", "--extend", arena.tournament(candidates=candidates("amber", "birch")))
    assert lost.code == 2
    assert "cedar" in lost.err
    changed = candidates(*STRENGTHS)
    changed[3]["text"] = "Something else."
    done = arena.run("--no-ui", "--extend", arena.tournament(candidates=changed))
    assert done.code == 2
    assert "dune" in done.err


def test_db_names_the_file_of_the_run(arena: Arena) -> None:
    file, db = arena.tournament(), arena.folder / "my run?.db"
    first = arena.run("--no-ui", "--json", "--db", db, file)
    assert first.code == 3
    assert first.result["db"] == str(db)
    assert not arena.home.exists()
    assert db.stat().st_mode & 0o777 == 0o600
    again = arena.run("--no-ui", "--json", "--db", db, file)
    assert again.result["run"] == first.result["run"]
    taken = arena.run("--no-ui", "--new", "--db", db, file)
    assert taken.code == 2
    assert "exists already" in taken.err
    for command in ("show", "verify", "export"):
        assert arena.run(command, db).code == 0
    assert arena.run("resume", db, "--quiet", "--add-matches", 5).code == 3


def test_runs_are_private(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    assert arena.db().stat().st_mode & 0o777 == 0o600
    assert arena.db().parent.stat().st_mode & 0o777 == 0o700


def test_set_overrides_the_file_and_is_recorded_with_the_run(arena: Arena) -> None:
    file = arena.tournament()
    done = arena.run(
        *("--no-ui", "--json", "--set", "limits.matches=12", "--set", "format.k_new=20"),
        *("--set", "name=other", "--seed", 99, file),
    )
    assert done.code == 3
    result = done.result
    assert (result["name"], result["seed"], sum(result["matches"].values())) == ("other", 99, 12)
    config = arena.run("export", "--what", "config").out
    assert "k_new: 20" in config
    assert "seed: 99" in config


# --- resume ------------------------------------------------------------------------------------------


def test_three_additions_of_matches_are_one(arena: Arena) -> None:
    file = arena.tournament()
    arena.run("--no-ui", "--quiet", file)
    for _ in range(3):
        assert arena.run("resume", "--quiet", "--add-matches", 10).code == 3
    assert arena.run("--no-ui", "--quiet", "--db", "whole.db", "--set", "limits.matches=90", file).code == 3
    assert arena.matches(arena.db()) == arena.matches("whole.db")


def test_run_that_was_stable_goes_on_with_its_window_anew(arena: Arena) -> None:
    first = arena.run("--no-ui", "--json", arena.tournament(stop=STABLE, limits={"matches": 200}))
    assert first.code == 0
    unnamed = arena.run("resume", "--no-ui", "--json")
    assert (unnamed.code, unnamed.out) == (2, ""), "a finished run goes on only when it is named"
    again = arena.run("resume", first.result["run"], "--no-ui", "--json")
    assert again.code == 0
    assert again.result["stop_reason"] == "ELO_STABLE"
    before, after = (result["matches"] for result in (first.result, again.result))
    more = sum(after[kind] - before[kind] for kind in ("a", "b", "draw", "void"))  # held ones do not count
    assert more >= 20, "two snapshots, ten matches apart"
    arena.verify()


def test_run_is_found_by_id_unique_beginning_or_file(arena: Arena) -> None:
    file = arena.tournament()
    run = arena.run("--no-ui", "--json", file).result["run"]
    for name in (run, run[:-2], str(arena.db())):
        assert arena.run("show", "--json", name).result["run"] == run
    arena.run("--no-ui", "--quiet", "--new", file)
    ambiguous = arena.run("show", "e2e")
    assert ambiguous.code == 2
    assert "2 runs" in ambiguous.err


def test_runs_lists_newest_first_with_the_documented_keys(arena: Arena) -> None:
    assert arena.run("runs", "--json").out == "[]\n"
    arena.run("--no-ui", "--quiet", arena.tournament("one.yaml", name="one", stop=STABLE))
    arena.run("--no-ui", "--quiet", arena.tournament("two.yaml", name="two"))
    rows = json.loads(arena.run("runs", "--json").out)
    keys = ["run", "name", "format", "status", "stop_reason", "matches", "created_at", "db"]
    assert [list(row) for row in rows] == [keys, keys]
    assert [(row["name"], row["status"], row["stop_reason"]) for row in rows] == [
        ("two", "stopped", "BUDGET"),
        ("one", "finished", "ELO_STABLE"),
    ]
    assert rows[0]["matches"] == 60
    table = arena.run("runs").out
    assert all(row["run"] in table for row in rows)


# --- exports -----------------------------------------------------------------------------------------


def test_exports_take_their_format_from_the_suffix(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    for what, count in (("standings", len(STRENGTHS)), ("matches", 60), ("comparisons", 60)):
        for suffix in ("csv", "jsonl", "md"):
            to = arena.folder / f"{what}.{suffix}"
            done = arena.run("export", "--what", what, "--to", to)
            assert (done.code, done.out, done.err) == (0, "", "")
            lines = to.read_text(encoding="utf-8").splitlines()
            assert len(lines) == count + {"csv": 1, "jsonl": 0, "md": 2}[suffix]
        assert arena.run("export", "--what", what).out == (arena.folder / f"{what}.csv").read_text()
        refused = arena.run("export", "--what", what, "--to", "table.xlsx")
        assert refused.code == 2
        assert ".csv" in refused.err


def test_match_export_has_the_documented_columns_and_no_times(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    rows = list(csv.DictReader(io.StringIO(arena.matches())))
    assert list(rows[0]) == MATCH_COLUMNS
    assert [int(row["applied_no"]) for row in rows] == list(range(1, 61))
    assert all(len(row["elo_a_before"].partition(".")[2]) == 6 for row in rows)
    timed = arena.run("export", "--what", "matches", "--times").out
    assert list(csv.DictReader(io.StringIO(timed)).fieldnames or ()) == [*MATCH_COLUMNS, "applied_at"]


def test_exported_config_runs_again_to_the_same_matches(arena: Arena) -> None:
    groups = [{"id": "g1", "prompt": "Why?\nSay it."}, {"id": "g2", "prompt": "How: so?"}]
    pool = [
        {
            "id": f"c{i}",
            "group": f"g{1 + i % 2}",
            "text": f"text: {i}\n# not a comment",
            "title": f"'{i}' \u202eé\u2066",
        }
        for i in range(9)
    ]
    pool.append({"id": "twin", "group": "g1", "text": "TEXT: 0\n# not a comment", "parent_ids": ["c0"]})
    file = arena.tournament(
        candidates=pool, groups=groups, seed=None, criteria={"Depth": "how deep", "yes": "no"}
    )
    assert arena.run("--no-ui", "--quiet", file).code == 3
    folder = arena.folder / "elsewhere"
    folder.mkdir()
    again = folder / "again.yaml"
    assert arena.run("export", "--what", "config", "--to", again).code == 0
    assert arena.run("check", again).code == 0
    assert arena.run("--no-ui", "--quiet", "--db", "again.db", again).code == 3
    assert arena.matches("again.db") == arena.matches(arena.db())
    exported = yaml.safe_load(arena.run("export", "again.db", "--what", "config").out)
    assert exported == yaml.safe_load(again.read_text(encoding="utf-8"))
    titles = [candidate["title"] for candidate in exported["candidates"] if "title" in candidate]
    assert "'0' \u202eé\u2066" in titles


def test_cut_run_exports_a_prefix_of_the_longer_one(arena: Arena) -> None:
    file = arena.tournament(judge={"kind": "simulated", "draw_rate": 0.1, "invalid_rate": 0.05})
    for matches in (10, 37, 120):
        done = arena.run(
            "--no-ui", "--quiet", "--db", f"{matches}.db", "--set", f"limits.matches={matches}", file
        )
        assert done.code == 3
    exports = [arena.matches(f"{matches}.db") for matches in (10, 37, 120)]
    assert exports[2].startswith(exports[1])
    assert exports[1].startswith(exports[0])
    assert exports[0].count("\n") > 1


# --- delete, act, check, plan -----------------------------------------------------------------------


def test_delete_asks_unless_told_not_to(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    db = arena.db()
    kept = arena.run("delete", db.stem, typed="\n")
    assert (kept.code, kept.out) == (130, "")
    assert "for good?" in kept.err
    assert db.exists()
    assert arena.run("delete", db.stem, "--yes").code == 0
    assert not db.exists()


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """A run that has stopped at its limit, for tests that must not change it."""
    made = Arena(tmp_path_factory.mktemp("stopped"))
    assert made.run("--no-ui", "--quiet", made.tournament(limits={"matches": 5})).code == 3
    return made


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("dance",), "known: pause"),
        (("pin",), "usage: arena act RUN pin ID"),
        (("pin", "amber", "birch"), "usage: arena act RUN pin ID"),
        (("match", "amber"), "usage: arena act RUN match A B"),
        (("match", "amber", "amber"), "itself"),
        (("pin", "nobody"), "nobody"),
        (("restore", "amber"), "amber"),
        (("overrule", "1", "maybe"), "a, b, draw, void"),
        (("overrule", "99", "a"), "no outcome"),
        (("overrule", "x", "a"), "no match"),
        (("limit", "matches"), "KEY=VALUE"),
        (("limit", "matches=many"), "limits.matches"),
        (("limit", "concurrency=0"), "limits.concurrency"),
        (("limit", "speed=2"), "KEY one of"),
        (("add", "missing.jsonl"), "missing.jsonl"),
        (("pause",), "nothing drives"),
        (("abort",), "nothing drives"),
    ],
)
def test_action_that_cannot_be_done_is_refused_with_the_reason(
    stopped: Arena, args: tuple[str, ...], said: str
) -> None:
    before = stopped.db().read_bytes()
    done = stopped.run("act", stopped.db(), *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert stopped.db().read_bytes() == before


def test_actions_at_rest_take_effect_when_the_run_goes_on(arena: Arena) -> None:
    arena.run("--no-ui", "--quiet", arena.tournament())
    more = arena.folder / "more.jsonl"
    more.write_text('{"id": "gorse", "text": "A text about gorse.", "strength": 4}\n')
    for args in (
        ("pin", "amber"),
        ("reject", "fern"),
        ("add", more),
        ("focus", "gorse"),
        ("overrule", "2", "void"),
        ("limit", "matches=90"),
        ("limit", "wall_clock=30m"),
    ):
        assert arena.run("act", arena.db(), *args).code == 0, args
    arena.verify()
    done = arena.run("resume", "--no-ui", "--json")
    assert done.code == 3
    states = {row["id"]: row["state"] for row in done.result["standings"]}
    assert (states["amber"], states["fern"], states["gorse"]) == ("pinned", "rejected", "in_tournament")
    rows = list(csv.DictReader(io.StringIO(arena.matches())))
    assert (rows[1]["winner"], rows[1]["overruled_by"]) == ("void", "1")
    assert rows[1]["elo_a_after"] == rows[1]["elo_a_before"]
    assert any("gorse" in (row["hyp_a"], row["hyp_b"]) for row in rows)
    arena.verify()


def test_check_and_plan_start_nothing(arena: Arena) -> None:
    file = arena.tournament(judge={"kind": "simulated", "usage": {"input_tokens": 100, "usd": 0.001}})
    checked = arena.run("check", file)
    assert (checked.code, checked.out) == (0, f"{file}: ready to run; 6 candidates in 1 group\n")
    planned = arena.run("plan", "--json", file)
    assert planned.code == 0
    told = json.loads(planned.out)
    assert told["matches"]["median"] == 60
    assert told["usd"]["median"] == pytest.approx(0.06)
    assert arena.run("plan", file).out.startswith("elo, ")
    assert not arena.home.exists()


def test_command_judge_is_called_once_a_comparison_and_again_only_for_what_was_lost(arena: Arena) -> None:
    log = arena.folder / "asked"
    script = f'read q; echo x >> {log}; echo \'{{"winner": "first"}}\''
    judge = {"kind": "command", "command": ["/bin/sh", "-c", script], "mode": "pairwise"}
    done = arena.run("--no-ui", "--json", arena.tournament(judge=judge, limits={"matches": 20}))
    assert done.code == 3, done
    assert log.read_text() == "x\n" * 20
    assert done.result["calls"]["sent"] == 20
    assert arena.run("resume", "--quiet", "--add-matches", 5).code == 3
    assert log.read_text() == "x\n" * 25


def test_judge_that_never_gives_a_verdict_ends_the_run_with_exit_1(arena: Arena) -> None:
    judge = {"kind": "command", "command": ["/bin/sh", "-c", "echo broken >&2; exit 3"]}
    done = arena.run("--no-ui", "--json", arena.tournament(judge=judge))
    assert done.code == 1
    assert done.result["stop_reason"] == "IDLE"
    assert done.result["matches"]["void"] == 10
    assert "exit code 3" in done.result["stop_detail"] + done.err
    assert "broken" in done.err


def test_driver_of_the_tests_counts_what_it_is_told_to(arena: Arena) -> None:
    """The tests of kills and signals stand on this log."""
    done = arena.run("--no-ui", "--json", arena.tournament(), driver={"calls": arena.folder / "calls"})
    assert done.code == 3
    assert sorted(int(seq) for _, seq, _ in asked_in(arena.folder / "calls")) == list(range(1, 61))
