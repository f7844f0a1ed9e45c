"""config/elo.yaml as a user has it: without a key, with one, with a bad one, with a mock for a model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from arena_cli import ROOT, Arena, photograph
from model_brain import Request, Scripted
from model_runs import KEY, candidates, is_probe, judge_at, judged, keyed
from model_server import Ways
from model_server_process import ModelServerThread
from reading_brain import reads_texts

from arena_tui.store.reader import Reader

ELO = ROOT / "config" / "elo.yaml"
NO_KEY = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""}
REFUSALS = {  # what a server says when no request of the run can succeed, and what the user is told of it
    "bad_key": "OPENAI_API_KEY",
    "quota": "no credit left",
}


@pytest.fixture
def server() -> Iterator[ModelServerThread]:
    with ModelServerThread(reads_texts) as running:
        yield running


def said(err: str) -> str:
    """The one sentence that a refused command says."""
    (line,) = err.splitlines()
    assert line.startswith("arena: ")
    assert "Traceback" not in err
    return line


def test_without_a_key_one_sentence_names_the_variable_and_nothing_is_made(arena: Arena) -> None:
    before = photograph(arena.folder)
    done = arena.run("--no-ui", ELO, **NO_KEY)
    assert done.code == 2
    assert done.out == ""
    assert "ANTHROPIC_API_KEY" in said(done.err)
    assert photograph(arena.folder) == before


def test_mock_panel_goes_the_whole_way_of_debates_without_a_key(arena: Arena) -> None:
    done = arena.run("--no-ui", "--json", ELO, "--set", "judge.model=mock:panel", **NO_KEY)
    assert done.code == 0, done.err
    result = done.result
    assert result["stop_reason"] == "ELO_STABLE"
    assert result["judge"]["simulated"]
    assert result["usage"]["usd"] == 0.0
    assert "SIMULATED" in done.err
    with Reader(arena.db()) as reader:
        debates = [row for row in reader.matches() if row["mode"] == "debate"]
    assert len(debates) > 10
    for row in debates:
        assert row["rationale"].count("advocate of 1:") == row["rationale"].count("advocate of 2:") == 2
        assert "\njudge: " in row["rationale"]
    arena.verify()


def test_with_a_key_it_runs_as_it_is(arena: Arena, server: ModelServerThread) -> None:
    """Nothing is changed but the environment: the SDK's own variable leads to another server."""
    done = arena.run("--no-ui", "--json", ELO, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url)
    assert done.code == 0, done.err
    result = done.result
    assert result["stop_reason"] == "ELO_STABLE"
    assert not result["judge"]["simulated"]
    assert 0 < result["usage"]["usd"] <= 5
    assert {call.wire for call in server.calls} == {"anthropic"}
    assert {call.model for call in server.calls} == {"claude-sonnet-5-5"}
    assert {call.key for call in server.calls} == {KEY}
    assert sum(map(is_probe, server.calls)) == 1
    assert len(judged(server.calls)) == result["calls"]["sent"]
    arena.verify()


def test_refused_key_is_found_before_anything_is_planned(arena: Arena) -> None:
    with ModelServerThread(reads_texts, ways=Ways(keys=[KEY])) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url}
        bad = arena.run("--no-ui", "--json", ELO, ANTHROPIC_API_KEY="sk-revoked-1", **environment)
        assert bad.code == 1
        assert "ANTHROPIC_API_KEY" in bad.err
        assert "Traceback" not in bad.err
        assert "sk-revoked-1" not in bad.err + bad.out
        assert len(server.calls) == 1, "the probe, and it is not repeated"
        assert list((arena.home / "runs").glob("*.db")) == [], "a run that never was one"
        some = ("--set", "limits.matches=3")
        good = arena.run("--no-ui", "--json", ELO, *some, ANTHROPIC_API_KEY=KEY, **environment)
        assert good.code == 3, good.err
        arena.verify()


@pytest.mark.parametrize("refusal", REFUSALS)
def test_key_that_stops_working_in_mid_run_ends_it_resumable(arena: Arena, refusal: str) -> None:
    works = [30]  # calls that are answered

    def brain(request: Request) -> str | Scripted:
        works[0] -= 1
        return reads_texts(request) if works[0] >= 0 else Scripted("", fault=refusal)

    with ModelServerThread(brain) as server:
        file = arena.tournament(
            candidates=candidates(),
            judge=judge_at(server.url, "openai"),
            limits={"matches": 500, "concurrency": 4},
        )
        stopped = arena.run("--no-ui", file, **keyed("openai"))
        assert stopped.code == 1, stopped.err
        assert REFUSALS[refusal] in stopped.err
        assert "Traceback" not in stopped.err
        assert KEY not in stopped.err
        refused = [call for call in server.calls if call.fault]
        assert 1 <= len(refused) <= 4, "not one for each of 500 matches"
        with Reader(arena.db()) as reader:
            counts = reader.counts()
        assert 0 < counts.applied < 20
        assert counts.void == counts.invalid == 0
        works[0] = 10_000
        assert arena.run("act", arena.db(), "limit", "matches=20").code == 0
        resumed = arena.run("resume", "--json", **keyed("openai"))
        assert resumed.code == 3, resumed.err
        assert resumed.result["matches"]["void"] == 0
        arena.verify()


def test_limit_of_money_is_refused_where_the_price_is_unknown(
    arena: Arena, server: ModelServerThread
) -> None:
    before = photograph(arena.folder)
    unknown = ("--set", "judge.model=openai:home-grown", "--set", "limits.matches=3")
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.openai_url}
    done = arena.run("--no-ui", ELO, *unknown, **environment)
    assert done.code == 2
    assert "openai:home-grown" in said(done.err)
    assert "limits.usd" in done.err
    assert "unknown_cost" in done.err
    assert photograph(arena.folder) == before
    assert server.calls == []
    allowed = arena.run(
        *("--no-ui", "--json", ELO, *unknown, "--set", "limits.unknown_cost=allow"), **environment
    )
    assert allowed.code == 3, allowed.err
    assert allowed.result["usage"]["usd"] is None, "unknown, not nothing"
