"""One sitting of one comparison with a model: makes the calls a dialogue wants and lays down every attempt.

The order of things is what makes a comparison resumable: a reply is durable before it shapes the next
call, a failed attempt lies on the desk before the next one is paid for, and whatever cuts the sitting off
leaves a prefix from which the dialogue goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from arena_tui.errors import JudgeError
from arena_tui.judging.base import Desk, OutOfBudget, Reply, Usage
from arena_tui.judging.conversation import RETRIED, Call
from arena_tui.judging.together import together
from arena_tui.judging.wording import Worded
from arena_tui.providers.base import ProviderError
from arena_tui.providers.client import Attempt, ModelClient
from arena_tui.providers.live_text import LiveText

GIVEN_UP = "failed"
"""Stop reason of a failed attempt after which nothing more is tried."""


class Sitting:
    """`worded` is the comparison as this model is asked; `meeting` says how often its pair was asked before.

    `worst_case` gives what may still be needed after the replies on the desk; `counted` hears of every
    reply that came.
    """

    def __init__(
        self,
        client: ModelClient,
        worded: Worded,
        desk: Desk,
        *,
        meeting: int,
        worst_case: Callable[[Sequence[Reply]], Usage],
        counted: Callable[[Attempt], None],
    ) -> None:
        self._client = client
        self._worded = worded
        self._desk = desk
        self._meeting = meeting
        self._worst_case = worst_case
        self._counted = counted
        self._busy: set[tuple[int, int]] = set()  # calls that are being answered

    async def hold(self) -> None:
        """Call until the dialogue wants no more.

        Raises JudgeError when the model cannot be used, and OutOfBudget, both after the replies under way
        have come.
        """
        dialogue, desk = self._worded.dialogue, self._desk
        calls, lost = dialogue.next(desk.replies), desk.lost
        while calls:
            stops = await together(
                self._hold(call, lost, shown=number == 0) for number, call in enumerate(calls)
            )
            for kind in (JudgeError, OutOfBudget):
                for stop in stops:
                    if isinstance(stop, kind):
                        raise stop
            calls, lost = dialogue.next(desk.replies), 0
            if calls:
                await desk.saved()
                await self._cover()

    async def _cover(self) -> None:
        """Everything that may still be needed, so that a conversation that goes on can also end."""
        await self._desk.cover(self._worst_case(self._desk.replies))

    async def _hold(self, call: Call, lost: int, *, shown: bool) -> None:
        """One call with all its attempts."""
        attempts = _Attempts(call, self._client.provider.name, self._desk)

        async def before() -> None:
            attempts.lay_down(RETRIED)
            await self._cover()

        def show(live: LiveText) -> None:
            if not live:  # an attempt begins
                self._under_way(call, True)
            if shown:
                self._desk.show(call.speaker, live, call.slot)

        def failed(attempt: Attempt) -> None:
            self._under_way(call, False)
            attempts.failed(attempt)

        self._under_way(call, False)
        try:
            attempt = await self._client.complete(
                self._worded.request(
                    call, self._sample(call), logprobs=self._client.provider.capabilities.logprobs
                ),
                sample=self._sample(call),
                first_attempt=_next_attempt(call, self._desk.replies, lost),
                hide=self._worded.hide,
                reveal=self._worded.reveal,
                on_text=show,
                on_attempt=failed,
                before=before,
            )
        except BaseException as error:
            attempts.lay_down(RETRIED)
            if isinstance(error, ProviderError):
                raise JudgeError(str(error)) from None
            raise
        if attempt.completion is None:
            gone = attempt.down or (attempt.fault is not None and attempt.fault.kind == "connection")
            attempts.lay_down(RETRIED if gone else GIVEN_UP)
            if gone:  # it says nothing of this comparison: the next one would meet the same
                raise JudgeError(str(attempt.fault))
            return
        self._busy.discard((call.turn, call.sample))
        self._counted(attempt)
        reply = self._worded.with_logprobs(attempts.reply(attempt), attempt.completion.logprobs)
        self._desk.keep(reply)
        if self._worded.dialogue.unreadable(self._desk.replies, reply):
            await self._client.forget(attempt.request_hash)

    def _under_way(self, call: Call, under_way: bool) -> None:
        """A call is being answered, or waits for a slot or its next attempt."""
        (self._busy.add if under_way else self._busy.discard)((call.turn, call.sample))
        self._desk.waits(not self._busy)

    def _sample(self, call: Call) -> int:
        """Which of the independent answers to this very request is wanted: none is served twice to a run."""
        return self._meeting * self._worded.repeats + call.repeat


class _Attempts:
    """The attempts at one call on their way to the desk.

    A failed one is held back until it is known whether another one follows: whoever reads the replies
    later has to tell a call that is open from one that was given up.
    """

    def __init__(self, call: Call, model: str, desk: Desk) -> None:
        self._call = call
        self._model = model
        self._desk = desk
        self._held: Attempt | None = None

    def failed(self, attempt: Attempt) -> None:
        """A failed attempt."""
        self.lay_down(RETRIED)
        self._held = attempt

    def lay_down(self, stop_reason: str) -> None:
        """Put what is held back on the desk: RETRIED when another attempt is to follow, now or later."""
        if self._held is not None:
            reply = self.reply(self._held)
            self._held = None
            self._desk.keep(replace(reply, stop_reason=stop_reason))

    def reply(self, attempt: Attempt) -> Reply:
        """An attempt as what is stored of it."""
        done, fault, tokens = attempt.completion, attempt.fault, attempt.tokens
        return Reply(
            done.text if done is not None else fault.partial if fault is not None else "",
            Usage(tokens.input, tokens.cached_input, tokens.output, attempt.usd),
            "" if done is not None else str(fault),
            turn=self._call.turn,
            sample=self._call.sample,
            attempt=attempt.number,
            stop_reason=done.stop_reason if done is not None else "",
            request_hash=attempt.request_hash,
            model=(done.model if done is not None else "") or self._model,
            from_cache=attempt.from_cache,
            seconds=attempt.seconds,
            speaker=self._call.speaker,
            slot=self._call.slot,
        )


def _next_attempt(call: Call, replies: Sequence[Reply], lost: int) -> int:
    """The number of a call's next attempt: after those on the desk, and those that a crash may have lost.

    `lost` counts sittings that ended in mid-call; numbers that are missing were given to such calls.
    """
    made = [r.attempt for r in replies if (r.turn, r.sample) == (call.turn, call.sample)]
    last = max(made, default=0)
    return last + 1 + max(0, lost - (last - len(made)))
