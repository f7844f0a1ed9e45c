"""A format over systems, with each of its matches dealt to a group where both systems have a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

from arena_tui.facts import Step
from arena_tui.formats.base import Format


class Dealer:
    """Picks the group of each match: where that pair has met least, then the least used, then seeded order.

    `shared`: by pair, in both orders, the groups where both have a text.
    """

    def __init__(self, shared: Mapping[tuple[str, str], Sequence[str]], *, seed: int) -> None:
        self._shared = shared
        groups = list(dict.fromkeys(group for both in shared.values() for group in both))
        Random(f"{seed}:deal").shuffle(groups)
        self._place = {group: place for place, group in enumerate(groups)}
        self._met: Counter[tuple[str, str, str]] = Counter()
        self._used: Counter[str] = Counter()

    def __deepcopy__(self, memo: dict[int, Any]) -> Dealer:
        """An independent clone; who has a text where never changes."""
        twin = object.__new__(Dealer)
        twin.__dict__.update(self.__dict__)
        twin._met, twin._used = self._met.copy(), self._used.copy()
        return twin

    def deal(self, a: str, b: str) -> str:
        """The group where these two meet next; it changes nothing."""
        low, high = (a, b) if a < b else (b, a)
        return min(
            self._shared[a, b],
            key=lambda group: (self._met[low, high, group], self._used[group], self._place[group]),
        )

    def take(self, a: str, b: str, group: str) -> None:
        """The two were planned to meet there."""
        low, high = (a, b) if a < b else (b, a)
        self._met[low, high, group] += 1
        self._used[group] += 1


class Dealt:
    """The wrapped format, with `Match.at` filled in; all else is the format's own."""

    def __init__(
        self, format_: Format, shared: Mapping[tuple[str, str], Sequence[str]], *, seed: int
    ) -> None:
        self._format = format_
        self._dealer = Dealer(shared, seed=seed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._format, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Dealt:
        """An independent clone."""
        twin = object.__new__(Dealt)
        twin.__dict__.update(_format=deepcopy(self._format, memo), _dealer=deepcopy(self._dealer, memo))
        return twin

    def next_steps(self, room: int) -> list[Step]:
        """The format's steps, each dealt in its turn."""
        steps = []
        for step in self._format.next_steps(room):
            group = self._dealer.deal(step.a, step.b)
            self._dealer.take(step.a, step.b, group)
            steps.append(replace(step, at=group))
        return steps

    def adopt(self, step: Step) -> None:
        """Take a journaled plan, with the group it was dealt to."""
        self._format.adopt(step)
        if step.at is None:
            raise ValueError(f"step {step.seq} was dealt to no group")
        self._dealer.take(step.a, step.b, step.at)
