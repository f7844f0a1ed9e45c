"""One call that ends with a verdict; asked once more when nobody can read it, then it counts as invalid.

Also what a debate needs to read its judge's turn. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.conversation import REASKED, Call, Heard, again, is_final, unusable
from arena_tui.providers.base import Request

UNFINISHED = "the comparison was not finished"

Parse = Callable[[str], Verdict]
"""From the text of a whole reply to its verdict."""


class Pairwise:
    """Implements `Dialogue`: `request`, and `words` that ask for the format when `parse` finds no verdict."""

    def __init__(self, request: Request, words: str, parse: Parse) -> None:
        self._call = Call(0, request)
        self._words = words
        self._parse = parse

    def next(self, replies: Sequence[Reply]) -> tuple[Call, ...]:
        """The call, or the same one for the format, or none."""
        heard = Heard(replies)
        if is_decided(heard, 0, self._parse):
            return ()
        first = heard.at(0)
        return (self._call if first is None else again(self._call, first, self._words),)

    def ahead(self, replies: Sequence[Reply]) -> Iterator[Request]:
        """The call, or asking again."""
        heard = Heard(replies)
        if is_decided(heard, 0, self._parse):
            return
        first = heard.at(0)
        yield self._call.request if first is None else again(self._call, first, self._words).request

    def unreadable(self, replies: Sequence[Reply], reply: Reply) -> bool:
        """It is whole and has no verdict."""
        return not unusable(reply) and self._parse(reply.text).winner == "invalid"

    def read(self, replies: Sequence[Reply]) -> Verdict:
        """The verdict, or why there is none."""
        return verdict_at(Heard(replies), 0, self._parse)


def is_decided(heard: Heard, turn: int, parse: Parse) -> bool:
    """True when the judge's turn needs no further call: it was read, or asked twice, or is hopeless."""
    first = heard.at(turn)
    if first is None:
        return False
    return is_final(first) or heard.at(turn, 1) is not None or _read(first, parse).winner != "invalid"


def verdict_at(heard: Heard, turn: int, parse: Parse) -> Verdict:
    """The verdict of a judge's turn, asked once or twice. `reason` is all it said, or why it is invalid."""
    first, second = heard.at(turn), heard.at(turn, 1)
    if first is None:
        return Verdict("invalid", reason=UNFINISHED)
    verdict = _read(first, parse)
    if verdict.winner != "invalid" or is_final(first):
        return verdict
    if second is None:
        return Verdict("invalid", reason=f"{verdict.reason}; {UNFINISHED}", flags=verdict.flags)
    repeated = _read(second, parse)
    if repeated.winner == "invalid":
        why = f"{verdict.reason}; asked again: {repeated.reason}"
        return Verdict("invalid", reason=why, flags=(*repeated.flags, REASKED))
    said = "\n\n".join(text for text in (first.text.strip(), second.text.strip()) if text)
    return Verdict(repeated.winner, repeated.p_first, said, (*repeated.flags, REASKED))


def _read(reply: Reply, parse: Parse) -> Verdict:
    fault = unusable(reply)
    return Verdict("invalid", reason=fault) if fault else parse(reply.text)
