"""What competes: candidates, their groups, and the folding that makes two texts twins.

A leaf module of plain frozen dataclasses, used by every layer; it imports only the standard library.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arena_tui.vocabulary import CandidateState


def fold_text(text: str) -> str:
    """`text` after NFKC, case folding and white-space folding: equal results make twins."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def text_hash(text: str) -> str:
    """Hex sha256 of the folded text: the identity of a text for twins, similarity and strengths."""
    return hashlib.sha256(fold_text(text).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Candidate:
    """A text that competes. `id` is unique in its `group`; `twin_of` names the earlier equal text.

    `rating` is a start value on the format's scale, `strength` a logit for the simulated judge.
    """

    id: str
    text: str
    title: str = ""
    group: str = "main"
    system: str | None = None
    class_: str | None = None
    parent_ids: tuple[str, ...] = ()
    generation: int = 0
    rating: float | None = None
    strength: float | None = None
    embedding: tuple[float, ...] | None = None
    review: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    twin_of: str | None = None
    state: CandidateState = "in_tournament"

    @cached_property
    def text_hash(self) -> str:
        """See `text_hash`; computed once."""
        return text_hash(self.text)


@dataclass(frozen=True)
class Group:
    """The candidates that may meet, in pool order, with the group's own prompt (data, not orders)."""

    id: str
    candidates: tuple[Candidate, ...]
    prompt: str | None = None
    category: str | None = None
    criteria: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    skipped: str | None = None  # why the group cannot play, if it cannot

    @property
    def entrants(self) -> tuple[Candidate, ...]:
        """The candidates without twins, in pool order: what a format pairs and rates."""
        return tuple(c for c in self.candidates if c.twin_of is None)


@dataclass(frozen=True)
class Pool:
    """All groups in the order in which the pool names them."""

    groups: tuple[Group, ...]

    @property
    def playable(self) -> tuple[Group, ...]:
        """The groups that can hold a match."""
        return tuple(group for group in self.groups if group.skipped is None)
