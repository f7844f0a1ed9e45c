"""What a crash may have lost: the calls under way, not what a conversation still had reserved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scripted_runs import ScriptedJudge, create, killed, run

from arena_tui.judging.base import Desk as JudgingDesk
from arena_tui.judging.base import Question, Reply, Usage
from arena_tui.store.reader import Reader

TURNS, CALL = 5, Usage(input_tokens=90, output_tokens=10, usd=0.01)


class Conversation(ScriptedJudge):
    """Five calls a question, each known to cost what it may cost at most."""

    def __init__(self, before: Callable[[Question, int], None] = lambda question, turn: None) -> None:
        super().__init__(worst=lambda _: CALL)
        self._before = before

    def worst_case(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        left = TURNS - len(replies)
        return Usage(90 * left, 0, 10 * left, 0.01 * left)

    def at_stake(self, question: Question, replies: Sequence[Reply] = ()) -> Usage:
        return CALL if len(replies) < TURNS else Usage()

    def answered(self, question: Question, replies: Sequence[Reply]) -> bool:
        return len(replies) >= TURNS

    async def ask(self, question: Question, desk: JudgingDesk) -> None:
        while (turn := len(desk.replies)) < TURNS:
            self._before(question, turn)
            desk.keep(Reply(self.say(question), CALL, turn=turn))
            await desk.saved()


def test_a_killed_conversation_loses_one_call_and_not_the_turns_to_come(db: Path) -> None:
    create(db, limits={"matches": 6, "usd": 5, "concurrency": 1, "lookahead": 1})
    image = db.with_name("image.db")

    def dies(question: Question, turn: int) -> None:
        if (question.seq, turn) == (2, 2):
            killed(db, image)

    run(db, Conversation(dies))
    ended = run(image, Conversation())
    assert ended.reason == "BUDGET"
    with Reader(image) as reader:
        spent = reader.spent()
    assert spent.calls == 6 * TURNS, "the turns that were held are not held again"
    assert spent.tokens == 6 * TURNS * 100 + 100
    assert round(spent.usd or 0.0, 6) == 6 * TURNS * 0.01 + 0.01
