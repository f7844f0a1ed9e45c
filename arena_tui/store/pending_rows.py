"""Planned steps without an outcome as they are stored, with the verdicts, replies and losses they have."""

from __future__ import annotations

import json
from dataclasses import replace

from arena_tui.store.payloads import decode_step
from arena_tui.store.records import Pending, StoredReply, StoredVerdict
from arena_tui.store.schema import Reading
from arena_tui.vocabulary import Orientation


def read(conn: Reading) -> list[Pending]:
    """The planned steps without an outcome, in `pos` order."""
    verdicts: dict[int, list[StoredVerdict]] = {}
    for step, orientation, said, p_first, reason, flags in conn.rows(
        "SELECT c.step, c.orientation, c.verdict, c.p_first, c.reason, c.flags FROM comparisons c"
        " JOIN steps s ON s.id = c.step WHERE s.state = 'planned' ORDER BY c.id"
    ):
        verdicts.setdefault(step, []).append(
            StoredVerdict(orientation, said, p_first, reason, tuple(json.loads(flags)))
        )
    replies: dict[int, list[StoredReply]] = {}
    for step, *fields in conn.rows(
        "SELECT c.step, c.orientation, c.sample, c.attempt, c.turn, c.request_hash, c.reply,"
        " c.stop_reason, c.failure, c.input_tokens, c.cached_input_tokens, c.output_tokens, c.cost,"
        " c.member, c.model, c.from_cache, c.seconds, c.logprobs, c.speaker, c.slot"
        " FROM calls c JOIN steps s ON s.id = c.step WHERE s.state = 'planned' ORDER BY c.id"
    ):
        reply = StoredReply(*fields)
        read = replace(reply, from_cache=bool(reply.from_cache), logprobs=_logprobs(fields[-3]))
        replies.setdefault(step, []).append(read)
    lost: dict[int, list[Orientation]] = {}
    for step, orientation in conn.rows(
        "SELECT r.step, r.orientation FROM reservations r JOIN steps s ON s.id = r.step"
        " WHERE s.state = 'planned' AND r.state = 'lost'"
    ):
        lost.setdefault(step, []).append(orientation)
    return [
        Pending(
            pos,
            id_,
            match_id,
            decode_step(payload),
            tuple(verdicts.get(id_, ())),
            tuple(replies.get(id_, ())),
            tuple(lost.get(id_, ())),
        )
        for pos, id_, match_id, payload in conn.rows(
            "SELECT s.pos, s.id, m.id, s.payload FROM steps s JOIN tournament_matches m ON m.step = s.id"
            " WHERE s.state = 'planned' ORDER BY s.pos"
        )
    ]


def _logprobs(stored: str | None) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Back from the JSON of a call's `logprobs`."""
    if stored is None:
        return ()
    return tuple((token, tuple((text, float(p)) for text, p in top)) for token, top in json.loads(stored))
