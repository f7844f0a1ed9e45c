"""Everything that is stored of one match: its row, its verdicts, every call; for transcripts and `show`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from arena_tui.store.payloads import decode_step
from arena_tui.store.schema import Reading, readable
from arena_tui.vocabulary import Mode, Orientation, Said, Winner


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One stored attempt at one call. `speaker` is as the judge names it ("judge", "advocate of 1"),
    `slot` the text it speaks for (1 or 2, None for the judge); `failure` says why it is no reply."""

    orientation: Orientation
    member: int
    turn: int
    sample: int
    attempt: int
    speaker: str
    slot: int | None
    text: str
    failure: str
    stop_reason: str
    model: str
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    usd: float | None
    from_cache: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class SaidRecord:
    """One comparison's verdict as the parser read it; `reason` is what was given for it."""

    orientation: Orientation
    verdict: Said
    p_first: float | None
    reason: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match. `winner` is None before it is applied; `turns` are in the order in which they were held."""

    group: str
    seq: int
    a: str
    b: str
    mode: Mode
    orders: tuple[Orientation, ...]
    why: str
    round: int | None
    winner: Winner | None
    applied_no: int | None
    a_before: float | None
    a_after: float | None
    b_before: float | None
    b_after: float | None
    p_a: float | None
    void_reason: str
    overruled: bool
    flags: tuple[str, ...]
    said: tuple[SaidRecord, ...]
    turns: tuple[TurnRecord, ...]
    at: str | None = None  # the group whose texts were shown, where systems meet

    @property
    def held(self) -> bool:
        """Judged to the end, but earlier matches of its group are missing, so that its outcome waits."""
        return self.applied_no is None and len(self.said) == len(self.orders)


def read(conn: Reading, group: str, seq: int) -> MatchRecord | None:
    """The planned or applied match number `seq` of a group; None when there is none."""
    with readable(conn.path, f"match {group}:{seq}"):
        for step_id, payload, winner, *numbers, reason, overruled_by, flags in conn.rows(
            "SELECT s.id, s.payload, m.winner, m.applied_no, m.elo_a_before, m.elo_a_after, m.elo_b_before,"
            " m.elo_b_after, m.p_a, m.void_reason, m.overruled_by, m.flags"
            " FROM steps s JOIN tournament_matches m ON m.step = s.id"
            " WHERE s.group_id = ? AND s.group_seq = ?",
            (group, seq),
        ):
            step = decode_step(payload)
            applied_no, a_before, a_after, b_before, b_after, p_a = numbers
            return MatchRecord(
                group=group,
                seq=seq,
                a=step.a,
                b=step.b,
                mode=step.mode,
                orders=step.orders,
                why=step.why,
                round=step.round,
                winner=None if applied_no is None else winner or "void",
                applied_no=applied_no,
                a_before=a_before,
                a_after=a_after,
                b_before=b_before,
                b_after=b_after,
                p_a=p_a,
                void_reason=reason or "",
                overruled=overruled_by is not None,
                flags=tuple(json.loads(flags)),
                said=_said(conn, step_id, step.orders),
                turns=_turns(conn, step_id, step.orders),
                at=step.at,
            )
    return None


def _said(conn: Reading, step_id: int, orders: tuple[Orientation, ...]) -> tuple[SaidRecord, ...]:
    rows: list[tuple[Any, ...]] = conn.rows(
        "SELECT orientation, verdict, p_first, reason, flags FROM comparisons WHERE step = ?", (step_id,)
    )
    said = [_said_record(*row) for row in rows]
    return tuple(sorted(said, key=lambda each: orders.index(each.orientation)))


def _said_record(
    orientation: Orientation, verdict: Said, p_first: float | None, reason: str, flags: str
) -> SaidRecord:
    return SaidRecord(orientation, verdict, p_first, reason, tuple(json.loads(flags)))


def _turns(conn: Reading, step_id: int, orders: tuple[Orientation, ...]) -> tuple[TurnRecord, ...]:
    """The calls of a match, comparison after comparison, judge after judge, as they came."""
    rows: list[tuple[Any, ...]] = conn.rows(
        "SELECT orientation, member, turn, sample, attempt, speaker, slot, reply, failure, stop_reason,"
        " model, input_tokens, cached_input_tokens, output_tokens, cost, from_cache, seconds FROM calls"
        " WHERE step = ? ORDER BY id",
        (step_id,),
    )
    turns = [replace(each, from_cache=bool(each.from_cache)) for each in (TurnRecord(*row) for row in rows)]
    return tuple(sorted(turns, key=lambda each: (orders.index(each.orientation), each.member)))
