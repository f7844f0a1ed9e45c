"""What the family forest of a run is made of: founders, nodes, rows and shares. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from arena_tui.console.ledger import Entrant

HUES = 8  # founders beyond the eighth share a hue, never the letters
Key = tuple[str, str]  # (group, candidate id)
LifeState = Literal["living", "newborn", "waiting", "twin", "dead", "missing"]
Show = Literal["all", "alive", "lineage"]
_DEAD = frozenset({"rejected", "retired", "quarantined"})


@dataclass(slots=True, eq=False)
class Founder:
    """Where a lineage begins. `letters` (a to z, aa, ...) count within the group, `hue` is 0 to 7."""

    letters: str
    hue: int
    node: Node


@dataclass(slots=True, eq=False)
class Node:
    """A candidate, or (`entrant` is None) a parent that no candidate is.

    `column` is the generation to draw it in: the longest known path from a founder, or the stored
    generation when that is larger. `under` is its first parent; `others` are the ids of further parents,
    and of a first one that would close a circle. `size` counts it and everything below it.
    """

    group: str
    id: str
    entrant: Entrant | None
    under: Node | None = None
    below: list[Node] = field(default_factory=list)
    others: tuple[str, ...] = ()
    column: int = 0
    place: int = 0  # its index in `Forest.nodes`
    size: int = 1
    founder: Founder = field(init=False)

    @property
    def key(self) -> Key:
        """What folds and cursors remember it by."""
        return self.group, self.id

    @property
    def state(self) -> LifeState:
        """How it stands now."""
        return life_of(self.entrant)


@dataclass(slots=True, eq=False)
class Row:
    """A node in sight. `up` is its parent's row, `last`: no sibling follows, `hidden`: descendants folded
    away, `context`: it is only here because of what is below it."""

    node: Node
    up: Row | None
    last: bool = True
    hidden: int = 0
    context: bool = False
    newest: Row | None = None  # its last child so far


@dataclass(frozen=True, slots=True)
class Share:
    """How many of its group's playing candidates descend from a founder, and which part that is."""

    founder: Founder
    living: int
    share: float


def life_of(entrant: Entrant | None) -> LifeState:
    """Living, newborn (plays, no valid match yet), waiting (does not play yet), twin, dead or missing."""
    if entrant is None:
        return "missing"
    if entrant.state in _DEAD:
        return "dead"
    if entrant.twin_of is not None:
        return "twin"
    if not entrant.plays:
        return "waiting"
    return "living" if entrant.wins or entrant.losses or entrant.draws else "newborn"


def letters_of(number: int) -> str:
    """The letters of founder `number`, from 0: a to z, aa, ab, ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
