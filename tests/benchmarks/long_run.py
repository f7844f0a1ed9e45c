"""A long run in a process of its own: how much memory it holds after the first and the last match counted.

`python long_run.py engine|format FIRST LAST FOLDER` prints both as JSON, in bytes: the whole engine with
a listener on, or the Elo format alone, fed the same number of matches.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import deque
from pathlib import Path
from random import Random

import engine_runs

from arena_tui.candidate import Candidate, Group
from arena_tui.engine.events import Event, MatchFinished
from arena_tui.facts import Outcome
from arena_tui.formats.elo import EloTournament
from arena_tui.settings import EloFormat

ENTRANTS = 64


class Gauge:
    """Notes the resident memory when the first and when the last match counted is applied."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.seen: dict[int, int] = {}

    def applied(self, number: int) -> None:
        if number in (self.first, self.last):
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
            self.seen[number] = pages * os.sysconf("SC_PAGE_SIZE")

    def __call__(self, event: Event) -> None:
        if isinstance(event, MatchFinished):
            self.applied(event.applied_no)


def whole_engine(gauge: Gauge, folder: Path) -> None:
    # A few more than are counted: a limit on matches leaves some verdicts behind a gap.
    db = engine_runs.create(folder / "run.db", ENTRANTS, matches=gauge.last + 4 * engine_runs.IN_FLIGHT)
    engine_runs.run(db, listeners=[gauge])


def format_alone(gauge: Gauge, folder: Path) -> None:
    members = tuple(Candidate(entry["id"], entry["text"]) for entry in engine_runs.pool(ENTRANTS))
    format_ = EloTournament(Group("main", members), EloFormat(), seed=1)
    rng = Random(1)
    waiting = deque(format_.next_steps(2 * engine_runs.IN_FLIGHT))
    for number in range(1, gauge.last + 1):
        format_.record(Outcome(waiting.popleft(), rng.choice(("a", "b")), number))
        gauge.applied(number)
        waiting.extend(format_.next_steps(1))


def main() -> None:
    what, first, last, folder = sys.argv[1:]
    gauge = Gauge(int(first), int(last))
    (whole_engine if what == "engine" else format_alone)(gauge, Path(folder))
    print(json.dumps([gauge.seen[gauge.first], gauge.seen[gauge.last]]))


if __name__ == "__main__":
    main()
