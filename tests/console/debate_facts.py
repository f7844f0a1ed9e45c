"""Matches with turns for tests of the transcript and the match screen."""

from __future__ import annotations

from arena_tui.engine.state import InFlight
from arena_tui.store.match_rows import MatchRecord, SaidRecord, TurnRecord
from arena_tui.vocabulary import Mode, Orientation


def turn(
    number: int,
    text: str,
    *,
    slot: int | None = None,
    orientation: Orientation = "ab",
    **fields: object,
) -> TurnRecord:
    """A stored turn with defaults for all that a test does not look at."""
    given: dict[str, object] = {
        "member": 0,
        "sample": 0,
        "attempt": 1,
        "speaker": "judge" if slot is None else f"advocate of K{slot}",
        "failure": "",
        "stop_reason": "end_turn",
        "model": "mock-panel-1",
        "input_tokens": 1_200,
        "cached_input_tokens": 300,
        "output_tokens": 240,
        "usd": 0.0123,
        "from_cache": False,
        "seconds": 3.2,
        **fields,
    }
    return TurnRecord(orientation=orientation, turn=number, slot=slot, text=text, **given)  # type: ignore[arg-type]


def record(seq: int = 1, a: str = "alpha", b: str = "beta", **fields: object) -> MatchRecord:
    """A planned debate of two candidates in which nothing was said yet."""
    given: dict[str, object] = {
        "group": "main",
        "mode": "debate",
        "orders": ("ab",),
        "why": "newcomer",
        "round": None,
        "winner": None,
        "applied_no": None,
        "a_before": None,
        "a_after": None,
        "b_before": None,
        "b_after": None,
        "p_a": None,
        "void_reason": "",
        "overruled": False,
        "flags": (),
        "said": (),
        "turns": (),
        **fields,
    }
    return MatchRecord(seq=seq, a=a, b=b, **given)  # type: ignore[arg-type]


def decided(seq: int = 1, **fields: object) -> MatchRecord:
    """The same, won by a."""
    return record(
        seq,
        **{
            "winner": "a",
            "applied_no": 1,
            "a_before": 1200.0,
            "a_after": 1216.0,
            "b_before": 1200.0,
            "b_after": 1184.0,
            **fields,
        },
    )


def said(orientation: Orientation = "ab", verdict: str = "first", **fields: object) -> SaidRecord:
    """A verdict as the parser read it."""
    given = {"p_first": None, "reason": "", "flags": (), **fields}
    return SaidRecord(orientation=orientation, verdict=verdict, **given)  # type: ignore[arg-type]


def flight(
    seq: int = 1,
    *,
    since: float = 0.0,
    mode: Mode = "debate",
    group: str = "main",
    orientation: Orientation = "ab",
    a: str = "alpha",
    b: str = "beta",
    **fields: object,
) -> InFlight:
    """A comparison in flight."""
    return InFlight(group, seq, orientation, a, b, mode, since, **fields)  # type: ignore[arg-type]


class Growing:
    """A live text as the engine hands it out; counts how often it was read."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.read = 0

    def __str__(self) -> str:
        self.read += 1
        return self.text
