"""`arena bench` as a process: JSON, the table, faults in one sentence, interruption; recorded real judges."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SHARED = (ROOT / "../shared/data").resolve()
COMMAND = [sys.executable, "-m", "arena_tui", "bench"]


def bench(options: str, *files: Path, code: int = 0) -> tuple[str, str]:
    command = [*COMMAND, *options.split(), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def figures(options: str, *files: Path) -> dict[str, Any]:
    return dict(json.loads(bench(f"{options} --json", *files)[0]))


def test_json_has_what_other_tools_rely_on() -> None:
    chosen = "--n 6 --calls 9 --calls 2N --seeds 3 --format elo --format swiss --json --jobs"
    out, err = bench(f"{chosen} 1")
    told = json.loads(out)
    assert (told["n"], told["seeds"], told["judge"]["kind"]) == (6, 3, "simulated")
    assert [(row["row"], row["budget"]) for row in told["rows"]] == [
        (label, calls)
        for calls in ("9", "2N")
        for label in ("elo", "elo + bt", "swiss, both orders", "swiss, alternate")
    ]
    elo, fitted, swiss = told["rows"][:3]
    assert (elo["format"], elo["goal"], elo["calls"], elo["coverage"]) == ("elo", None, 9.0, None)
    assert elo["se"].keys() == {"tau", "top1", "top3", "ndcg", "coverage"} < swiss.keys()
    assert 0 <= fitted["coverage"] <= 1
    assert "18 of 18 tournaments" in err
    assert bench(f"{chosen} 2")[0] == out, "the number of processes changes nothing"


def test_table_names_the_simulation_and_each_lookahead() -> None:
    chosen = "--n 4 --calls N --seeds 2 --format adaptive --goal best --soft --sticky 0.5"
    out, _ = bench(f"{chosen} --lookahead 1 --lookahead N/2")
    head, names, one, two, *_ = out.splitlines()
    assert "SIMULATED judge" in head
    assert "probabilities, pair offsets N(0, 0.5^2)" in head
    assert names.split() == ["format", "calls", "tau", "top-1", "top-3", "nDCG@10", "coverage"]
    assert one.startswith("adaptive, best, lookahead 1 ")
    assert two.startswith("adaptive, best, lookahead N/2")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("--calls many", "--calls: expected a number or a multiple of N"),
        ("--lookahead 0.5", "--lookahead: expected a number or a multiple of N"),
        ("--soft --draw-rate 0.1", "calls no ties"),
        ("--set seed=1", "--set changes a key of a tournament file"),
        ("config/demo.yaml", "a bench of a file replays recorded votes, and its judge is 'llm'"),
        ("config/demo.yaml --n 4", "make a simulated judge"),
        ("--format swis", "Did you mean swiss?"),
    ],
)
def test_faults_are_one_sentence(args: str, said: str) -> None:
    out, err = bench(args, code=2)
    assert said in " ".join(err.split())
    assert "Traceback" not in err
    assert not out


def test_interrupted_it_ends_at_once_and_takes_its_processes_along() -> None:
    process = subprocess.Popen(
        [*COMMAND, "--seeds", "4000", "--format", "elo", "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        start_new_session=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        if not children.exists():
            pytest.skip("this system does not list the children of a process")
        begun: list[str] = []
        while len(begun) < 2 and process.poll() is None:
            begun = [pid for pid in children.read_text().split() if is_worker(pid)]
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, b"Traceback" in out) == (130, False), out
    assert not any(is_worker(pid) for pid in begun)


def is_worker(pid: str) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


# -- recorded real judges ------------------------------------------------------------------------


def recorded(name: str, target: Path) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"the shared data {name} is not beside this repository")
    script = ROOT / "tests/engine/recorded_tables.py"
    done = subprocess.run(
        [sys.executable, str(script), str(SHARED / name), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def test_people_on_arguments(tmp_path: Path) -> None:
    file = recorded("argument_tournament", tmp_path)
    told = figures("--seeds 2 --format round_robin --format pivot", file)
    assert (min(told["n"]), max(told["n"]), told["groups"]) == (25, 34, 4)
    assert told["judge"] == {"kind": "recorded", "file": "votes.jsonl"}
    robin = {row["budget"]: row["tau"] for row in told["rows"] if row["row"] == "round_robin"}
    assert 0.4 < robin["2N"] < robin["NlogN"] < 0.9


def test_a_model_on_systems_question_by_question_and_over_all(tmp_path: Path) -> None:
    file = recorded("gpt4_double_roundrobin", tmp_path)
    each = figures("--seeds 1 --calls 56 --format round_robin", file)
    (row,) = each["rows"]
    assert (each["n"], each["groups"], row["calls"]) == (8, 80, 56.0)
    assert row["tau"] > 0.95, "every vote of a question was heard"
    over_all = figures("--set compare=systems --seeds 4 --calls 64N --format round_robin", file)
    (row,) = over_all["rows"]
    assert (over_all["groups"], row["calls"], row["top1"]) == (1, 512.0, 1.0)
    _, err = bench("--set compare=systems --format swiss", file, code=2)
    assert "--format swiss: with compare: systems it plays within the groups" in err
