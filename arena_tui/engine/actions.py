"""`arena act`: what may be asked of a run, checked against its state before anything is journaled.

An `Action` is what travels (command line, inbox file, console key); `resolve` turns it into the
interventions that the journal will hold, or refuses it with one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from arena_tui.candidate import Candidate
from arena_tui.engine.course import Course
from arena_tui.engine.roster import unknown_group
from arena_tui.errors import RefusedAction
from arena_tui.facts import Intervention
from arena_tui.settings import with_changes
from arena_tui.values import counted, did_you_mean
from arena_tui.vocabulary import Winner

CONTROLS = ("pause", "resume", "abort")
"""Verbs that move the gate; they need a live driver and are no interventions."""

VERBS: Mapping[str, str] = {
    "pause": "",
    "resume": "",
    "abort": "",
    "pin": "ID",
    "unpin": "ID",
    "reject": "ID",
    "restore": "ID",
    "add": "FILE",
    "focus": "ID",
    "match": "A B",
    "overrule": "MATCH OUTCOME",
    "limit": "KEY=VALUE",
}
"""verb -> its arguments, for usage and help."""

RESUMED = "resume"
"""The origin of what the tournament file or a limit option asks for when a run goes on; anything else
was asked by somebody. It tells candidates that the file gained from those that `act add` brought."""

NAMED = 5  # candidates that the answer to an `add` names
_MATCH_NUMBER = re.compile(r"[0-9]{1,15}")  # no run has more matches, and no integer of SQLite more digits

NOTHING = ("null", "~", "")
"""How YAML writes that there is no value."""
LIMIT_KEYS = ("usd", "tokens", "wall_clock", "matches", "concurrency", "lookahead", "grace", "per_group")


@dataclass(frozen=True, slots=True)
class Action:
    """A verb with its arguments as typed; `candidates` is what `add` brings, already read."""

    verb: str
    args: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """An applied match as the store knows it, for `overrule`."""

    group: str
    seq: int
    a: str
    b: str
    winner: Winner
    withdrawn: bool
    applied_no: int


FindMatch = Callable[[str, int], Played | None]


@dataclass(frozen=True, slots=True)
class Resolved:
    """An intervention ready to be journaled, with the sentence that acknowledges it."""

    intervention: Intervention
    done: str
    overruled: Played | None = field(default=None)


def acknowledgement(resolved: Sequence[Resolved]) -> str:
    """What came of a request, in a sentence; of many candidates that it added, the first few."""
    done = [each.done for each in resolved[:NAMED]]
    more = len(resolved) - len(done)
    return "; ".join([*done, f"and {more} more"] if more else done)


def check_arity(action: Action) -> None:
    """Refuse an unknown verb or a wrong number of arguments, naming the usage."""
    usage = VERBS.get(action.verb)
    if usage is None:
        near = did_you_mean(action.verb, VERBS)
        known = f"known: {', '.join(VERBS)}"
        raise RefusedAction(f"unknown action {action.verb!r}; {near + ' ' if near else ''}{known}")
    if len(action.args) != len(usage.split()):
        raise RefusedAction(f"usage: arena act RUN {action.verb} {usage}".rstrip())


def resolve(action: Action, course: Course, find_match: FindMatch) -> list[Resolved]:
    """The interventions of an action in the run's present state; RefusedAction says why not."""
    check_arity(action)
    resolved = _resolved(action, course, find_match)
    for each in resolved:
        group = course.groups.get(each.intervention.group or "")
        objection = None if group is None else group.format.objection(each.intervention)
        if objection is not None:
            raise RefusedAction(objection)
    return resolved


def _resolved(action: Action, course: Course, find_match: FindMatch) -> list[Resolved]:
    args = action.args
    match action.verb:
        case "pin" | "unpin" | "reject" | "restore":
            return [_state_change(action.verb, args[0], course)]
        case "add":
            return _add(action.candidates, course)
        case "focus":
            group, candidate = course.roster.locate(args[0])
            _require_open_group(course, group)
            course.roster.require_playing(group, candidate.id, "focus")
            done = f"{candidate.id} meets its nearest opponent {_when(course, group)}"
            return [Resolved(Intervention("focus", group, candidate.id), done)]
        case "match":
            return [_asked_match(args[0], args[1], course)]
        case "overrule":
            return [_overrule(args[0], args[1], course, find_match)]
        case "limit":
            return [_limit(args[0], course)]
    raise RefusedAction(f"{action.verb} needs a process that drives the run, and none does")


def _when(course: Course, group: str) -> str:
    """When a match that is asked for now is held: what is planned stays planned."""
    planned = course.groups[group].order.open_steps
    return f"after the {counted(planned, 'match', 'matches')} already planned" if planned else "next"


def _require_open_group(course: Course, group: str) -> None:
    if group in course.groups:
        return
    for skipped in course.skipped:
        if skipped.id == group:
            raise RefusedAction(
                f"the group {group!r} was skipped when the run began ({skipped.skipped}), and a run never "
                "gains a group: start a fresh run with --new"
            )
    raise unknown_group(group, course.groups)


def _state_change(verb: str, id_: str, course: Course) -> Resolved:
    group, candidate = course.roster.locate(id_)
    _require_open_group(course, group)
    kind = cast("Any", verb)
    action = Intervention(kind, group, candidate.id)
    course.roster.new_state(action)  # refuses what the candidate's state does not allow
    return Resolved(action, f"{candidate.id} {_BECOMES[verb]}")


_BECOMES = {
    "pin": "is now pinned",
    "unpin": "is no longer pinned",
    "reject": "is now rejected",
    "restore": "plays again",
}


def _add(candidates: tuple[Candidate, ...], course: Course) -> list[Resolved]:
    if not candidates:
        raise RefusedAction("the file holds no candidate")
    seen: set[tuple[str, str]] = set()
    texts: dict[tuple[str, str, str | None], str] = {}  # of the candidates that come with this action
    resolved = []
    for candidate in candidates:
        if course.texts is not None:
            raise RefusedAction("a run that compares systems takes no further texts: start a new one")
        _require_open_group(course, candidate.group)
        if (candidate.group, candidate.id) in seen:
            raise RefusedAction(f"the file names {candidate.id!r} twice in group {candidate.group!r}")
        seen.add((candidate.group, candidate.id))
        added = course.roster.admit(candidate.group, candidate)
        original = texts.setdefault((added.group, added.text_hash, added.class_), added.id)
        if added.twin_of is None and original != added.id:
            added = replace(added, twin_of=original)
        how = f"a twin of {added.twin_of}" if added.twin_of else "in the tournament"
        resolved.append(Resolved(Intervention("add", candidate.group, added=added), f"{added.id} is {how}"))
    return resolved


def _asked_match(a: str, b: str, course: Course) -> Resolved:
    group, first = course.roster.locate(a)
    other_group, second = course.roster.locate(b, None if ":" in b else group)
    if group != other_group:
        raise RefusedAction(f"{a!r} and {b!r} are of different groups; no match crosses groups")
    _require_open_group(course, group)
    if first.id == second.id:
        raise RefusedAction(f"{a!r} cannot meet itself")
    if first.class_ != second.class_:
        raise RefusedAction(f"{a!r} and {b!r} are of different classes; no match crosses classes")
    course.roster.require_playing(group, first.id, "match")
    course.roster.require_playing(group, second.id, "match")
    action = Intervention("match", group, first.id, second.id)
    return Resolved(action, f"{first.id} meets {second.id} {_when(course, group)}")


def _overrule(which: str, outcome: str, course: Course, find_match: FindMatch) -> Resolved:
    group, _, number = which.rpartition(":")
    if not group and len(course.groups) == 1:
        group = next(iter(course.groups))
    if group and group not in course.groups:
        _require_open_group(course, group)
    if group not in course.groups or not _MATCH_NUMBER.fullmatch(number):
        example = next(iter(course.groups))
        raise RefusedAction(
            f"{which!r} names no match; give its number in the group, as in {example}:12 "
            "(column seq of `arena export RUN --what matches`)"
        )
    played = find_match(group, int(number))
    if played is None:
        raise RefusedAction(
            f"match {group}:{number} has no outcome yet, so there is nothing to overrule "
            "(one that is judged is held until every earlier match of its group is decided)"
        )
    if played.withdrawn:
        raise RefusedAction(f"match {group}:{number} was withdrawn and never judged")
    winner = {played.a: "a", played.b: "b"}.get(outcome, outcome)
    if winner not in get_args(Winner):
        outcomes = ("a", "b", "draw", "void", played.a, played.b)
        near = did_you_mean(outcome, outcomes)
        raise RefusedAction(
            f"{outcome!r} is no outcome of match {group}:{number}; {near + ' ' if near else ''}"
            f"give {', '.join(outcomes[:-1])} or {played.b}"
        )
    if winner == played.winner:
        raise RefusedAction(f"the outcome of match {group}:{number} is {outcome} already")
    action = Intervention(
        "overrule", group, seq=played.seq, winner=cast("Winner", winner), values={"was": played.winner}
    )
    named = {"a": f"won by {played.a}", "b": f"won by {played.b}", "draw": "a draw", "void": "void"}[winner]
    return Resolved(action, f"match {group}:{number} now counts as {named}", played)


def _limit(assignment: str, course: Course) -> Resolved:
    key, equals, value = assignment.partition("=")
    if not equals or key.split(".")[0] not in LIMIT_KEYS:
        near = did_you_mean(key, LIMIT_KEYS) if equals else ""
        what = f"no limit is called {key!r}; {near} " if near else ""
        raise RefusedAction(f"{what}usage: arena act RUN limit KEY=VALUE, KEY one of {', '.join(LIMIT_KEYS)}")
    values = {f"limits.{key}": value}
    with_changes(course.tournament, values)  # raises when the value does not fit
    none = value.strip().lower() in NOTHING
    done = f"there is no limits.{key} any more" if none else f"limits.{key} is now {value}"
    return Resolved(Intervention("settings", values=values), done)
