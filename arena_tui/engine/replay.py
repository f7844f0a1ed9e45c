"""From a run's database back to its pure state: replaying the journal.

`replay` is the only reader of journals; resume, `show`, `act` and `verify` all start from it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from arena_tui.engine.budget import Cost
from arena_tui.engine.course import Course, Origin, questions_of
from arena_tui.engine.lane import Pending
from arena_tui.errors import RefusedAction, StoreError, UsageError
from arena_tui.facts import Match
from arena_tui.judging.base import Judge, Question, Reply, Usage, Verdict
from arena_tui.settings import Tournament
from arena_tui.store.reader import Applied, JournalEntry, Planned, Reader
from arena_tui.store.records import Pending as StoredPending
from arena_tui.store.records import StoredReply
from arena_tui.store.schema import readable

if TYPE_CHECKING:
    from arena_tui.engine.refolding import Witness

Unread = tuple[Pending, Question]


def origin_of(reader: Reader) -> Origin:
    """What the run was started with; StoreError when its file does not say."""
    meta = reader.meta()
    missing = [key for key in ("run", "tournament", "seed", "lookahead") if key not in meta]
    if missing:
        raise StoreError(f"{reader.path} does not say its {missing[0]}, so it is no whole run: delete it")
    with readable(reader.path, "what the run was started with"):
        return Origin(
            run=meta["run"],
            tournament=Tournament.model_validate(json.loads(meta["tournament"])),
            seed=int(meta["seed"]),
            lookahead=int(meta["lookahead"]),
            groups=reader.groups(),
        )


def replay(
    reader: Reader, told: Callable[[Question], None] | None = None, *, witness: Witness | None = None
) -> Course:
    """The run's state after its whole journal. `told` hears of every planned comparison, in order.

    StoreError when the journal has a gap, or an entry that cannot follow those before it.
    """
    course = Course(origin_of(reader))
    try:
        if witness is not None:
            witness.reached(course)
        for entry in reader.journal():
            if entry.pos != course.pos + 1:
                raise StoreError(
                    f"{reader.path}: the journal has a gap before position {entry.pos}: run `arena verify`"
                )
            _take(course, entry, reader, told, witness)
            if witness is not None:
                witness.reached(course)
    except (LookupError, ValueError, TypeError, RefusedAction, UsageError) as error:
        raise StoreError(
            f"{reader.path}: the journal cannot be followed beyond position {course.pos} "
            f"({type(error).__name__}: {error}): restore the file from a copy"
        ) from error
    return course


def _take(
    course: Course,
    entry: JournalEntry,
    reader: Reader,
    told: Callable[[Question], None] | None,
    witness: Witness | None,
) -> None:
    match entry:
        case Planned(step=step):
            course.adopt(step)
            if told is not None:
                for question in questions_of(course, step).values():
                    told(question)
        case Applied(outcome=outcome):
            group = course.groups[outcome.step.group]
            step = group.waiting[outcome.step.seq]
            withdrawn = step.seq in group.withdrawn
            _, applied = course.apply(
                group, step, outcome.winner, outcome.p_a, outcome.reason, outcome.comparisons
            )
            if witness is not None:
                witness.applied(group, step.seq, applied, withdrawn=withdrawn)
        case _:
            action = entry.intervention
            course.intervene(action)
            if witness is not None:
                acted_on = course.groups.get(action.group or "")
                after = course.applied if acted_on is None else acted_on.order.applied
                witness.acted(entry.pos, entry.after_applied, after)
            if witness is not None and action.kind == "overrule":
                played = reader.applied_match(action.group or "", action.seq or 0)
                witness.overruled_by(action, entry.pos, 0 if played is None else played[-1])


def load_pending(reader: Reader, course: Course) -> list[Pending]:
    """The steps without an outcome, with the verdicts and replies they have."""
    with readable(reader.path, "a planned match"):
        return [_pending(stored, course) for stored in reader.pending()]


def unread_of(pendings: Iterable[Pending], judge: Judge) -> list[Unread]:
    """The questions that are answered and have not been read; none of them is to be asked again.

    A conversation that broke off is asked again, with its replies at hand.
    """
    unread = []
    for pending in pendings:
        for orientation, replies in pending.replies.items():
            question = pending.questions[orientation]
            if orientation in pending.to_ask and judge.answered(question, replies):
                unread.append((pending, question))
                pending.to_ask.remove(orientation)
    return unread


def _pending(stored: StoredPending, course: Course) -> Pending:
    step: Match = course.groups[stored.step.group].waiting[stored.step.seq]
    pending = Pending(
        step, stored.step_id, 0, questions_of(course, step), deque(step.orders), lost=stored.lost
    )
    for said in stored.verdicts:
        pending.take(said.orientation, Verdict(said.verdict, said.p_first, said.reason, said.flags))
        pending.to_ask.remove(said.orientation)
    for reply in stored.replies:
        pending.replies.setdefault(reply.orientation, []).append(_reply(reply))
    return pending


def _reply(stored: StoredReply) -> Reply:
    usage = Usage(stored.input_tokens, stored.cached_input_tokens, stored.output_tokens, stored.usd)
    return Reply(
        stored.text,
        usage,
        stored.failure,
        member=stored.member,
        turn=stored.turn,
        sample=stored.sample,
        attempt=stored.attempt,
        stop_reason=stored.stop_reason,
        request_hash=stored.request_hash,
        model=stored.model,
        from_cache=stored.from_cache,
        seconds=stored.seconds,
        logprobs=stored.logprobs,
        speaker=stored.speaker,
        slot=stored.slot,
    )


def spent_by_group(reader: Reader) -> dict[str, Cost]:
    """What each group has spent, lost reservations included."""
    return {
        group: Cost.of(Usage(input_tokens=tokens, usd=usd))
        for group, (tokens, usd) in reader.spent_by_group().items()
    }
