"""What the tests of dialogues share: requests in a few words, replies by hand, a driver without money."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena_tui.conventions import CONTRACT
from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.conversation import Call, Dialogue
from arena_tui.judging.debate import Role, Speech
from arena_tui.judging.verdict import parse_verdict
from arena_tui.providers.base import Message, Part, Request

MAX_TOKENS = 50


def request(text: str) -> Request:
    return Request((), (Message("user", (Part(text),)),), MAX_TOKENS)


def said(text: str, turn: int = 0, sample: int = 0, **more: Any) -> Reply:
    """A whole reply."""
    return Reply(text, turn=turn, sample=sample, **{"stop_reason": "stop", **more})


def verdict(label: object = 1) -> str:
    return f"Because.\n\n{CONTRACT}: {label}"


def parse(text: str) -> Verdict:
    return parse_verdict(text)


def shown(call: Call) -> list[tuple[str, str]]:
    """The messages of a call as (role, text)."""
    return [(message.role, message.text) for message in call.request.messages]


def hold(dialogue: Dialogue, answer: Callable[[Call], str], replies: Sequence[Reply] = ()) -> list[Reply]:
    """Answer every call of a dialogue until it wants no more."""
    heard = list(replies)
    while calls := dialogue.next(heard):
        heard += [said(answer(call), call.turn, call.sample) for call in calls]
    return heard


class Words:
    """A debate's script: a request is who speaks, what for, and what was said before."""

    format_again = "the line only"

    def advocate(self, role: Role, said: Sequence[Speech]) -> Request:
        return request(f"{self.speaker(role)} {role.purpose}: {self._before(said)}")

    def judge(self, role: Role, said: Sequence[Speech], *, may_ask: bool) -> Request:
        return request(f"judge {role.purpose}{' may ask' * may_ask}: {self._before(said)}")

    def speaker(self, role: Role) -> str:
        return "judge" if role.side is None else f"advocate {role.side + 1}"

    def _before(self, said: Sequence[Speech]) -> str:
        return " | ".join(speech.text + "…" * speech.cut for speech in said)
