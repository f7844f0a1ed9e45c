"""What a tournament file's settings need of this machine and of its pool; used by `tournament_file` only."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from arena_tui import own_prompts
from arena_tui.candidate import Pool
from arena_tui.errors import UsageError
from arena_tui.programs import fault_of
from arena_tui.settings import (
    CommandJudge,
    LlmJudge,
    PanelJudge,
    RecordedJudge,
    SimulatedJudge,
    Tournament,
    binding_limits,
    similarity_of,
)
from arena_tui.settings_faults import key_text
from arena_tui.systems import Texts, is_dealt
from arena_tui.text_files import label_of, near_file
from arena_tui.values import did_you_mean, shown

COMPARED = 2_000  # ids that an unknown one is compared with

Fault = Callable[..., None]
"""Notes a problem: the path of its key, what is wrong, and a hint."""


def check_judge(tournament: Tournament, fault: Fault) -> None:
    """What a judge needs on this machine is there, as far as it can be seen without starting it."""
    judge = tournament.judge
    for number, member in enumerate(judge.judges if isinstance(judge, PanelJudge) else (judge,)):
        key = ("judge", "judges", number) if isinstance(judge, PanelJudge) else ("judge",)
        match member:
            case RecordedJudge(file=file) if not os.path.isfile(file):
                at = (*key, "file")
                hint = near_file(Path(file))
                fault(at, f"{key_text(at)}: no such file: {label_of(Path(file))}", hint)
            case LlmJudge(prompts=own) if own:
                at = (*key, "prompts")
                for problem in own_prompts.problems_of(Path(own)):
                    fault(at, f"{key_text(at)}: {problem}")
            case CommandJudge(folder=folder) if not os.path.isdir(folder):
                at = (*key, "folder")
                fault(at, f"{key_text(at)}: no such folder: {label_of(Path(folder))}")
            case CommandJudge(command=command, folder=folder):
                wrong = fault_of(command, Path(folder))
                if wrong is not None:
                    at = (*key, "command")
                    fault(at, f"{key_text(at)}: {wrong[0]}", wrong[1])
            case _:
                pass


def check_against_pool(tournament: Tournament, pool: Pool, fault: Fault) -> list[str]:
    """What only shows when settings and pool are seen together; notes on what is odd but no fault."""
    notes = []
    candidates = [c for group in pool.playable for c in group.entrants]
    similarity = similarity_of(tournament)
    if similarity == "embedding" and all(c.embedding is None for c in candidates):
        message = "format.similarity: 'embedding' needs candidates with an embedding, the pool has none"
        fault(("format", "similarity"), message, "available: lexical, embedding, endpoint, none")
    if similarity == "endpoint" and tournament.embeddings is None:
        message = "format.similarity: 'endpoint' needs to know which: embeddings: {model: provider:name}"
        fault(("format", "similarity"), message, "available: lexical, embedding, endpoint, none")
    if similarity != "endpoint" and tournament.embeddings is not None:
        fault(("embeddings",), "embeddings: only format.similarity: endpoint uses it", "leave one out")
    least, smallest = tournament.stop.min_ideas_before_stable, min(len(g.entrants) for g in pool.playable)
    if tournament.stop.rule == "stability" and least > smallest and not binding_limits(tournament):
        message = (
            f"stop.min_ideas_before_stable: this tournament could never end: a group has {smallest} "
            f"candidates that play, the stop rule waits for {least}, and no limit can be reached"
        )
        fault(("stop", "min_ideas_before_stable"), message)
    if isinstance(tournament.judge, SimulatedJudge):
        everyone = {c.id for group in pool.groups for c in group.candidates}
        unknown = [id_ for id_ in tournament.judge.strengths if id_ not in everyone]
        if unknown:
            notes.append(f"judge.strengths names no candidate of the pool with {shown(unknown[0])}")
    if tournament.compare == "systems":
        _check_systems(tournament, pool, fault)
    notes += _notes_on_format(tournament, pool, fault)
    return notes


def _check_systems(tournament: Tournament, pool: Pool, fault: Fault) -> None:
    try:
        texts = Texts(pool.playable)
        if is_dealt(tournament):
            texts.shared()
    except UsageError as error:
        fault(("compare",), str(error))
        return
    systems = [candidate.id for candidate in texts.arena.candidates]
    if len(systems) < 2:
        fault(("compare",), f"compare: systems needs two systems, the pool has {len(systems)}")
    if tournament.baseline is not None and tournament.baseline not in systems:
        near = did_you_mean(tournament.baseline, systems)
        hint = near or f"the pool has {', '.join(systems[:5])}"
        fault(("baseline",), f"baseline: no system is called {shown(tournament.baseline)}", hint)


def _notes_on_format(tournament: Tournament, pool: Pool, fault: Fault) -> list[str]:
    """What the chosen format makes of this pool."""
    chosen, notes = tournament.format, []
    if chosen.kind == "swiss":
        everyone = {c.id for group in pool.groups for c in group.candidates}
        for id_ in chosen.excused:
            if id_ not in everyone:
                near = did_you_mean(id_, list(everyone)[:COMPARED])
                fault(
                    ("format", "excused", id_), f"format.excused: no candidate is called {shown(id_)}", near
                )
    if chosen.kind == "pivot":
        from arena_tui.formats.pivot import cheaper_as_round_robin

        sizes = {len(group.entrants) for group in pool.playable}
        advice = (
            cheaper_as_round_robin(size, chosen.pivots, to_the_letter=chosen.preset == "seed")
            for size in sorted(sizes)
        )
        notes += [note for note in advice if note is not None]
    return notes
