"""What happened, as frozen facts in the past tense; `--events` prints them as JSON Lines, `pos` first.

An event is emitted only after the fact behind it is committed, so whatever was read from it survives
any crash. `pos` is the journal position of the fact, or the last one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from arena_tui.vocabulary import Mode, Orientation, Said, StopReason, Winner

GatePhase = Literal["paused", "resumed", "quiesced", "draining", "cancelling"]


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events; `kind` is what a reader switches on."""

    kind: ClassVar[str] = ""
    pos: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, `pos` and `kind` first."""
        names = [each.name for each in fields(self) if each.name != "pos"]
        return {"pos": self.pos, "kind": self.kind, **{name: getattr(self, name) for name in names}}


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """The run began, or went on after an interruption (`resumed`). `notes` are what its judge has to say."""

    kind = "run"
    run: str
    name: str
    seed: int
    resumed: bool
    applied: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonJudged(Event):
    """One comparison has its verdict."""

    kind = "comparison"
    group: str
    seq: int
    orientation: Orientation
    verdict: Said
    p_first: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class MatchFinished(Event):
    """One outcome was applied, in applied order."""

    kind = "match"
    group: str
    seq: int
    applied_no: int
    hyp_a: str
    hyp_b: str
    mode: Mode
    winner: Winner
    reason: str


@dataclass(frozen=True, slots=True)
class RatingsChanged(Event):
    """What the outcome did to the two ratings."""

    kind = "rating"
    group: str
    seq: int
    hyp_a: str
    a_before: float
    a_after: float
    hyp_b: str
    b_before: float
    b_after: float


@dataclass(frozen=True, slots=True)
class SnapshotTaken(Event):
    """The top of a group at a multiple of `match_snapshot_every` valid matches, best first."""

    kind = "snapshot"
    group: str
    valid_matches: int
    top: tuple[tuple[str, float], ...]
    stable: bool


@dataclass(frozen=True, slots=True)
class Intervened(Event):
    """An intervention took effect after `after_applied` outcomes of its group (or of the run).

    `other` is the second of two that are to meet, `seq` the overruled match and `winner` its outcome now,
    `values` the settings that changed.
    """

    kind = "intervention"
    action: str
    group: str | None
    candidate: str | None
    after_applied: int
    origin: str
    other: str | None = None
    seq: int | None = None
    winner: Winner | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GateMoved(Event):
    """The run was paused, went on, became quiet, or is being stopped."""

    kind = "pause"
    phase: GatePhase
    in_flight: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StorageTroubled(Event):
    """Results cannot be saved at the moment (`detail`), or can again (`detail` is empty)."""

    kind = "storage"
    detail: str
    unsaved: int


@dataclass(frozen=True, slots=True)
class GroupClosed(Event):
    """A group ended by its own rule or limit."""

    kind = "group"
    group: str
    stop_reason: StopReason
    stop_detail: str


@dataclass(frozen=True, slots=True)
class RunStopped(Event):
    """The run ended for now."""

    kind = "stop"
    stop_reason: StopReason | None
    stop_detail: str
    exit_code: int
    applied: int
    held: int
