"""Settings: defaults, presets, what is refused and how, changes by dotted key, identity."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui import settings, settings_faults
from arena_tui.candidate import Candidate, Group, Pool
from arena_tui.errors import UsageError
from arena_tui.identity import PARTS, identity, identity_changes
from arena_tui.settings import (
    CommandJudge,
    RecordedJudge,
    SimulatedJudge,
    Spread,
    Tournament,
    validate,
    with_changes,
)


def fault(**given: Any) -> str:
    """What is said of settings that must be refused."""
    with pytest.raises(UsageError) as refused:
        validate({"judge": "simulated", **given})
    return str(refused.value)


def test_defaults_are_those_of_the_co_scientist_elo_tournament_with_our_guards() -> None:
    tournament = validate({"judge": {"kind": "simulated"}, "format": "elo"})
    elo, stop, limits = tournament.format, tournament.stop, tournament.limits
    assert (elo.kind, elo.initial_rating, elo.k_new, elo.k_warm, elo.new_threshold) == (
        "elo",
        1200,
        32,
        16,
        5,
    )
    assert (elo.new_matches_lt, elo.debate_when_matches_lt, elo.debate_when_elo_delta_lt) == (3, 2, 50)
    assert (elo.p_new, elo.p_close, elo.p_random, elo.close_gap) == (0.4, 0.4, 0.2, 200)
    assert (elo.rematch_penalty, elo.focus_new_entrants) == (True, False)
    assert (stop.rule, stop.top_k, stop.n, stop.eps, stop.match_snapshot_every) == ("stability", 5, 3, 25, 10)
    assert (stop.min_matches_before_stable, stop.min_matches_each, stop.voids_in_a_row) == (None, 3, 10)
    assert (limits.usd, limits.tokens, limits.wall_clock, limits.matches) == (None, None, None, None)
    assert (limits.concurrency, limits.lookahead, limits.ordering, limits.grace) == (8, None, "seq", 60)
    assert limits.durations.by_mode() == {"pairwise": 1, "score": 1, "debate": 15}
    assert (tournament.judge.orders, tournament.judge.draws) == ("alternate", True)


def test_preset_changes_only_defaults_that_were_not_set() -> None:
    preset = validate({"judge": "simulated", "format": {"preset": "co_scientist"}})
    assert (preset.judge.draws, preset.judge.orders) == (False, "given")
    assert (preset.format.rematch_penalty, preset.format.focus_new_entrants) == (False, True)
    assert (preset.stop.min_matches_before_stable, preset.stop.min_matches_each) == (0, 0)
    mixed = validate(
        {
            "judge": {"kind": "simulated", "draws": True},
            "format": {"preset": "co_scientist", "focus_new_entrants": False},
            "stop": {"min_matches_each": 2},
        }
    )
    assert (mixed.judge.draws, mixed.judge.orders) == (True, "given")
    assert (mixed.format.rematch_penalty, mixed.format.focus_new_entrants) == (False, False)
    assert (mixed.stop.min_matches_before_stable, mixed.stop.min_matches_each) == (0, 2)


def test_a_preset_names_no_judge() -> None:
    with pytest.raises(UsageError, match="judge: missing"):
        validate({"format": {"preset": "co_scientist"}})


def test_preset_can_be_chosen_and_left_by_a_change() -> None:
    plain = validate(
        {
            "judge": {"kind": "simulated", "orders": "both"},
            "format": "elo",
            "stop": {"min_matches_each": 7},
        }
    )
    changed = with_changes(plain, {"format.preset": "co_scientist"})
    assert (changed.judge.orders, changed.judge.draws, changed.stop.min_matches_each) == ("both", False, 7)
    back = with_changes(changed, {"format.preset": "null"})
    assert back == plain


def test_sections_may_be_empty_or_short() -> None:
    tournament = validate(
        {"judge": "simulated", "format": "swiss", "limits": None, "criteria": ["Clear", "New"]}
    )
    assert tournament.criteria == {"Clear": "Clear", "New": "New"}
    assert tournament == validate(
        {
            "judge": {"kind": "simulated"},
            "format": {"kind": "swiss"},
            "criteria": {"Clear": "Clear", "New": "New"},
        }
    )


@pytest.mark.parametrize("value", [32, "32", 32.0, " 32 "])
def test_a_count_may_be_written_in_several_ways(value: Any) -> None:
    assert validate({"judge": "simulated", "limits": {"matches": value}}).limits.matches == 32


@pytest.mark.parametrize("value", [2.5, True, "2.5", 0, -1, math.nan, math.inf, "many", [3], 10**400])
def test_what_is_no_count_is_refused(value: Any) -> None:
    assert "limits.matches: expected a whole number of at least 1, got " in fault(limits={"matches": value})


@pytest.mark.parametrize("value", [math.nan, math.inf, "nan", True, "x", None, -1, "1_0"])
def test_what_is_no_finite_number_above_zero_is_refused(value: Any) -> None:
    assert "format.k_new: expected a finite number above 0" in fault(format={"k_new": value})


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("30m", 1800), ("1h30m", 5400), ("1h 30m", 5400), ("90", 90), (90, 90), ("250ms", 0.25), ("2d", 172800)],
)
def test_times_are_read_as_people_write_them(written: Any, seconds: float) -> None:
    assert validate({"judge": "simulated", "limits": {"wall_clock": written}}).limits.wall_clock == seconds


@pytest.mark.parametrize("written", ["3 parsecs", "", "m", "-5m", 0, True, "5m later", "1:30"])
def test_what_is_no_time_is_refused(written: Any) -> None:
    assert "limits.wall_clock: expected a length of time above 0" in fault(limits={"wall_clock": written})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"limits": {"matchs": 3}}, "unknown key limits.matchs (did you mean limits.matches?)"),
        ({"matches": 3}, "unknown key matches (did you mean limits.matches?)"),
        ({"format": {"kind": "elo", "close": 3}}, "unknown key format.close (did you mean format.p_close?)"),
        ({"judge": {"kind": "recorded", "file": "x", "noise": 1}}, "unknown key judge.noise"),
        ({"judge": {"kind": "simlated"}}, "'human', 'panel', got 'simlated' (did you mean simulated?)"),
        (
            {"judge": {"draws": True}},
            "judge.kind: missing, expected one of 'recorded', 'simulated', 'command', 'llm', 'human',",
        ),
        ({"judge": {"kind": "recorded"}}, "judge.file: missing, expected the path of recorded verdicts"),
        (
            {"judge": {"kind": "command"}},
            "judge.command: missing, expected a program and its arguments, such as [python3, judge.py]",
        ),
        (
            {"judge": {"kind": "command", "command": "python3 x"}},
            "judge.command: expected a list such as [python3, judge.py], got 'python3 x'",
        ),
        ({"judge": {"kind": "command", "command": []}}, "judge.command: expected a list"),
        (
            {"judge": {"kind": "command", "command": ["python3", 0.10]}},
            "judge.command[1]: expected text, got 0.1; put it in quotes",
        ),
        ({"judge": {"kind": "simulated", "latency": -1}}, "judge.latency: expected a length of time"),
        (
            {"judge": {"kind": "simulated", "latency": {"debate": "x"}}},
            "judge.latency.debate: expected a length",
        ),
        ({"judge": {"kind": "simulated", "latency": {"mean": 1, "vc": 2}}}, "did you mean judge.latency.cv?"),
        ({"judge": 5}, "judge: expected a judge such as {kind: simulated}, got 5"),
        ({"judge": {"kind": ["llm"]}}, "judge.kind: expected one of"),
        ({"limits": [1]}, "limits: expected settings such as {key: value}, got a list"),
        ({"criteria": [1.5]}, "criteria[0]: expected text, got 1.5"),
        ({"criteria": 3}, "criteria: expected a mapping"),
        ({"task": " "}, "task: expected text, got an empty one"),
        ({"seed": -1}, "seed: expected a whole number from 0 to"),
        ({"format": {"p_new": 0.5}}, "format: p_new, p_close and p_random: expected a sum of 1, got 1.1"),
        ({"judge": {"kind": "simulated", "draws": 1}}, "judge.draws: expected true or false, got 1"),
        (
            {"schedule": "deep"},
            "schedule: expected one of 'breadth', 'depth', got 'deep' (did you mean depth?)",
        ),
    ],
)
def test_refusals_name_the_key_what_was_expected_and_what_is_near(
    given: dict[str, Any], sentence: str
) -> None:
    said = fault(**given)
    assert sentence in said
    assert "\n" not in said  # one fault, one sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"format": {"kind": kind}},
            f"format kind '{kind}' is not available in this version; available: elo, "
            "swiss, pivot, adaptive, round_robin, knockout",
        )
        for kind in ("evolution",)
    ],
)
def test_what_later_versions_have_is_refused_by_name(given: dict[str, Any], sentence: str) -> None:
    assert sentence in fault(**given)


@pytest.mark.parametrize(
    "limits", [{}, {"usd": 3}, {"tokens": 10**6}, {"per_group": {"usd": 1}}, {"concurrency": 2}]
)
def test_a_tournament_that_could_never_end_is_refused(limits: dict[str, Any]) -> None:
    said = fault(stop="none", limits=limits)
    assert "stop.rule: this tournament could never end" in said
    assert ("spends no" in said) == bool(limits.keys() - {"concurrency"})


@pytest.mark.parametrize(
    ("limits", "usage"),
    [
        ({"matches": 5}, {}),
        ({"wall_clock": "5m"}, {}),
        ({"per_group": {"matches": 5}}, {}),
        ({"usd": 3}, {"usd": 0.1}),
        ({"tokens": 3}, {"output_tokens": 1}),
    ],
)
def test_one_limit_that_can_be_reached_is_an_end(limits: dict[str, Any], usage: dict[str, Any]) -> None:
    judge = {"kind": "simulated", "usage": usage}
    assert validate({"judge": judge, "stop": "none", "limits": limits}).stop.rule == "none"


def test_latency_is_one_time_a_spread_or_either_by_mode() -> None:
    def latency(written: Any) -> Any:
        judge = validate({"judge": {"kind": "simulated", "latency": written}}).judge
        assert isinstance(judge, SimulatedJudge)
        return judge.latency

    assert latency("50ms") == dict.fromkeys(("pairwise", "debate", "score"), Spread(mean=0.05))
    assert latency({"mean": 2, "cv": 0.5})["debate"] == Spread(mean=2, cv=0.5)
    assert latency({"pairwise": 1, "debate": {"mean": 15}}) == {
        "pairwise": Spread(mean=1),
        "debate": Spread(mean=15),
    }


JUDGES: list[Any] = [
    SimulatedJudge(strengths={"a": 1.5}, latency=Spread(mean=1), soft=True),
    RecordedJudge(file="/votes.jsonl", symmetric=True),
    CommandJudge(command=("python3", "-c", ""), timeout="5m"),
]


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: str(judge.kind))
@pytest.mark.parametrize("preset", [None, "co_scientist"])
def test_a_stored_tournament_is_read_back_equal(judge: Any, preset: str | None) -> None:
    tournament = validate(
        {
            "name": "n",
            "criteria": ["A"],
            "format": {"kind": "elo", "preset": preset},
            "judge": judge,
            "limits": {"wall_clock": "1h", "per_group": {"matches": 4}},
            "seed": 2**63 - 1,
        }
    )
    stored = tournament.model_dump(mode="json")
    assert Tournament.model_validate(stored) == tournament
    assert Tournament.model_validate_json(tournament.model_dump_json()) == tournament


def test_changes_take_values_and_typed_texts() -> None:
    tournament = validate({"judge": "simulated"})
    changes = {
        "limits.matches": "400",
        "limits.wall_clock": "30m",
        "stop.top_k": 3,
        "seed": "7",
        "task": "12",
    }
    changed = with_changes(tournament, changes)
    assert (changed.limits.matches, changed.limits.wall_clock, changed.stop.top_k) == (400, 1800, 3)
    assert (changed.seed, changed.task) == (7, "12")
    assert with_changes(changed, {"limits.matches": "null"}).limits.matches is None
    assert with_changes(changed, {"limits.per_group": "{matches: 4}"}).limits.per_group.matches == 4
    assert with_changes(changed, {"criteria.Novelty": "is it new?"}).criteria == {"Novelty": "is it new?"}
    assert tournament.limits.matches is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"limits.matchs": 1}, "unknown key 'limits.matchs' (did you mean limits.matches?)"),
        ({"top_k": 1}, "unknown key 'top_k' (did you mean stop.top_k?)"),
        ({"limits.matches": "x"}, "limits.matches: expected a whole number of at least 1, got 'x'"),
        ({"limits.matches.x": 1}, "unknown key 'limits.matches.x'"),
        ({"": 1}, "unknown key ''"),
        ({"stop.rule": "none"}, "could never end"),
    ],
)
def test_refused_changes_say_why(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        with_changes(validate({"judge": "simulated"}), changes)
    assert sentence in str(refused.value)


def test_settings_cannot_be_changed_in_place() -> None:
    tournament = validate({"judge": "simulated"})
    with pytest.raises(ValueError, match="frozen"):
        tournament.limits.matches = 3  # type: ignore[misc]  # the very thing that must not work


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("simulated"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "mean", "matches", "usage", "latency", "command", "preset", "x"]), inner
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*Tournament.model_fields, "x"]), _ANY))
def test_any_settings_are_taken_or_refused_in_sentences(written: dict[str, Any]) -> None:
    try:
        tournament = validate(written)
    except UsageError as error:
        said = str(error)
        assert all(line.strip() for line in said.split("\n"))
    else:
        assert Tournament.model_validate(tournament.model_dump(mode="json")) == tournament


def pool(*texts: str, **fields: Any) -> Pool:
    """A pool of one group."""
    return Pool((Group("main", tuple(Candidate(f"c{n}", text, **fields) for n, text in enumerate(texts))),))


def test_identity_leaves_out_what_may_change_between_sittings() -> None:
    tournament = validate({"judge": "simulated", "seed": 1})
    before = identity(tournament, pool("a", "b"))
    assert tuple(sorted(before)) == tuple(sorted(PARTS))
    free = {
        "name": "other",
        "limits.matches": 5,
        "limits.concurrency": 1,
        "stop.eps": 3,
        "limits.lookahead": 4,
    }
    assert identity_changes(before, identity(with_changes(tournament, free), pool("a", "b"))) == []


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"task": "other"}, "task"),
        ({"criteria": ["A"]}, "criteria"),
        ({"seed": 2}, "seed"),
        ({"judge.noise": 2}, "judge"),
        ({"format.k_new": 31}, "format"),
        ({"schedule": "depth"}, "schedule"),
        ({"limits.ordering": "arrival"}, "ordering"),
        ({"limits.durations.debate": 3}, "ordering"),
    ],
)
def test_identity_names_the_part_that_differs(changes: dict[str, Any], part: str) -> None:
    tournament = validate({"judge": "simulated", "format": "elo", "seed": 1})
    before = identity(tournament, pool("a", "b"))
    assert identity_changes(before, identity(with_changes(tournament, changes), pool("a", "b"))) == [part]


def test_identity_sees_candidates_and_groups() -> None:
    tournament = validate({"judge": "simulated"})
    before = identity(tournament, pool("a", "b"))
    for other in (pool("a", "c"), pool("b", "a"), pool("a", "b", system="s"), pool("a", "b", meta={"n": 1})):
        assert identity_changes(before, identity(tournament, other)) == ["candidates"]
    prompted = Pool((Group("main", pool("a", "b").groups[0].candidates, prompt="p"),))
    assert identity_changes(before, identity(tournament, prompted)) == ["groups"]


def test_a_seed_left_out_matches_any() -> None:
    without = identity(validate({"judge": "simulated"}), pool("a"))
    seeded = identity(validate({"judge": "simulated", "seed": 5}), pool("a"))
    assert without["seed"] == ""
    assert identity_changes(without, seeded) == identity_changes(seeded, without) == []


def test_the_pool_is_read_without_pydantic_and_yaml() -> None:
    heavy = "{'pydantic', 'yaml', 'numpy'}"
    code = f"import sys, arena_tui.pool, arena_tui.identity; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_key_that_must_be_given_says_what_to_give() -> None:
    required = {
        name
        for models in settings._models().values()
        for model in models
        for name, field in model.model_fields.items()
        if field.is_required()
    }
    assert required == {*settings_faults.REQUIRED} - {"embeddings.model"} | {"judge"}


def test_mistyped_flag_gets_the_nearest_word_named() -> None:
    assert "expected true or false, got 'flase'; did you mean false?" in fault(
        judge={"kind": "simulated", "draws": "flase"}
    )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"judge": {"kind": "panel", "judges": ["mock:a"]}}, '(write {kind: llm, model: "mock:a"})'),
        ({"judge": {"kind": "panel", "judges": [{"kind": "panel"}]}}, "a panel cannot hold a panel"),
        ({"judge": {"kind": "panel", "judges": []}}, "judge.judges: expected a list of judges"),
        ({"judge": "mock:panel"}, '(write judge: {kind: llm, model: "mock:panel"})'),
        (
            {"judge": {"kind": "llm", "model": "mock:p", "temperature": 0}},
            "(write judge.model.params: {temperature: 0})",
        ),
        (
            {"judge": {"kind": "llm", "model": {"model": "mock:p", "top_p": 1}}},
            "(write judge.model.params: {top_p: 1})",
        ),
        (
            {"judge": {"kind": "llm", "model": "mock:p", "provider": "openai"}},
            "(write judge.model: openai:NAME)",
        ),
        (
            {"judge": {"kind": "panel", "judges": [{"kind": "simulated"}, {"kind": "llm", "modle": "m:a"}]}},
            "unknown key judge.judges[1].modle (did you mean judge.judges[1].model?)",
        ),
        ({"judge": {"kind": "llm", "model": {"name": "m"}}}, "(did you mean judge.model.model?)"),
        ({"budget": 3}, "unknown key budget (did you mean limits.usd?)"),
        ({"limits": {"usd": "5$"}}, "got '5$' (such as 5)"),
    ],
)
def test_what_is_meant_is_named(given: dict[str, Any], sentence: str) -> None:
    said = fault(**given)
    assert sentence in said
    assert "Tuple" not in said


def test_an_overview_may_be_its_model_alone() -> None:
    short = validate({"judge": "simulated", "overview": "mock:x"})
    assert short == validate({"judge": "simulated", "overview": {"model": {"model": "mock:x"}}})


@pytest.mark.parametrize(
    ("written", "kind", "rule", "orders"),
    [
        (None, "adaptive", "confident", "alternate"),
        ("elo", "elo", "stability", "alternate"),
        ("swiss", "swiss", "none", "both"),
        ("pivot", "pivot", "none", "alternate"),
        ("round_robin", "round_robin", "none", "alternate"),
        ("knockout", "knockout", "none", "alternate"),
        ({"k_new": 20}, "elo", "stability", "alternate"),
        ({"goal": "best"}, "adaptive", "confident", "alternate"),
        ({"bye_points": 1}, "swiss", "none", "both"),
        ({"pause_after": "round", "pivots": 3}, "pivot", "none", "alternate"),
    ],
)
def test_a_format_brings_its_own_defaults(written: Any, kind: str, rule: str, orders: str) -> None:
    tournament = validate({"judge": "simulated", **({"format": written} if written else {})})
    found = (tournament.format.kind, tournament.stop.rule, tournament.judge.orders)
    assert found == (kind, rule, orders)
    own = validate(
        {"judge": {"kind": "simulated", "orders": "given"}, "format": kind, "stop": {"rule": "confident"}}
    )
    assert (own.stop.rule, own.judge.orders) == ("confident", "given"), "what is set explicitly stands"


@pytest.mark.parametrize("kind", ["elo", "swiss", "pivot", "adaptive", "round_robin", "knockout"])
def test_every_format_is_stored_and_read_back_equal(kind: str) -> None:
    tournament = validate({"judge": "simulated", "format": {"kind": kind}})
    assert Tournament.model_validate(tournament.model_dump(mode="json")) == tournament
    elsewhere = settings.in_format(tournament, "swiss")
    assert elsewhere == validate({"judge": "simulated", "format": "swiss"})
    assert settings.in_format(elsewhere, kind) == tournament


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"kind": "swis"},
            "format.kind: expected one of 'elo', 'swiss', 'pivot', 'adaptive', 'round_robin',",
        ),
        ({"kind": "swiss", "pivots": 3}, "unknown key format.pivots"),
        ({"kind": "knockout", "best_of": 2}, "format.best_of: expected an odd number, got 2"),
        ({"kind": "swiss", "bye_points": 2}, "format.bye_points: expected a"),
        (
            {"kind": "swiss", "excused": {"a": [0]}},
            "format.excused.a[0]: expected a whole number of at least 1",
        ),
        ({"kind": "adaptive", "goal": "bets"}, "did you mean best?"),
        (["elo"], "format: expected a format such as {kind: adaptive}"),
    ],
)
def test_faults_of_formats_name_the_key(given: Any, sentence: str) -> None:
    said = fault(format=given)
    assert sentence in said
    assert "\n" not in said
