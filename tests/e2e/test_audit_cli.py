"""`arena audit` as a process: figures on stdout, nothing stored, faults in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arena_cli import STRENGTHS, Arena, photograph

LLMBAR = Path(__file__).parents[3] / "shared" / "data" / "llmbar"
needs_shared = pytest.mark.skipif(not LLMBAR.is_dir(), reason="the shared data is not beside this checkout")

LONGER = """import json, sys
asked = json.load(sys.stdin)
first, second = (len(asked[side]["text"]) for side in ("first", "second"))
print(json.dumps({"winner": "first" if first > second else "second", "reason": asked["task"]}))
"""


def gold(arena: Arena, *rows: dict[str, Any] | str, name: str = "gold.jsonl") -> Path:
    path = arena.folder / name
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def pairs(number: int, **more: Any) -> list[dict[str, Any]]:
    """The longer text is better in all but every fifth pair, and second in every other one."""
    rows = []
    for n in range(number):
        texts = ["a long text, longer by far", "a short one"]
        side = n % 2
        better = side if n % 5 else 1 - side
        rows.append(
            {"id": f"p{n}", "first": texts[side], "second": texts[1 - side], "gold": better + 1, **more}
        )
    return rows


def by_length(arena: Arena, **more: Any) -> Path:
    (arena.folder / "longer.py").write_text(LONGER)
    return arena.tournament(judge={"kind": "command", "command": ["python3", "longer.py"]}, **more)


def test_program_is_audited_in_both_orders(arena: Arena) -> None:
    file, labels = by_length(arena), gold(arena, *pairs(20))
    before = photograph(arena.folder)
    done = arena.run("audit", file, "--pairs", labels, "--json")
    report = done.result
    assert done.code == 0
    assert (report["pairs"], report["of"], report["stopped"]) == (20, 20, None)
    assert {report[key]["hits"] for key in ("right_ab", "right_ba", "right_both")} == {16}
    assert report["accuracy"]["rate"] == 0.8
    assert (report["consistency"]["rate"], report["first_slot"]["rate"]) == (1.0, 0.5)
    assert report["kappa"] == pytest.approx(0.6)
    assert [row["id"] for row in report["worst"]] == ["p0", "p5", "p10", "p15"]
    assert report["worst"][0]["reason_ab"] == "Which text is better?"
    assert report["calls"] == {"sent": 40, "failed": 0, "from_cache": 0}
    assert "40 of 40 comparisons" in done.err
    assert photograph(arena.folder) == before, "no database, no folder, nothing"


def test_a_pair_may_bring_its_own_task(arena: Arena) -> None:
    labels = gold(arena, *pairs(1, task="Which is shorter?"))
    done = arena.run("audit", by_length(arena), "--pairs", labels, "--json")
    assert done.result["worst"][0]["reason_ab"] == "Which is shorter?"


def test_text_says_accuracy_bias_and_mistakes(arena: Arena) -> None:
    done = arena.run("audit", by_length(arena), "--pairs", gold(arena, *pairs(20)), "--limit", "10")
    lines = done.out.splitlines()
    assert lines[0] == "command: python3, 10 pairs in both orders"
    assert lines[1].startswith("right         80 % of 20 verdicts")
    assert "  p0: second is better, the judge said first" in lines
    assert "    first   a long text, longer by far" in lines
    assert any(line.startswith("  consistent  the same verdict on 100 % of 10 pairs") for line in lines)


def test_judge_that_names_the_first_is_told_apart(arena: Arena) -> None:
    judge = {"kind": "simulated", "first_slot_bias": 50.0}
    done = arena.run("audit", arena.tournament(judge=judge), "--pairs", gold(arena, *pairs(20)))
    assert done.code == 0
    said = done.out.splitlines()[-1]
    assert said.startswith("This judge should not be believed: it is right no more often than coin tosses")
    assert "the text shown first won 40 of 40 decided verdicts" in said


def test_limits_of_the_file_hold_and_it_can_be_gone_on_with(arena: Arena) -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}
    file = arena.tournament(judge={"kind": "simulated", "usage": usage}, limits={"tokens": 750, "matches": 9})
    done = arena.run("audit", file, "--pairs", gold(arena, *pairs(20)), "--json")
    assert done.code == 3
    assert done.result["usage"]["input_tokens"] + done.result["usage"]["output_tokens"] == 700
    assert (done.result["pairs"], done.result["of"]) == (3, 20)
    assert "17 of 20 pairs were left out" in done.err
    assert "700 of 750 are spent" in done.err
    more = arena.run(
        "audit", file, "--pairs", arena.folder / "gold.jsonl", "--json", "--set", "limits.tokens=90000"
    )
    assert (more.code, more.result["pairs"]) == (0, 20)


def test_recorded_replies_are_read_instead_of_asking(arena: Arena) -> None:
    file, labels = arena.tournament(), gold(arena, *pairs(4))
    said = {"ab_text": "Both are fine.\nbetter idea: 1", "ba_text": "better idea: 2"}
    votes = gold(arena, *({"id": f"p{n}", **said} for n in range(3)), name="votes.jsonl")
    done = arena.run("audit", file, "--pairs", labels, "--votes", votes, "--json")
    assert done.code == 0
    assert done.result["judge"] == "recorded replies: votes.jsonl"
    assert (done.result["pairs"], done.result["of"]) == (3, 4)
    assert "1 of 4 pairs were left out, for lack of replies" in done.err
    assert done.result["calls"]["sent"] == 0
    other = arena.run(
        "audit", file, "--pairs", labels, "--votes", votes, "--json", "--contract", "last-line digit"
    )
    assert other.result["invalid"]["hits"] == 6


@needs_shared
def test_recorded_judge_from_published_files(arena: Arena) -> None:
    rows = [json.loads(line) for line in (LLMBAR / "pairs.jsonl").read_text("utf-8").splitlines()]
    known = [
        {"first": row["output_1"], "second": row["output_2"]}
        | {key: row[key] for key in ("id", "subset", "gold")}
        for row in rows
    ]
    labels = gold(arena, *known)
    done = arena.run(
        *("audit", arena.tournament(), "--pairs", labels, "--votes", LLMBAR / "verdicts.jsonl"),
        *("--contract", "Output (a)", "--json"),
        *("--where", "judge=ChatGPT", "--where", "method=cot", "--where", "subset=manual"),
    )
    report = done.result
    assert (report["pairs"], report["right_ab"]["hits"], report["right_ba"]["hits"]) == (46, 18, 15)
    assert (report["right_both"]["hits"], report["consistency"]["hits"]) == (5, 23)
    assert (report["first_slot"]["hits"], report["first_slot"]["n"]) == (66, 91)
    assert report["believable"] is False


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "give --pairs FILE"),
        (("--pairs", "nowhere.jsonl"), "nowhere.jsonl: no such file"),
        (("--pairs", "bad.jsonl"), 'bad.jsonl:2: "gold" must be'),
        (("--pairs", "good.jsonl", "--contract", "verdict"), "--contract says how recorded replies end"),
        (("--pairs", "good.jsonl", "--votes", "good.jsonl"), 'neither "ab_text" nor "ba_text"'),
        (("--pairs", "good.jsonl", "--votes", "bad.jsonl", "--contract", "verdct"), "did you mean 'verdict'"),
        (("--pairs", "good.jsonl", "--where", "subset"), "write KEY=VALUE"),
        (("--pairs", "good.jsonl", "--by-hand", "3"), "--by-hand goes with a run"),
        (("--by-hand", "0"), "--by-hand"),
        (("--pairs", "good.jsonl", "--set", "judge.kind=psychic"), "psychic"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_2(arena: Arena, args: tuple[str, ...], said: str) -> None:
    file = arena.tournament()
    gold(arena, *pairs(2), name="good.jsonl")
    gold(arena, *pairs(1), {**pairs(1)[0], "id": "q", "gold": "third"}, name="bad.jsonl")
    done = arena.run("audit", file, *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_person_judges_matches_of_a_run(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", arena.tournament()).result["run"]
    done = arena.run("audit", run, "--by-hand", "5", "--json", typed="1\n2\n1\ns\n2\n")
    assert done.code == 0
    assert (done.result["run"], done.result["judged"], done.result["skipped"]) == (run, 4, 1)
    assert done.result["agreement"]["n"] == 4
    assert done.err.count("Which text is better?") == 5
    assert not any(f"text {name}" in done.err for name in STRENGTHS)
    told = arena.run("audit", run, "--by-hand", "5", typed="1\nq\n")
    assert told.out.startswith("you and the judge agree on")
    assert arena.run("audit", "nowhere", "--by-hand", "5").code == 2


def test_person_judges_by_hand_what_the_judge_saw(arena: Arena) -> None:
    candidates = [{"id": id_, "text": f"A text: {id_}.", "review": f"Said of {id_}."} for id_ in ("x", "y")]
    file = arena.tournament(candidates=candidates, criteria={"Depth": "how deep it goes"})
    arena.run("--no-ui", file)
    done = arena.run("audit", arena.db(), "--by-hand", "2", typed="t\n=\n1\ns\n")
    for words in ("- Depth: how deep it goes", "--- review of text 1 ---", "Said of x."):
        assert words in done.err
    assert "1 or 2, t for a tie, s to skip, q to stop" in done.err


def test_run_in_place_of_its_tournament_file_is_named(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", arena.tournament()).result["run"]
    done = arena.run("audit", run, "--pairs", gold(arena, *pairs(1)))
    assert (done.code, done.err) == (2, f"arena: {run} is a run; --pairs needs its tournament file\n")


def test_biased_run_says_so_at_its_end_in_show_and_in_json(arena: Arena) -> None:
    judge = {"kind": "simulated", "mode": "pairwise", "first_slot_bias": 50.0, "orders": "both"}
    done = arena.run("--no-ui", "--quiet", arena.tournament(judge=judge))
    (said,) = [line for line in done.err.splitlines() if "should not be believed" in line]
    assert "the text shown first won 120 of 120 decided verdicts" in said
    assert "should not be believed" not in done.out
    shown = arena.run("show")
    assert said in shown.out.splitlines()
    words = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert "first slot 100 % of 120 decided verdicts (95 % interval 97 to 100 %)" in words
    report = arena.run("show", "--json").result["judge"]
    assert (report["believable"], report["warnings"]) == (False, [said])
    assert (report["first_slot_rate"], report["order_consistency"]) == (1.0, 0.0)
    assert report["slot_effect"] > 1.0, "the fit's, which its prior keeps finite"


MOCK = {"kind": "llm", "model": "mock:panel", "mode": "pairwise"}


def judged_by_mock(arena: Arena, **more: Any) -> Path:
    stop = {"rule": "stability", "top_k": 2, "n": 2, "eps": 500, "min_matches_before_stable": 10}
    return arena.tournament(judge=MOCK, stop=stop, limits={"matches": 200}, **more)


def test_model_is_audited_with_its_calls_and_tokens_counted(arena: Arena) -> None:
    file, labels = judged_by_mock(arena), gold(arena, *pairs(8, prompt="Describe the sea."))
    done = arena.run("audit", file, "--pairs", labels, "--json")
    report = done.result
    assert (done.code, report["judge"]) == (0, "SIMULATED mock:panel")
    assert report["calls"] == {"sent": 16, "failed": 0, "from_cache": 0}
    assert report["usage"]["input_tokens"] > 16 * 100
    assert report["usage"]["usd"] == 0
    told = arena.run("audit", file, "--pairs", labels).out.splitlines()
    assert any(line.startswith("  16 calls, ") and line.endswith(" out, 0 USD") for line in told)
    assert "right in both " in told[2]
    assert not any("should not be believed" in line for line in told), "a mock is no judge"
    assert not (arena.home / "runs").exists()


def test_rationales_are_graded(arena: Arena) -> None:
    run = arena.run("--no-ui", "--json", judged_by_mock(arena)).result
    before = arena.db().read_bytes()
    done = arena.run("rubric", run["run"], "--model", "mock:grader", "--limit", "6", "--json")
    report = done.result
    assert (done.code, report["graded"], report["simulated"]) == (0, 6, True)
    assert report["of"] == sum(run["matches"][key] for key in ("a", "b", "draw"))
    assert 0 < report["grade"] <= 1
    assert report["calls"] == {"sent": 6, "failed": 0, "from_cache": 0}
    assert {name: row["missing"] for name, row in report["criteria"].items()} == dict.fromkeys(
        ("verdict_clarity", "reasoning_quality", "order_independence"), 0
    )
    assert report["warnings"] == [], "a mock favours nobody"
    assert arena.db().read_bytes() == before
    told = arena.run("rubric", "--model", "mock:grader", "--limit", "6")
    lines = told.out.splitlines()
    assert lines[0] == f"graded by mock:grader (SIMULATED): 6 of {report['of']} rationales"
    assert lines[1] == f"grade {report['grade']:.2f} of 1 over 6 rationales"
    assert lines[-1] == "0 calls, 6 from the cache; 0 tokens in, 0 out, 0 USD"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("claude", "must be provider:model"),
        ("anthropic:claude-sonnet-5-5", "ANTHROPIC_API_KEY"),
        ("vllm:own", "needs a base_url"),
    ],
)
def test_grader_that_cannot_be_asked_is_one_sentence(arena: Arena, model: str, said: str) -> None:
    arena.run("--no-ui", judged_by_mock(arena))
    done = arena.run("rubric", "--model", model, ANTHROPIC_API_KEY="")
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_run_without_rationales_has_nothing_to_grade(arena: Arena) -> None:
    votes = gold(arena, {"a": "amber", "b": "birch", "winner": "a"}, name="log.jsonl")
    judge = {"kind": "recorded", "file": str(votes), "symmetric": True}
    arena.run("--no-ui", arena.tournament(judge=judge, limits={"matches": 3}))
    done = arena.run("rubric", "--model", "mock:grader")
    assert (done.code, done.out) == (2, "")
    assert "has no match with a rationale" in done.err


def test_overview_is_written_after_the_table_and_shown_again(arena: Arena) -> None:
    file = judged_by_mock(arena, overview={"model": "mock:writer", "top_k": 2})
    done = arena.run("--no-ui", "--quiet", file)
    assert done.code == 0
    table, _, rest = done.out.partition("\n\n")
    assert len(table.splitlines()) == 1 + len(STRENGTHS)
    notes, _, overview = rest.partition("\n\n")
    assert "P(best)" in notes
    assert overview.startswith("overview (SIMULATED)\n  text 1: ")
    assert "  text 2: " in overview
    shown = arena.run("show").out
    assert shown.startswith(done.out.rstrip("\n"))
    assert arena.run("show", "--json").result["overview"]["notes"] == {}
    arena.verify()


def test_overview_that_does_not_fit_is_a_sentence_on_stderr(arena: Arena) -> None:
    # What the judge takes fits; what the writer may take at most does not.
    overview = {"model": {"model": "mock:writer", "max_tokens": 10_000_000}}
    file = arena.tournament(
        stop={"rule": "stability", "top_k": 2, "n": 2, "eps": 500, "min_matches_before_stable": 10},
        limits={"matches": 200, "tokens": 1_000_000},
        overview=overview,
    )
    done = arena.run("--no-ui", "--quiet", file)
    assert done.code == 0
    assert "overview" not in done.out
    (said,) = [line for line in done.err.splitlines() if "overview" in line]
    assert said.startswith("the overview is missing or not whole: writing it may take ")
