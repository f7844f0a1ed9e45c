"""Complete tables of recorded verdicts as tournament files that `arena bench` replays.

    python tests/engine/recorded_tables.py DATA TARGET

DATA is a folder of the shared data, argument_tournament or gpt4_double_roundrobin; TARGET gets pool.jsonl,
votes.jsonl and tournament.yaml. What is compared is the votes alone: an answer whose text is not in the data
gets a line that says whose it is.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def arguments(data: Path) -> tuple[list[Row], list[Row], Row]:
    """(pool, votes, judge): every single vote of a person, each pair shown in one order only."""
    pool = [
        {"group": row["topic"], "id": row["id"], "text": row["text"]}
        for row in lines(data / "candidates.jsonl")
    ]
    votes = [
        {"group": row["topic"], "a": row["a"], "b": row["b"], "winner": vote["vote"]}
        for row in lines(data / "verdicts.jsonl")
        for vote in row["votes"]
    ]
    return pool, votes, {"symmetric": True}


def double_round_robin(data: Path) -> tuple[list[Row], list[Row], Row]:
    """(pool, votes, judge): eight systems on eighty questions, both orders of every pair."""
    known = {
        (str(row["question_id"]), row["system"]): row["text"] for row in lines(data / "candidates.jsonl")
    }
    with (data / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    who = dict.fromkeys((row["question_id"], row["slot_a"]) for row in rows)
    pool = [
        {
            "group": question,
            "id": system,
            "system": system,
            "text": known.get((question, system)) or f"answer of {system} to question {question}",
        }
        for question, system in who
    ]
    votes = [
        {"group": row["question_id"], "a": row["slot_a"], "b": row["slot_b"], "winner": row["verdict"]}
        for row in rows
    ]
    return pool, votes, {}


TABLES = {"argument_tournament": arguments, "gpt4_double_roundrobin": double_round_robin}


def write(data: Path, target: Path) -> Path:
    """Write the tournament file of a folder of the data with its pool and votes; its path."""
    pool, votes, judge = TABLES[data.name](data)
    target.mkdir(parents=True, exist_ok=True)
    put(target / "pool.jsonl", pool)
    put(target / "votes.jsonl", votes)
    content = {"candidates": "pool.jsonl", "judge": {"kind": "recorded", "file": "votes.jsonl", **judge}}
    path = target / "tournament.yaml"
    path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return path


def put(path: Path, rows: Iterable[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), Path(sys.argv[2])))
