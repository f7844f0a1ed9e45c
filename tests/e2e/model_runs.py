"""Whole runs against the fake model server: the settings that reach it, and the books of both sides.

`Watch` reads the run's database while it is driven, as any reader may; the server remembers every request, so
what was asked twice, wasted or billed is counted there and not in what the run says of itself.
"""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from arena_cli import eventually
from model_calls import Call
from model_faults import MIXED, Fault, FaultScript

from arena_tui.store.schema import open_reading

KEY = "sk-fake-9f27c1d4e80b"
KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
"""The variable that each of the two SDKs' keys stands in."""
PRICE = {"input": 3.0, "output": 15.0, "cached_input": 0.3, "cache_write": 3.75}
MIXED_TENTH = FaultScript(share=0.1, seed=603, mix=MIXED)
"""One request in ten goes wrong; all seven kinds of `MIXED` are met within the first 50 requests."""
ROUND = 1e-9  # USD; budgets count in whole nano-dollars

TEXTS = {
    "amber": "Paint the flat roofs of forty blocks white and measure the nights inside.",
    "birch": "Call everyone over seventy-five who lives alone, each morning of a warning.",
    "cedar": "Open six libraries until midnight and bring people there by taxi.",
    "dune": "Send a fan to every household that asks for one, with a leaflet.",
    "ember": "Plant six thousand trees along the streets that the sun reaches first.",
    "fern": "Train the nurses who visit at home to know the first signs of a stroke.",
}


def long_texts(number: int) -> dict[str, str]:
    """So many different texts of about 600 characters, the length of a hypothesis."""
    sentences = list(TEXTS.values())
    return {
        f"c{n}": f"Plan {n}. " + " ".join(sentences[(n + at) % len(sentences)] for at in range(8))
        for n in range(number)
    }


def candidates(texts: Mapping[str, str] = TEXTS) -> list[dict[str, Any]]:
    return [{"id": id_, "text": text} for id_, text in texts.items()]


def model_at(url: str, wire: str, /, **more: Any) -> dict[str, Any]:
    """A model at the fake server, which speaks both formats: short clocks, short replies, a known price."""
    return {
        "model": f"{wire}:fake",
        "base_url": url if wire == "anthropic" else f"{url}/v1",
        "price": PRICE,
        "max_tokens": 300,
        "idle_timeout": 2,
        "total_timeout": 2,
    } | more


def judge_at(url: str, wire: str, /, *, model: Mapping[str, Any] = {}, **more: Any) -> dict[str, Any]:
    return {"kind": "llm", "cache": "off", "model": model_at(url, wire, **model)} | more


def keyed(wire: str, key: str = KEY) -> dict[str, str]:
    """The environment that a user of this API has."""
    return {KEYS[wire]: key}


# --- the server's side ------------------------------------------------------------------------------


def is_probe(call: Call) -> bool:
    return "Say hello." in str(call.body["messages"])


def judged(calls: Iterable[Call]) -> list[Call]:
    """The calls that matches needed: all but the probes."""
    return [call for call in calls if not is_probe(call)]


def kinds_of(faults: Iterable[Fault]) -> set[str]:
    return {fault.name for fault in faults}


def bill(calls: Iterable[Call]) -> float:
    """What a provider would charge for all it has sent, in USD."""
    per_token = {name: usd / 1e6 for name, usd in PRICE.items()}
    return sum(
        (call.input - call.cached - call.written) * per_token["input"]
        + call.cached * per_token["cached_input"]
        + call.written * per_token["cache_write"]
        + call.sent * per_token["output"]
        for call in calls
    )


# --- the run's side ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One stored attempt: whose turn it is of which comparison, and how it ended."""

    seq: int
    orientation: str
    turn: int
    sample: int
    attempt: int
    state: str
    reply: str

    @property
    def question(self) -> tuple[int, str, int]:
        return self.seq, self.orientation, self.turn


def rows_of(db: Path) -> list[Row]:
    """Every attempt in the database, in the order in which they were stored."""
    with closing(open_reading(db)) as conn:
        return [
            Row(*row)
            for row in conn.rows(
                "SELECT s.group_seq, c.orientation, c.turn, c.sample, c.attempt, c.state, c.reply"
                " FROM calls c JOIN steps s ON s.id = c.step ORDER BY c.id"
            )
        ]


def unfinished(db: Path) -> int:
    """How many comparisons were begun and have no verdict: matches neither decided nor void."""
    with closing(open_reading(db)) as conn:
        ((left,),) = conn.rows(
            "SELECT count(*) FROM (SELECT DISTINCT step, orientation FROM calls) b LEFT JOIN comparisons c"
            " ON c.step = b.step AND c.orientation = b.orientation WHERE c.id IS NULL"
        )
        return int(left)


class Watch:
    """Sums up spent and reserved, over and over, while a run is driven. A context manager."""

    def __init__(self, db: Path) -> None:
        self._db = db
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch")
        self.looks = 0
        self.most_usd = 0.0
        self.most_tokens = 0

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._db.exists():
            if self._over.wait(0.01):
                return
        with closing(sqlite3.connect(f"{self._db.as_uri()}?mode=ro", uri=True, timeout=30)) as conn:
            for _ in itertools.count():
                usd, tokens = conn.execute(
                    "SELECT (SELECT total(cost) FROM calls) + (SELECT total(usd) FROM reservations"
                    " WHERE state <> 'settled'), (SELECT total(input_tokens + output_tokens) FROM calls)"
                    " + (SELECT total(tokens) FROM reservations WHERE state <> 'settled')"
                ).fetchone()
                self.looks += 1
                self.most_usd, self.most_tokens = max(self.most_usd, usd), max(self.most_tokens, int(tokens))
                if self._over.wait(0.01):
                    return


def until_called(calls: list[Call], more: int) -> None:
    """Wait until the server has heard `more` calls for matches than it has by now."""
    there = len(judged(calls))
    eventually(lambda: len(judged(calls)) >= there + more, f"{more} more calls")
