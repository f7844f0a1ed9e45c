"""A driver for Swiss tournaments that keeps its own books, and the checker of a run's pairings."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from elo_runs import candidate, verdict

from arena_tui.candidate import Candidate, Group
from arena_tui.facts import Comparison, Intervention, Match, Outcome
from arena_tui.formats.swiss import SwissTournament
from arena_tui.settings import SwissFormat
from arena_tui.vocabulary import PLAYING, Winner

Judge = Callable[[Match], Winner]
WINNERS: tuple[Winner, ...] = ("a", "b", "draw", "void")


def pool(count: int, classes: str = "") -> Group:
    """`count` candidates, dealt in turn to the classes."""
    members = (
        candidate(f"c{i:02d}", class_=classes[i % len(classes)] if classes else None) for i in range(count)
    )
    return Group("main", tuple(members))


def tournament(group: Group | int = 8, *, seed: int = 7, **options: Any) -> SwissTournament:
    """A fresh format; `mode` and `orders` are the judge's, all else its settings."""
    group = pool(group) if isinstance(group, int) else group
    judge = {name: options.pop(name) for name in ("mode", "orders") if name in options}
    return SwissTournament(group, SwissFormat(**options), seed=seed, **judge)


class Run:
    """Drives a format as the engine does: one step at a time, and one outcome at a time in step order.

    `journal` is what the format saw, `games` what was planned, `said` the outcome of each that counts now.
    """

    def __init__(self, format_: SwissTournament, judge: Judge | None = None) -> None:
        self.format = format_
        self.judge = judge or verdict(1)
        self.journal: list[Match | Outcome | Intervention] = []
        self.games: list[Match] = []
        self.waiting: deque[Match] = deque()
        self.withdrawn: dict[int, set[str]] = {}  # by seq: who was rejected
        self.said: dict[int, Winner] = {}
        self.entrants: dict[str, Candidate] = {c.id: c for c in format_.field.entrants}
        self.playing = {c.id for c in format_.field.entrants if c.state in PLAYING}
        self.starts: dict[int, set[str]] = {}  # by round: who played when it was planned
        self.scores_before: dict[int, dict[str, float]] = {}

    def plan(self, room: int = 1 << 30) -> list[Match]:
        """Up to `room` further steps, chosen one at a time."""
        chosen: list[Match] = []
        while len(chosen) < room and (steps := self.format.next_steps(1)):
            for step in steps:
                if step.round not in self.starts:
                    assert step.round is not None
                    self.starts[step.round] = set(self.playing)
                    self.scores_before[step.round] = self.scores(step.round)
                self.games.append(step)
                self.waiting.append(step)
                self.journal.append(step)
            chosen += steps
        return chosen

    def apply(self, winner: Winner | None = None) -> Outcome:
        """Apply the outcome that is due: what the judge says, or void when it was withdrawn."""
        step = self.waiting.popleft()
        gone = step.seq in self.withdrawn
        said: Winner = "void" if gone else winner or self.judge(step)
        outcome = Outcome(step, said, len(self.said) + 1, reason="withdrawn" if gone else "")
        self.format.record(outcome)
        self.said[step.seq] = said
        self.journal.append(outcome)
        return outcome

    def act(self, action: Intervention) -> None:
        """An intervention, which withdraws what is planned of a rejected candidate."""
        self.format.intervene(action)
        self.journal.append(action)
        match action.kind:
            case "add":
                assert action.added is not None
                self.entrants[action.added.id] = action.added
                self.playing.add(action.added.id)
            case "reject":
                assert action.candidate is not None
                self.playing.discard(action.candidate)
                for step in self.waiting:
                    if action.candidate in (step.a, step.b):
                        self.withdrawn.setdefault(step.seq, set()).add(action.candidate)
            case "restore":
                assert action.candidate is not None
                self.playing.add(action.candidate)
            case "overrule":
                assert action.seq is not None
                assert action.winner is not None
                self.said[action.seq] = action.winner

    def finish(self, between: Callable[[Run], None] = lambda run: None) -> Run:
        """Play to the end; `between` is called before every outcome."""
        self.plan()
        while self.waiting:
            between(self)
            self.apply()
            self.plan()
        return self

    def round(self) -> list[Match]:
        """Plan the next round and apply all of it."""
        steps = self.plan()
        while self.waiting:
            self.apply()
        return steps

    # -- books of its own ------------------------------------------------------------------------

    def held(self) -> list[Match]:
        """The matches but those that were withdrawn and not overruled since."""
        return [
            step
            for step in self.games
            if step.seq not in self.withdrawn or self.said.get(step.seq, "void") != "void"
        ]

    def scores(self, before: int = 1 << 30, bye: float = 0.5) -> dict[str, float]:
        """The score of everybody from the games and byes of the rounds before that one."""
        found = dict.fromkeys(self.entrants, 0.0)
        for step in self.games:
            assert step.round is not None
            if step.round >= before or step.seq not in self.said:
                continue
            gone = self.withdrawn.get(step.seq)
            match self.said[step.seq]:
                case "a":
                    found[step.a] += 1
                case "b":
                    found[step.b] += 1
                case "void" if gone is not None:
                    for id_ in {step.a, step.b} - gone:
                        found[id_] += bye
                case _:
                    found[step.a] += 0.5
                    found[step.b] += 0.5
        for bracket in self.format.details()["brackets"].values():
            for kind in ("byes", "excused"):
                for ids in bracket[kind][: before - 1]:
                    for id_ in ids:
                        found[id_] += bye
        return found

    def idle(self, kind: str = "byes") -> list[list[str]]:
        """Who sat out, by round, over all classes."""
        brackets = self.format.details()["brackets"].values()
        by_round = zip(*(bracket[kind] for bracket in brackets), strict=True)
        return [[id_ for ids in of_round for id_ in ids] for of_round in by_round]


def both_orders(step: Match, ab: str, ba: str, winner: Winner, number: int) -> Outcome:
    """An outcome from two comparisons."""
    said = (Comparison("ab", ab), Comparison("ba", ba))  # type: ignore[arg-type]
    return Outcome(step, winner, number, comparisons=said)


def pairs_of(steps: Iterable[Match]) -> set[frozenset[str]]:
    return {frozenset((step.a, step.b)) for step in steps}


def replay(format_: SwissTournament, journal: Iterable[Match | Outcome | Intervention]) -> None:
    """Feed a journal to a fresh format."""
    for entry in journal:
        if isinstance(entry, Match):
            format_.adopt(entry)
        elif isinstance(entry, Outcome):
            format_.record(entry)
        else:
            format_.intervene(entry)


def discrepancies(format_: SwissTournament, journal: Iterable[Match | Outcome | Intervention]) -> list[str]:
    """Derive each round of a run again, with a fresh format of its seed and settings, from what came before.

    A sentence on every match of the first round that differs; none where all of the run follows.
    """
    found: list[str] = []
    for entry in journal:
        if isinstance(entry, Match):
            derived = format_.foreseen()
            if derived is not None and (derived.a, derived.b) == (entry.a, entry.b):
                format_.adopt(entry)
                continue
            told = "nothing" if derived is None else f"{derived.a}-{derived.b} in round {derived.round}"
            found.append(f"step {entry.seq}: {entry.a}-{entry.b} in round {entry.round}, derived: {told}")
            format_.next_steps(1)
        elif found:
            break
        elif isinstance(entry, Outcome):
            format_.record(entry)
        else:
            format_.intervene(entry)
    return found


def can_pair(ids: Iterable[str], met: set[frozenset[str]]) -> bool:
    """Whether all of an even number can meet somebody they have not met: an independent answer."""
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(ids)
    nodes = sorted(graph)
    graph.add_edges_from(
        (one, other)
        for at, one in enumerate(nodes)
        for other in nodes[at + 1 :]
        if frozenset((one, other)) not in met
    )
    return 2 * len(nx.max_weight_matching(graph, maxcardinality=True)) == len(nodes)


def random_judge(seed: int) -> Judge:
    """Wins, draws and voids by strengths of the candidates; a function of seed and match."""

    def judge(step: Match) -> Winner:
        rng = Random(f"{seed}:{step.seq}")
        better = Random(step.a).random() > Random(step.b).random()
        weights = [6, 2, 3, 1] if better else [2, 6, 3, 1]
        return rng.choices(WINNERS, weights)[0]

    return judge


def times_per_round(steps: Iterable[Match]) -> Counter[tuple[int | None, str]]:
    """How often each stands in a round."""
    return Counter((step.round, id_) for step in steps for id_ in (step.a, step.b))
