"""A judge that answers from a file of recorded verdicts: JSON Lines, one comparison each.

`{"a": id, "b": id, "winner": "a" | "b" | "draw" | "invalid", "group"?, "p_a"?, "rationale"?}`, where
`a` was shown first. The k-th comparison of an ordered pair gets the pair's k-th line, counted in plan
order and starting over after the last, so that a resumed run hears the same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena_tui.errors import FileProblems, Problem
from arena_tui.judging.base import Desk, Question, Reply, Verdict
from arena_tui.judging.one_call import OneCall
from arena_tui.judging.strict_json import optional_probability, optional_text, strict_object
from arena_tui.values import did_you_mean, shown
from arena_tui.vocabulary import Said

if TYPE_CHECKING:
    from arena_tui import settings
    from arena_tui.candidate import Group

NOT_RECORDED = "not recorded"
DRAWS_OFF = "a draw was recorded, and judge.draws is off"
PROBLEMS_SHOWN = 20  # a file of another shape has a fault on every line; the first ones say enough
_EXPECTED = 'expected {"a": id, "b": id, "winner": "a", "b", "draw" or "invalid"}'
_SAID: dict[str, Said] = {"a": "first", "b": "second", "draw": "draw", "invalid": "invalid"}
_SWAPPED: dict[Said, Said] = {"first": "second", "second": "first", "draw": "draw", "invalid": "invalid"}


class _Line(NamedTuple):
    """One recorded comparison; `number` is its line in the file."""

    number: int
    verdict: Verdict


class RecordedJudge(OneCall):
    """Implements `Judge` from the file `settings.file`, relative to `folder`.

    A line without `group` serves every group. With `settings.symmetric` a pair that was never
    recorded in the order asked for uses the lines of the other order, swapped. Raises `FileProblems`
    when the file cannot be read or a line of it cannot be used.
    """

    keeps_replies = False

    def __init__(self, settings: settings.RecordedJudge, folder: Path) -> None:
        self.label = f"recorded: {Path(settings.file).name}"
        self._symmetric = settings.symmetric
        self._draws = settings.draws
        self._lines: dict[tuple[str | None, str, str], list[_Line]] = {}
        self._asked: Counter[tuple[str, str, str]] = Counter()
        self._planned: dict[tuple[str, int, str], int] = {}  # only pairs with a choice of lines
        self._path = folder / settings.file
        for key, line in _read_file(self._path):
            self._lines.setdefault(key, []).append(line)

    def refuse_strangers(self, groups: Iterable[Group]) -> None:
        """FileProblems when not one recorded pair could meet in `groups`: every match would be void."""
        for group in groups:
            ids = {candidate.id for candidate in group.entrants}
            if any(own in (None, group.id) and ids >= {a, b} for own, a, b in self._lines):
                return
        if self._lines:
            _, a, b = next(iter(self._lines))
            named = f"it compares {shown(a)} and {shown(b)}, say"
        else:
            named = "it is empty"
        message = f"no recorded verdict is on two candidates of one group of the pool ({named})"
        raise FileProblems([Problem(str(self._path), None, message, "the ids must be those of the pool")])

    def planned(self, question: Question) -> None:
        """Count the comparison. Nothing is kept for a pair with one line or none: memory stays flat."""
        lines, _ = self._of_pair(question)
        if len(lines) > 1:
            pair = (question.first.group, question.first.id, question.second.id)
            self._planned[_key(question)] = self._asked[pair] % len(lines)
            self._asked[pair] += 1

    async def ask(self, question: Question, desk: Desk) -> None:
        """Lay down the number of the line in the file; a failure when the pair has none."""
        lines, _ = self._of_pair(question)
        index = 0 if len(lines) == 1 else self._planned.get(_key(question))
        if not lines:
            reply = Reply("", failure=NOT_RECORDED)
        elif index is None:
            reply = Reply("", failure="asked without having been planned")
        else:
            reply = Reply(str(lines[index].number))
        desk.keep(reply)

    def read(self, question: Question, replies: Sequence[Reply]) -> Verdict:
        """The verdict on the line the reply names; the question's place in the count is let go."""
        reply = replies[-1]
        self._planned.pop(_key(question), None)
        lines, swapped = self._of_pair(question)
        found = next((line for line in lines if str(line.number) == reply.text), None)
        if reply.failure or found is None:
            return Verdict("invalid", reason=reply.failure or NOT_RECORDED)
        return self._said(found, swapped)

    def answers(self, question: Question) -> list[Verdict]:
        """Every verdict on record that serves this question, in file order, as if each were asked for."""
        lines, swapped = self._of_pair(question)
        return [self._said(line, swapped) for line in lines]

    def votes(self, group: str) -> Iterator[tuple[str, str, Verdict]]:
        """(first, second, verdict) of every line that serves a group."""
        for (own, first, second), lines in self._lines.items():
            if own in (None, group):
                yield from ((first, second, self._said(line, False)) for line in lines)

    def _said(self, line: _Line, swapped: bool) -> Verdict:
        if line.verdict.winner == "draw" and not self._draws:
            return Verdict("invalid", reason=DRAWS_OFF)
        return _swap(line.verdict) if swapped else line.verdict

    def _of_pair(self, question: Question) -> tuple[list[_Line], bool]:
        """The lines that serve this question in file order, and whether they must be swapped."""
        group, first, second = question.first.group, question.first.id, question.second.id
        lines = self._in_order(group, first, second)
        if lines or not self._symmetric:
            return lines, False
        return self._in_order(group, second, first), True

    def _in_order(self, group: str, a: str, b: str) -> list[_Line]:
        own, shared = self._lines.get((group, a, b), []), self._lines.get((None, a, b), [])
        return sorted(own + shared) if own and shared else own or shared


def _key(question: Question) -> tuple[str, int, str]:
    return question.group, question.seq, question.orientation


def _swap(verdict: Verdict) -> Verdict:
    """The verdict on the same pair shown the other way round."""
    p_first = None if verdict.p_first is None else 1.0 - verdict.p_first
    return Verdict(_SWAPPED[verdict.winner], p_first, verdict.reason)


def _read_file(path: Path) -> Iterator[tuple[tuple[str | None, str, str], _Line]]:
    """All lines of the file, keyed by (group or None, first, second); `FileProblems` at its end."""
    problems: list[Problem] = []
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    if text := raw.decode("utf-8-sig" if number == 1 else "utf-8").strip():
                        key, verdict = _parse(text)
                        yield key, _Line(number, verdict)
                except UnicodeDecodeError:
                    problems.append(Problem(str(path), number, "not UTF-8 text", _EXPECTED))
                except ValueError as error:
                    problems.append(Problem(str(path), number, str(error), _EXPECTED))
                if len(problems) == PROBLEMS_SHOWN:
                    problems.append(Problem(str(path), None, "there may be more such lines"))
                    break
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = Problem(str(path), None, f"cannot read the recorded verdicts: {reason}", "see judge.file")
        raise FileProblems([problem]) from error
    if problems:
        raise FileProblems(problems)


def _parse(text: str) -> tuple[tuple[str | None, str, str], Verdict]:
    """One line. Keys beyond the known ones are welcome: logs of other tools carry more."""
    row = strict_object(text)
    a, b, winner = row.get("a"), row.get("b"), row.get("winner")
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, str) or not value:
            raise ValueError(f'"{name}" must be the id of a candidate, as text')
    if a == b:
        raise ValueError('"a" and "b" are the same candidate')
    if not isinstance(winner, str) or winner not in _SAID:
        near = did_you_mean(winner, _SAID) if isinstance(winner, str) else ""
        got = f", not {shown(winner)}" + (f"; {near}" if near else "")
        raise ValueError(f'"winner" must be "a", "b", "draw" or "invalid"{got}')
    key = (optional_text(row, "group") or None, str(a), str(b))
    p_first, rationale = optional_probability(row, "p_a"), optional_text(row, "rationale")
    if winner == "invalid":
        return key, Verdict("invalid", reason=rationale or "recorded as invalid")
    return key, Verdict(_SAID[winner], p_first, rationale)
