"""Matches of a run to be judged blind by a person: which, in which order, and what their judge said.

For `arena audit RUN --by-hand` and the console's `h`. Nothing is stored.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena_tui.candidate import Candidate, Group
from arena_tui.engine.replay import origin_of
from arena_tui.errors import UsageError
from arena_tui.judging.base import Question
from arena_tui.store.reader import Reader
from arena_tui.systems import Texts, is_dealt
from arena_tui.vocabulary import Said, Winner


@dataclass(frozen=True, slots=True)
class BlindMatch:
    """An applied match; `turned`: b is shown as text 1. `at`: the group whose texts are shown, where a and
    b are systems."""

    group: str
    seq: int
    a: str
    b: str
    winner: Winner
    turned: bool
    at: str | None = None

    @property
    def said(self) -> Said:
        """What its judge said of the texts as they are shown: `side_of` turned round."""
        if self.winner == "draw":
            return "draw"
        return "first" if (self.winner == "a") != self.turned else "second"


@dataclass(frozen=True, slots=True)
class BlindSession:
    """What is asked: the matches and the words and texts that are shown with them."""

    run: str
    task: str
    draws: bool
    criteria: Mapping[str, str]
    groups: Mapping[str, Group]
    texts: dict[tuple[str, str], Candidate]
    matches: list[BlindMatch]

    def question(self, match: BlindMatch) -> Question:
        """What the judge was asked, in the order in which the person is shown the texts."""
        where = match.group if match.at is None else match.at
        group = self.groups[where]
        a, b = self.texts[where, match.a], self.texts[where, match.b]
        shown = (b, a) if match.turned else (a, b)
        criteria = group.criteria or None
        return Question(
            match.group, match.seq, "ab", "pairwise", *shown, prompt=group.prompt, criteria=criteria
        )


def blind_session(path: Path, number: int, only: tuple[str, int] | None = None) -> BlindSession:
    """At most `number` decided matches of the run at `path`, or `only` the one of a (group, number).

    The same matches in the same order for everybody who asks for as many of the same run. UsageError when
    there is none.
    """
    with Reader(path) as reader, reader.frozen():
        origin = origin_of(reader)
        texts = {(c.group, c.id): c for c in reader.candidates()}
        if is_dealt(origin.tournament):
            written = Texts([group for group in origin.groups if group.skipped is None])
            texts = written.by_group()
        found = _decided(reader) if only is None else [_decided_one(reader, *only)]
    if not found:
        raise UsageError(f"{path.stem} has no match that its judge has decided yet")
    rng = random.Random(f"{origin.seed}:by hand")
    rng.shuffle(found)
    matches = [
        BlindMatch(group, seq, a, b, winner, turned=rng.random() < 0.5, at=at)
        for group, seq, a, b, winner, at in found[:number]
    ]
    tournament = origin.tournament
    return BlindSession(
        run=origin.run,
        task=tournament.task,
        draws=tournament.judge.draws,
        criteria=tournament.criteria,
        groups={group.id: group for group in origin.groups},
        texts=texts,
        matches=matches,
    )


_Decided = tuple[str, int, str, str, Winner, str | None]  # group, number, a, b, outcome, whose texts


def _decided(reader: Reader) -> list[_Decided]:
    """All matches whose outcome is their judge's."""
    return [
        (row["group"], row["seq"], row["hyp_a"], row["hyp_b"], row["winner"], row["at"])
        for row in reader.matches()
        if row["winner"] != "void" and row["overruled_by"] is None
    ]


def _decided_one(reader: Reader, group: str, seq: int) -> _Decided:
    """One such match; UsageError says why another has no verdict of its judge that counts."""
    record = reader.match(group, seq)
    if record is not None and record.winner not in (None, "void") and not record.overruled:
        return group, seq, record.a, record.b, record.winner, record.at
    if record is None:
        why = "there is no such match"
    elif record.held:
        why = "it is judged, but held until an earlier match is decided"
    elif record.winner is None:
        why = "it is not judged yet"
    else:
        why = "it was overruled" if record.overruled else "it is void"
    raise UsageError(f"match {group}:{seq} has no verdict of its judge to compare with: {why}")


def side_of(said: Said, turned: bool) -> Winner:
    """Whom a verdict on the texts as shown names; `turned`: b was shown as text 1."""
    if said == "draw":
        return "draw"
    return "a" if (said == "first") != turned else "b"
