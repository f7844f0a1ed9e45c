"""From a run's database back to its pure state: replaying the journal, and checking it.

`replay` is the only reader of journals; resume, `show`, `act` and `verify` all start from it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable

from arena_tui.engine.budget import Cost
from arena_tui.engine.course import Course, Origin, questions_of
from arena_tui.engine.lane import Pending
from arena_tui.errors import StoreError
from arena_tui.facts import Match
from arena_tui.judging.base import Judge, Question, Reply, Usage, Verdict
from arena_tui.settings import Tournament
from arena_tui.store.reader import Applied, Planned, Reader
from arena_tui.store.records import Pending as StoredPending
from arena_tui.store.records import StoredReply

Unread = tuple[Pending, Question]


def origin_of(reader: Reader) -> Origin:
    """What the run was started with; StoreError when its file does not say."""
    meta = reader.meta()
    missing = [key for key in ("run", "tournament", "seed", "lookahead") if key not in meta]
    if missing:
        raise StoreError(f"{reader.path} does not say its {missing[0]}, so it is no whole run: delete it")
    return Origin(
        run=meta["run"],
        tournament=Tournament.model_validate(json.loads(meta["tournament"])),
        seed=int(meta["seed"]),
        lookahead=int(meta["lookahead"]),
        groups=reader.groups(),
    )


def replay(reader: Reader, told: Callable[[Question], None] | None = None) -> Course:
    """The run's state after its whole journal. `told` hears of every planned comparison, in order."""
    course = Course(origin_of(reader))
    for entry in reader.journal():
        if entry.pos != course.pos + 1:
            raise StoreError(f"the journal has a gap before position {entry.pos}: run `arena verify`")
        match entry:
            case Planned(step=step):
                course.adopt(step)
                if told is not None:
                    for question in questions_of(course, step).values():
                        told(question)
            case Applied(outcome=outcome):
                group = course.groups[outcome.step.group]
                step = group.waiting[outcome.step.seq]
                course.apply(group, step, outcome.winner, outcome.p_a, outcome.reason)
            case _:
                course.intervene(entry.intervention)
    return course


def load_pending(reader: Reader, course: Course) -> list[Pending]:
    """The steps without an outcome, with the verdicts and replies they have."""
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
    )


def spent_by_group(reader: Reader) -> dict[str, Cost]:
    """What each group has spent, lost reservations included."""
    return {
        group: Cost.of(Usage(input_tokens=tokens, usd=usd))
        for group, (tokens, usd) in reader.spent_by_group().items()
    }


def refold(path_reader: Reader) -> list[str]:
    """What differs between the stored ratings and a refold of the journal, one sentence each."""
    course = replay(path_reader)
    problems = []
    stored = path_reader.ratings()
    for group in course.groups.values():
        history = group.format.history()
        for row, change in zip(path_reader.rating_rows(group.id), history, strict=False):
            applied_no, *numbers = row
            expected = (
                (None,) * 4
                if row[1] is None
                else (change.a_before, change.a_after, change.b_before, change.b_after)
            )
            if tuple(numbers) != expected:
                problems.append(
                    f"group {group.id}, match {applied_no}: stored ratings {numbers} differ from the "
                    f"journal's {list(expected)}"
                )
        for standing in group.format.standings():
            rating = stored.get((group.id, standing.id))
            if rating != (standing.rating, standing.matches):
                problems.append(
                    f"group {group.id}, {standing.id}: stored rating {rating} differs from the "
                    f"journal's {(standing.rating, standing.matches)}"
                )
    return problems
