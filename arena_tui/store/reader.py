"""Reading a run: what it is, its journal, what is pending, and the rows that views and exports show.

Works beside a live writer. Long tables are read in short pieces, for a reader that held one view of
the database open would make the writer's WAL grow without bound.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from arena_tui.candidate import Candidate, Group
from arena_tui.store import (
    applied_rows,
    booked,
    export_rows,
    fitted_rows,
    journal_rows,
    judge_rows,
    live_rows,
    match_rows,
    pending_rows,
)
from arena_tui.store.export_rows import PIECE, group_ids, pieces
from arena_tui.store.payloads import decode_vector
from arena_tui.store.records import (
    Acted,
    Applied,
    Counts,
    Event,
    GroupEnd,
    JournalEntry,
    Pending,
    Planned,
    Snapshot,
    Spent,
    StoredReply,
    StoredVerdict,
)
from arena_tui.store.schema import Reading, open_reading, readable
from arena_tui.vocabulary import ARENA, ARENA_META, Winner

__all__ = [
    "Acted",
    "Applied",
    "Counts",
    "Event",
    "GroupEnd",
    "JournalEntry",
    "Pending",
    "Planned",
    "Reader",
    "Snapshot",
    "Spent",
    "StoredReply",
    "StoredVerdict",
]

P = ParamSpec("P")
T = TypeVar("T")


class Reader:
    """A reading view of one run; a context manager, used in one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._conn = open_reading(path)

    def close(self) -> None:
        """Let go of the file."""
        self._conn.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Everything read inside is of one moment, whatever the writer does; keep it short."""
        self._conn.rows("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # a damaged file: what went wrong inside is what is told
                self._conn.execute("ROLLBACK")
            raise
        self._conn.rows("COMMIT")

    def data_version(self) -> int:
        """A number that changes when another connection has committed."""
        return int(self._conn.rows("PRAGMA data_version")[0][0])

    # What the run is.

    def meta(self) -> dict[str, str]:
        """What is known about the run, by key."""
        return dict(self._conn.rows("SELECT key, value FROM meta ORDER BY key"))

    def groups(self) -> tuple[Group, ...]:
        """The groups as the run started: without candidates added later, in their first states."""
        with readable(self.path, "a group"):
            return tuple(
                Group(
                    id=id_,
                    candidates=tuple(self._candidates(id_, from_the_start=True)),
                    prompt=prompt,
                    category=category,
                    criteria=json.loads(criteria),
                    meta=json.loads(meta),
                    skipped=detail or None if state == "skipped" else None,  # texts that systems play over
                )
                for id_, prompt, category, criteria, meta, state, detail in self._conn.rows(
                    "SELECT id, prompt, category, criteria, meta, state, stop_detail FROM groups ORDER BY ord"
                )
                if not (id_ == ARENA and json.loads(meta) == ARENA_META)
            )

    def candidates(self) -> Iterator[Candidate]:
        """All candidates in their present states, also those added later; group order, pool order."""
        with readable(self.path, "a candidate"):
            for group in group_ids(self._conn):
                yield from self._candidates(group, from_the_start=False)

    def candidate(self, group: str, id_: str) -> Candidate | None:
        """One candidate in its present state; None when there is none of that name."""
        with readable(self.path, "a candidate"):
            return next(self._candidates(group, id_, from_the_start=False), None)

    def _candidates(self, group: str, *named: str, from_the_start: bool) -> Iterator[Candidate]:
        which = "AND added_pos IS NULL" if from_the_start else "AND id = ?" if named else ""
        for row in pieces(
            self._conn,
            "SELECT ord, id, text, title, group_id, system, class, parent_ids, generation, rating,"
            f" strength, embedding, review, meta, twin_of, {'initial_state' if from_the_start else 'state'}"
            f" FROM candidates WHERE group_id = ? {which} AND ord > ? ORDER BY ord LIMIT ?",
            group,
            *named,
            start=-1,
        ):
            (_, id_, text, title, group_id, system, class_, parents, generation, rating, *rest) = row
            strength, vector, review, meta, twin_of, state = rest
            yield Candidate(
                id=id_,
                text=text,
                title=title,
                group=group_id,
                system=system,
                class_=class_,
                parent_ids=tuple(json.loads(parents)),
                generation=generation,
                rating=rating,
                strength=strength,
                embedding=decode_vector(vector),
                review=review,
                meta=json.loads(meta),
                twin_of=twin_of,
                state=state,
            )

    def group_ends(self) -> dict[str, GroupEnd]:
        """Where each group stands, in group order."""
        rows = self._conn.rows("SELECT id, state, stop_reason, stop_detail FROM groups ORDER BY ord")
        return {id_: GroupEnd(state, reason, detail) for id_, state, reason, detail in rows}

    # The journal.

    def last_pos(self) -> int:
        """The last journal position, 0 before the first."""
        return int(
            self._conn.rows(
                "SELECT MAX((SELECT COALESCE(MAX(pos), 0) FROM steps),"
                " (SELECT COALESCE(MAX(pos), 0) FROM elo_journal),"
                " (SELECT COALESCE(MAX(pos), 0) FROM interventions))"
            )[0][0]
        )

    def journal(self) -> Iterator[JournalEntry]:
        """Plans, outcomes and interventions in `pos` order."""
        last = self.last_pos()
        for start in range(0, last, PIECE):
            span = (start, min(start + PIECE, last))
            with readable(self.path, f"the journal from position {start + 1} on"):
                entries = journal_rows.entries(self._conn, span)
            yield from entries

    def interventions(self) -> list[Acted]:
        """All journaled actions, in order."""
        with readable(self.path, "an action"):
            return list(journal_rows.actions(self._conn, (0, self.last_pos())))

    def pending(self) -> list[Pending]:
        """The planned steps without an outcome, in `pos` order, with their verdicts and replies."""
        with readable(self.path, "a planned match"):
            return pending_rows.read(self._conn)

    def live(self) -> live_rows.LiveRows:
        """What is under way; see `live_rows`."""
        return live_rows.read(self._conn)

    def leader(self) -> str:
        """Who leads; see `live_rows.leader`."""
        return live_rows.leader(self._conn)

    # What it has come to.

    def spent(self) -> Spent:
        """See `Spent`."""
        usd, unknown, calls, failed, fresh, cached, out = self._conn.rows(
            "SELECT COALESCE(SUM(cost), 0), COUNT(*) - COUNT(cost), COUNT(*),"
            " COALESCE(SUM(state = 'failed'), 0), COALESCE(SUM(input_tokens), 0),"
            " COALESCE(SUM(cached_input_tokens), 0), COALESCE(SUM(output_tokens), 0) FROM calls"
        )[0]
        lost_usd, lost_tokens = self._conn.rows(
            "SELECT COALESCE(SUM(usd), 0), COALESCE(SUM(tokens), 0) FROM reservations WHERE state = 'lost'"
        )[0]
        known = None if unknown else float(usd + lost_usd)
        judged = Spent(known, fresh + out + lost_tokens, calls, failed, fresh, cached, out)
        return booked.with_overviews(self._conn, judged)

    def spent_by_group(self) -> dict[str, tuple[int, float]]:
        """Tokens and USD by group, lost reservations and overviews included; an unknown price counts
        nothing."""
        rows = self._conn.rows(
            "SELECT s.group_id, SUM(x.tokens), SUM(x.usd) FROM"
            " (SELECT step, input_tokens + output_tokens AS tokens, COALESCE(cost, 0.0) AS usd FROM calls"
            " UNION ALL SELECT step, tokens, usd FROM reservations WHERE state = 'lost') x"
            " JOIN steps s ON s.id = x.step GROUP BY s.group_id"
        )
        judged = {group: (tokens, usd) for group, tokens, usd in rows}
        return booked.with_overviews_by_group(self._conn, judged)

    def applied_match(self, group: str, seq: int) -> tuple[str, str, Winner, bool, int] | None:
        """(a, b, outcome in force, withdrawn, applied_no) of an applied match; None before that."""
        for a, b, winner, withdrawn, applied_no in self._conn.rows(
            "SELECT m.hyp_a, m.hyp_b, m.winner, m.void_reason = 'withdrawn', m.applied_no"
            " FROM steps s JOIN tournament_matches m ON m.step = s.id"
            " WHERE s.group_id = ? AND s.group_seq = ? AND m.applied_no IS NOT NULL",
            (group, seq),
        ):
            return a, b, winner or "void", bool(withdrawn), applied_no
        return None

    def applied_rows(self, group: str) -> Iterator[applied_rows.AppliedRow]:
        """The applied matches of `group` with what was said of them, in applied order."""
        with readable(self.path, "an applied match"):
            yield from applied_rows.read(self._conn, group)

    def fitted(self) -> list[fitted_rows.Fitted]:
        """The fits with which groups ended; see `fitted_rows`."""
        return fitted_rows.read(self._conn)

    def counts(self) -> Counts:
        """See `Counts`."""
        applied, a, b, draw, withdrawn = self._conn.rows(
            "SELECT COUNT(*), COALESCE(SUM(winner = 'a'), 0), COALESCE(SUM(winner = 'b'), 0),"
            " COALESCE(SUM(winner = 'draw'), 0), COALESCE(SUM(void_reason = 'withdrawn'), 0)"
            " FROM tournament_matches WHERE applied_no IS NOT NULL"
        )[0]
        held = self._conn.rows(
            "SELECT COUNT(*) FROM steps s WHERE s.state = 'planned'"
            " AND json_array_length(s.payload, '$.orders')"
            " = (SELECT COUNT(*) FROM comparisons c WHERE c.step = s.id)"
        )[0][0]
        said = dict(
            self._conn.rows(
                "SELECT c.verdict, COUNT(*) FROM comparisons c JOIN steps s ON s.id = c.step"
                " WHERE s.state = 'applied' GROUP BY c.verdict"
            )
        )
        planned = self._conn.rows("SELECT COUNT(*) FROM steps")[0][0]
        return Counts(
            planned=planned,
            applied=applied,
            a=a,
            b=b,
            draw=draw,
            void=applied - a - b - draw,
            withdrawn=withdrawn,
            held=held,
            first=said.get("first", 0),
            second=said.get("second", 0),
            drawn=said.get("draw", 0),
            invalid=said.get("invalid", 0),
        )

    def applied(self) -> int:
        """How many outcomes are applied."""
        return int(self._conn.rows("SELECT COUNT(*) FROM elo_journal")[0][0])

    def ratings(self) -> dict[tuple[str, str], tuple[float, int]]:
        """(scope, entrant): (rating, matches played)."""
        rows = self._conn.rows(
            "SELECT scope, entrant, rating, matches_played FROM ratings ORDER BY scope, entrant"
        )
        return {(scope, entrant): (rating, played) for scope, entrant, rating, played in rows}

    def snapshots(self) -> list[Snapshot]:
        """All snapshots: group order, then the order in which they were taken."""
        rows = self._conn.rows(
            "SELECT s.group_id, s.applied_no, s.top, s.stable FROM snapshots s"
            " JOIN groups g ON g.id = s.group_id ORDER BY g.ord, s.applied_no"
        )
        with readable(self.path, "a snapshot"):
            return [
                Snapshot(group, no, tuple((id_, rating) for id_, rating in json.loads(top)), bool(stable))
                for group, no, top, stable in rows
            ]

    def events(self) -> Iterator[Event]:
        """All events, in the order in which they happened."""
        for _, *fields in pieces(
            self._conn, "SELECT id, pos, kind, payload, at FROM events WHERE id > ? ORDER BY id LIMIT ?"
        ):
            yield Event(*fields)

    def matches(self, times: bool = False) -> Iterator[dict[str, Any]]:
        """The applied matches as `export --what matches` shows them; see `export_rows.matches`."""
        return export_rows.matches(self._conn, times)

    def comparisons(self) -> Iterator[dict[str, Any]]:
        """The comparisons of applied matches; see `export_rows.comparisons`."""
        return export_rows.comparisons(self._conn)

    def match(self, group: str, seq: int) -> match_rows.MatchRecord | None:
        """Everything stored of a planned or applied match; None when there is none."""
        return match_rows.read(self._conn, group, seq)

    def exported_match(self, group: str, seq: int) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
        """An applied match as exports show it, and its comparisons; None before it is applied."""
        played = self.applied_match(group, seq)
        return None if played is None else export_rows.match(self._conn, group, played[-1])

    def invalid_reasons(self, most: int) -> list[tuple[str, int]]:
        """Why comparisons of applied matches could not be used, and how many: the `most` frequent reasons."""
        return self._conn.rows(
            "SELECT c.reason, COUNT(*) FROM comparisons c JOIN steps s ON s.id = c.step"
            " WHERE s.state = 'applied' AND c.verdict = 'invalid'"
            " GROUP BY c.reason ORDER BY COUNT(*) DESC, c.reason LIMIT ?",
            (most,),
        )

    def comparison_flags(self) -> list[tuple[str, tuple[str, ...]]]:
        """Which flags comparisons have: (group, the flags of one), each combination once, oldest first."""
        with readable(self._conn.path, "the flags of a verdict"):
            rows = self._conn.rows(
                "SELECT s.group_id, c.flags FROM comparisons c JOIN steps s ON s.id = c.step"
                " WHERE c.flags <> '[]' GROUP BY s.group_id, c.flags ORDER BY min(c.id)"
            )
            return [(group, tuple(json.loads(flags))) for group, flags in rows]

    def facts(self, read: Callable[Concatenate[Reading, P], T], *args: P.args, **options: P.kwargs) -> T:
        """What one of the functions of `board_rows` reads."""
        return read(self._conn, *args, **options)

    def about_judge(self) -> judge_rows.JudgeRows:
        """What is stored about the judge, counted; see `judge_rows`."""
        return judge_rows.read(self._conn)
