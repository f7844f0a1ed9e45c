"""What is read from a run: frozen records of journal entries, pending steps, costs and counts.

Made by `reader`, taken by the engine on resume, by reports and by `verify`.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena_tui.facts import Intervention, Outcome, RatingChange, Step
from arena_tui.vocabulary import Orientation, Said


@dataclass(frozen=True, slots=True)
class Planned:
    """A journaled plan."""

    pos: int
    step_id: int
    match_id: str
    step: Step


@dataclass(frozen=True, slots=True)
class Applied:
    """A journaled outcome, as it was played; `change` is what the ratings made of it, as stored.

    After an overrule `change` is the refold's, while `outcome` stays the one that the format saw.
    """

    pos: int
    step_id: int
    match_id: str
    outcome: Outcome
    change: RatingChange | None


@dataclass(frozen=True, slots=True)
class Acted:
    """A journaled intervention; `after_applied` outcomes were applied when it took effect."""

    pos: int
    intervention: Intervention
    after_applied: int
    origin: str
    at: float


JournalEntry = Planned | Applied | Acted


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """What a comparison of a pending step said."""

    orientation: Orientation
    verdict: Said
    p_first: float | None
    reason: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A paid reply of a pending step."""

    orientation: Orientation
    sample: int
    attempt: int
    turn: int
    request_hash: str
    text: str
    stop_reason: str
    failure: str
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    usd: float | None
    member: int = 0
    model: str = ""
    from_cache: bool = False
    seconds: float = 0.0
    logprobs: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    speaker: str = ""
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A planned step without an outcome, with what is already known of it."""

    pos: int
    step_id: int
    match_id: str
    step: Step
    verdicts: tuple[StoredVerdict, ...]
    replies: tuple[StoredReply, ...]
    lost: tuple[Orientation, ...] = ()  # once for each time a call may have been under way at a crash

    @property
    def held(self) -> bool:
        """All its comparisons have spoken; it only waits for its place in the order."""
        return len(self.verdicts) == len(self.step.orders)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has cost, lost reservations included. `usd` is None when a price is unknown."""

    usd: float | None
    tokens: int
    calls: int
    failed: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many matches and comparisons of each kind; `void` includes `withdrawn`.

    `a` to `void` count the outcomes in force; the comparisons are those of applied matches.
    """

    planned: int
    applied: int
    a: int
    b: int
    draw: int
    void: int
    withdrawn: int
    held: int
    first: int
    second: int
    drawn: int
    invalid: int

    @property
    def comparisons(self) -> int:
        """All comparisons of applied matches."""
        return self.first + self.second + self.drawn + self.invalid


@dataclass(frozen=True, slots=True)
class GroupEnd:
    """Where a group stands: open, closed (with its reason) or skipped."""

    state: str
    stop_reason: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The top of a group, best first, after `applied_no` outcomes."""

    group: str
    applied_no: int
    top: tuple[tuple[str, float], ...]
    stable: bool


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened after journal position `pos`; `payload` is JSON, `at` epoch seconds."""

    pos: int
    kind: str
    payload: str
    at: float
