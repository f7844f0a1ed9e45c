"""The overview as it is stored: in the run's meta, with what each group's took and what went wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena_tui.judging.base import Reply, Usage
from arena_tui.overview_cases import Case
from arena_tui.report.overview_text import citations
from arena_tui.settings import Overview
from arena_tui.store import facts, schema
from arena_tui.store.booked import OVERVIEW

CUT_OFF = "the writing was cut off"


@dataclass(frozen=True, slots=True)
class Written:
    """One group's overview, or `note`: why there is none (or, with a text, why it is not whole)."""

    text: str
    note: str = ""


class Book:
    """What a call may take is booked before it is made, so that a crash leaves it spent, and replaced by what
    it took. `spent` sums all overviews that were ever written of the run.
    """

    def __init__(self, db: Path, chosen: Overview, applied: int, earlier: str | None) -> None:
        self.simulated = False
        self.notes: dict[str, str] = {}
        """Why a group has no overview, or none that is whole; "": why none has."""
        self._db = db
        self._chosen = chosen
        self._applied = applied
        before: Mapping[str, Any] = json.loads(earlier) if earlier else {}
        self._spent: dict[str, dict[str, Any]] = {
            group: dict(spent) for group, spent in before.get("spent", {}).items()
        }
        self._base = {group: dict(spent) for group, spent in self._spent.items()}
        self._groups: dict[str, dict[str, Any]] = {}
        self._lock = asyncio.Lock()

    async def begin(self, case: Case, worst: Usage) -> None:
        """A call is about to be made, and all of it may take `worst`."""
        self._add(case.group, worst, 1, 0)
        self.notes[case.group] = CUT_OFF
        await self.store()

    async def keep(self, case: Case, written: Written, usage: Usage, replies: Sequence[Reply] = ()) -> None:
        """What came of it."""
        sent = sum(not reply.from_cache for reply in replies)
        self._add(case.group, usage, sent, sum(bool(reply.failure) for reply in replies))
        self.notes.pop(case.group, None)
        if written.note:
            self.notes[case.group] = written.note
        if written.text:
            self._groups[case.group] = {
                "text": written.text,
                "candidates": {case.labels[row.id]: {"id": row.id, "title": row.title} for row in case.best},
                "citations": citations(written.text, case.given, case.played),
            }
        await self.store()

    def _add(self, group: str, usage: Usage, calls: int, failed: int) -> None:
        base = self._base.get(group)
        total = usage if base is None else usage + Usage(**base["usage"])
        self._spent[group] = {
            "calls": calls + (base["calls"] if base else 0),
            "failed": failed + (base["failed"] if base else 0),
            "usage": asdict(total),
        }

    async def store(self) -> None:
        """Write down all there is by now."""
        async with self._lock:
            value = json.dumps(
                {
                    "model": self._chosen.model.model,
                    "simulated": self.simulated,
                    "after_matches": self._applied,
                    "groups": self._groups,
                    "notes": self.notes,
                    "spent": self._spent,
                }
            )
            await asyncio.to_thread(_store, self._db, value)


def _store(db: Path, value: str) -> None:
    conn = schema.open_writing(db)
    try:
        conn.execute("BEGIN IMMEDIATE")
        facts.set_meta(conn, OVERVIEW, value)
        conn.execute("COMMIT")
    finally:
        conn.close()
