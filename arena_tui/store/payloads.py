"""Steps, interventions and candidates as the JSON and the rows they are stored as, and back again.

What is read back equals what was written, so a journal replays exactly.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

from arena_tui.candidate import Candidate
from arena_tui.facts import Intervention, Match, Step

encode = json.JSONEncoder(separators=(",", ":"), default=str).encode

_ACTION = ("group", "candidate", "other", "seq", "winner")


def encode_step(step: Step) -> str:
    """The payload of a planned step."""
    fields = {
        "group": step.group,
        "seq": step.seq,
        "a": step.a,
        "b": step.b,
        "mode": step.mode,
        "orders": step.orders,
        "round": step.round,
        "similarity": step.similarity,
        "why": step.why,
    }
    return encode(fields if step.at is None else {**fields, "at": step.at})


def decode_step(payload: str) -> Step:
    """The step of a stored payload."""
    fields = json.loads(payload)
    fields["orders"] = tuple(fields["orders"])
    return Match(**fields)


def encode_intervention(action: Intervention) -> str:
    """The payload of a journaled action; empty fields are left out."""
    fields: dict[str, Any] = {name: value for name in _ACTION if (value := getattr(action, name)) is not None}
    fields["kind"] = action.kind
    if action.values:
        fields["values"] = dict(action.values)
    if action.added is not None:
        fields["added"] = candidate_fields(action.added)
    return encode(fields)


def decode_intervention(payload: str) -> Intervention:
    """The action of a stored payload."""
    fields = json.loads(payload)
    if "added" in fields:
        fields["added"] = candidate_of(fields["added"])
    return Intervention(**fields)


def encode_vector(vector: tuple[float, ...] | None) -> bytes | None:
    """An embedding as little-endian doubles."""
    return None if vector is None else struct.pack(f"<{len(vector)}d", *vector)


def decode_vector(packed: bytes | None) -> tuple[float, ...] | None:
    """The embedding of `encode_vector`, bit for bit."""
    return None if packed is None else struct.unpack(f"<{len(packed) // 8}d", packed)


def candidate_fields(candidate: Candidate) -> dict[str, Any]:
    """A candidate as JSON-able fields."""
    return {name: getattr(candidate, name) for name in Candidate.__dataclass_fields__}


def candidate_of(fields: Mapping[str, Any]) -> Candidate:
    """The candidate of `candidate_fields`; KeyError or TypeError when the fields are not one's."""
    vector = fields["embedding"]
    return Candidate(
        **{
            **fields,
            "parent_ids": tuple(fields["parent_ids"]),
            "embedding": None if vector is None else tuple(vector),
        }
    )
