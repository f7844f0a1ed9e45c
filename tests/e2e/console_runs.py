"""Small tournaments for tests that drive the console in a terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pty_terminal import Terminal

DEBATES = """\
name: plans
task: Which plan is better?
candidates: pool.jsonl
format: elo
judge:
  kind: llm
  model: mock:panel
  mock: {{noise: 0.4}}
  latency: {{pairwise: {{mean: {pairwise}, cv: 0.3}}, debate: {{mean: {debate}, cv: 0.3}}}}
limits: {{concurrency: 4, matches: {matches}}}
stop: none
seed: 5
"""
NAMES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta")


def tournament(
    folder: Path,
    *,
    matches: int = 400,
    pairwise: float = 0.05,
    debate: float = 0.15,
    names: tuple[str, ...] = NAMES,
) -> Path:
    """A tournament of simulated debates without an end of its own before `matches`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "id": f"c{number}",
            "title": name,
            "text": f"Plan {number}: begin small, measure every week, and stop what does not help. {name}",
            "strength": 1.0 - number * 0.4,
            **({"parent_ids": ["c0"], "generation": 1} if number == 2 else {}),
        }
        for number, name in enumerate(names)
    ]
    (folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    file = folder / "plans.yaml"
    file.write_text(DEBATES.format(matches=matches, pairwise=pairwise, debate=debate), encoding="utf-8")
    return file


def arena(home: Path, *argv: object, columns: int = 120, rows: int = 40, **more: str) -> Terminal:
    """`arena ARGV` in a terminal of its own; `more` are further variables of the environment."""
    env = {**os.environ, "ARENA_HOME": str(home), **more}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        if name not in more:
            env.pop(name, None)
    command = [sys.executable, "-m", "arena_tui", *map(str, argv)]
    return Terminal(command, env=env, cwd=home.parent, columns=columns, rows=rows)
