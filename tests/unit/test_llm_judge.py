"""A language model as judge: what is stored and when, what failures mean, how it starts."""

from __future__ import annotations

from typing import Any

import pytest
from llm_bench import (
    MODES,
    PRICE,
    Ledger,
    Model,
    chosen,
    client_of,
    ended,
    fault,
    for_first,
    judge_of,
    mock,
    prompt_of,
    question,
    said,
    tokens_of,
)

from arena_tui.conventions import CONTRACT
from arena_tui.errors import JudgeError
from arena_tui.judging.base import Reply, Verdict
from arena_tui.judging.conversation import REASKED, RETRIED
from arena_tui.judging.desk import judge_alone
from arena_tui.judging.llm import LlmJudge
from arena_tui.judging.sitting import GIVEN_UP
from arena_tui.providers.base import Completion, ProviderError, Request, TokenLogprobs
from arena_tui.providers.pricing import cost

# What is stored, and when.


async def test_reply_is_stored_whole() -> None:
    done = Completion(f"Yes.\n{CONTRACT}: 1", "end_turn", tokens_of(Request((), (), 9), "x" * 8), model="m-1")
    judge, desk = judge_of(Model(lambda request, n: done)), Ledger()
    await judge.ask(question(), desk)
    (reply,) = desk.replies
    assert (reply.text, reply.stop_reason, reply.model, reply.failure) == (done.text, "end_turn", "m-1", "")
    assert (reply.turn, reply.sample, reply.attempt, reply.from_cache) == (0, 0, 1, False)
    assert reply.usage.usd == cost(done.tokens, PRICE)
    assert len(reply.request_hash) == 64
    assert judge.answered(question(), desk.replies)
    assert judge.read(question(), desk.replies) == Verdict("first", reason=done.text)
    status = judge.status()
    assert status is not None
    assert (status.model, status.sent, status.from_cache, status.limit.in_use) == ("llamacpp:test", 1, 0, 0)


async def test_every_reply_is_durable_and_the_rest_covered_before_it_shapes_the_next_call() -> None:
    desk = Ledger()
    await judge_of(Model(for_first)).ask(question("debate"), desk)
    turns = [f"keep {turn}.0.1" for turn in range(5)]
    assert desk.log == [turns[0], *(step for turn in turns[1:] for step in ("saved", "cover", turn))]


async def test_live_text_of_every_turn_is_shown_under_its_speaker() -> None:
    desk = Ledger()
    await judge_of(mock()).ask(question("debate"), desk)
    assert list(desk.shown) == ["advocate of 1", "advocate of 2", "judge"]
    assert desk.shown["judge"] == desk.replies[-1].text
    assert len({id(live) for _, live in desk.lives}) == 5, "one live text a turn, handed over again and again"


async def test_scores_after_the_first_are_asked_at_once() -> None:
    model = Model(for_first)
    desk = Ledger()
    await judge_of(model, n_evaluations=3).ask(question("score"), desk)
    assert (len(model.requests), model.most_streaming) == (6, 5)
    assert desk.log[:3] == ["keep 0.0.1", "saved", "cover"]
    assert sorted(reply.turn for reply in desk.replies) == list(range(6))


@pytest.mark.parametrize(("n", "calls"), [(1, 2), (2, 2), (3, 6), (4, 4)])
async def test_even_number_of_evaluations_is_halved_for_each_order(n: int, calls: int) -> None:
    model = Model(for_first)
    await judge_of(model, n_evaluations=n).ask(question("score"), Ledger())
    assert len(model.requests) == calls


async def test_probabilities_of_the_letters_alone_are_stored_and_decide() -> None:
    def say(request: Request, n: int) -> Completion:
        pieces = ["So", ".", "\nscore", " 1:", " B", "\nscore", " 2:", " B"]
        tops = {4: ((" B", -0.5), (" A", -1.0)), 7: ((" B", -0.5), ("T", -1.0))}
        tokens = tuple(
            TokenLogprobs(piece, -0.5, tops.get(at, ((piece, -0.5),))) for at, piece in enumerate(pieces)
        )
        return Completion("".join(pieces), "stop", logprobs=tokens)

    model, desk = Model(say, logprobs=True), Ledger()
    judge = judge_of(model, criteria={})
    await judge.ask(question("score"), desk)
    assert model.requests[0].top_logprobs == 20
    assert desk.replies[0].logprobs == (
        (" B", ((" B", -0.5), (" A", -1.0))),
        (" B", ((" B", -0.5), ("T", -1.0))),
    )
    verdict = judge.read(question("score"), desk.replies)
    assert verdict.winner == "first"


@pytest.mark.parametrize("mode", MODES)
async def test_probabilities_are_asked_for_only_for_scores_and_only_where_there_are_any(mode: Any) -> None:
    for known in (True, False, None):
        model = Model(for_first, logprobs=known)
        await judge_of(model).ask(question(mode), Ledger())
        wanted = mode == "score" and known is not False
        assert all((request.top_logprobs > 0) is wanted for request in model.requests)


async def test_unreadable_reply_is_asked_again_as_the_judges_own_turn() -> None:
    model = Model(lambda request, n: "Both are fine." if n == 1 else f"{CONTRACT}: 2")
    judge, desk = judge_of(model), Ledger()
    await judge.ask(question(), desk)
    assert said(desk.replies) == [(0, 0, 1, "stop"), (0, 1, 1, "stop")]
    assert [m.role for m in model.requests[1].messages] == ["user", "assistant", "user"]
    assert model.requests[1].messages[1].text == "Both are fine."
    assert "Reply with that line only" in model.requests[1].messages[2].text
    verdict = judge.read(question(), desk.replies)
    assert (verdict.winner, verdict.flags) == ("second", (REASKED,))


@pytest.mark.parametrize("draws", [True, False])
async def test_draws_are_neither_offered_nor_taken_where_they_are_off(draws: bool) -> None:
    model = Model(lambda request, n: f"{CONTRACT}: tie")
    verdict, _ = await judge_alone(judge_of(model, draws=draws), question())
    assert verdict.winner == ("draw" if draws else "invalid")
    assert (f"{CONTRACT}: tie" in prompt_of(model.requests[0])) is draws


async def test_single_call_holds_the_debate_in_one() -> None:
    model = Model(for_first)
    verdict, replies = await judge_alone(judge_of(model, single_call=True), question("debate"))
    assert (len(replies), verdict.winner) == (1, "first")
    assert "panel of experts" in prompt_of(model.requests[0])


# Failures.


async def test_every_failed_attempt_is_a_row_with_its_cost() -> None:
    def say(request: Request, n: int) -> str | ProviderError:
        if n == 1:
            return fault(
                "cut", "the reply broke off", partial="The fir", tokens=tokens_of(request, "The fir")
            )
        return fault("rate_limited", "too many requests (HTTP 429)") if n == 2 else for_first(request)

    judge, desk = judge_of(Model(say)), Ledger()
    await judge.ask(question(), desk)
    assert said(desk.replies) == [(0, 0, 1, RETRIED), (0, 0, 2, RETRIED), (0, 0, 3, "stop")]
    assert [reply.failure for reply in desk.replies] == [
        "the reply broke off",
        "too many requests (HTTP 429)",
        "",
    ]
    assert desk.replies[0].text == "The fir"
    assert (desk.replies[0].usage.usd or 0) > 0 == desk.replies[1].usage.usd
    assert desk.log == ["keep 0.0.1", "cover", "keep 0.0.2", "cover", "keep 0.0.3"]
    assert judge.read(question(), desk.replies).winner == "first"


@pytest.mark.parametrize(
    ("kind", "attempts"), [("server", 4), ("rejected", 1), ("too_long", 1), ("unknown", 1), ("timeout", 4)]
)
async def test_call_that_fails_for_good_makes_the_comparison_invalid(kind: Any, attempts: int) -> None:
    model = Model(lambda request, n: fault(kind, f"sentence about {kind}"))
    judge, desk = judge_of(model), Ledger()
    await judge.ask(question("debate"), desk)
    assert len(model.requests) == attempts
    assert [reply.stop_reason for reply in desk.replies] == [RETRIED] * (attempts - 1) + [GIVEN_UP]
    assert judge.answered(question("debate"), desk.replies)
    verdict = judge.read(question("debate"), desk.replies)
    assert verdict.winner == "invalid"
    assert verdict.reason.startswith(f"advocate of 1: sentence about {kind}")


async def test_refused_key_ends_the_run_and_the_same_call_is_made_on_resume() -> None:
    model = Model(lambda request, n: for_first(request) if n < 3 else fault("refused", "the key was refused"))
    judge, desk = judge_of(model), Ledger()
    with pytest.raises(JudgeError, match="the key was refused"):
        await judge.ask(question("debate"), desk)
    assert not judge.answered(question("debate"), desk.replies)
    assert said(desk.replies)[-1] == (2, 0, 1, RETRIED)
    model.say = for_first
    again = Ledger(desk.replies)
    await judge.ask(question("debate"), again)
    assert said(again.replies)[3:] == [(2, 0, 2, "stop"), (3, 0, 1, "stop"), (4, 0, 1, "stop")]


async def test_server_that_asks_for_an_hour_ends_the_run_instead_of_voiding_matches() -> None:
    model = Model(lambda request, n: fault("rate_limited", "too many requests", retry_after=3600.0))
    judge, desk = judge_of(model), Ledger()
    with pytest.raises(JudgeError, match="asks for a pause of 60 min"):
        await judge.ask(question(), desk)
    with pytest.raises(JudgeError, match="nothing was sent"):
        await judge.ask(question(seq=2), Ledger())
    assert (len(model.requests), judge.answered(question(), desk.replies)) == (1, False)


async def test_a_server_that_is_gone_ends_the_run_and_voids_nothing() -> None:
    """After all attempts, since every further comparison would meet the same."""
    model = Model(lambda request, n: fault("connection", "nothing listens there"))
    judge, desk = judge_of(model), Ledger()
    with pytest.raises(JudgeError, match="nothing listens there"):
        await judge.ask(question(), desk)
    assert len(desk.replies) > 1
    assert {reply.stop_reason for reply in desk.replies} == {RETRIED}
    assert not judge.answered(question(), desk.replies), "the same call is made again on a resume"


async def test_replies_under_way_are_kept_when_another_call_cannot_go_on() -> None:
    def say(request: Request, n: int) -> str | ProviderError:
        return fault("refused", "no credit") if n == 3 else for_first(request)

    judge, desk = judge_of(Model(say), n_evaluations=3), Ledger()
    with pytest.raises(JudgeError, match="no credit"):
        await judge.ask(question("score"), desk)
    assert len(ended(desk.replies)) == 5


async def test_attempts_go_on_counting_after_those_that_a_crash_may_have_lost() -> None:
    failed = Reply("", failure="HTTP 500", stop_reason=RETRIED, attempt=1)
    for stored, lost, number in (([], 0, 1), ([], 1, 2), ([failed], 1, 3)):
        desk = Ledger(list(stored), lost=lost)
        await judge_of(Model(for_first)).ask(question("debate"), desk)
        assert desk.replies[len(stored)].attempt == number
        assert [reply.attempt for reply in desk.replies[len(stored) + 1 :]] == [1] * 4
    gap = Reply("", failure="HTTP 500", stop_reason=RETRIED, attempt=2)  # the first attempt was lost
    desk = Ledger([gap], lost=2)
    await judge_of(Model(for_first)).ask(question(), desk)
    assert desk.replies[-1].attempt == 4


# The start.


async def test_key_and_model_are_proved_before_anything_is_planned() -> None:
    model = Model(for_first)
    model.probe_fault = fault("refused", "the key in LLAMA_API_KEY was refused (HTTP 401)")
    with pytest.raises(JudgeError, match="LLAMA_API_KEY"):
        await judge_of(model).open()
    model.probe_fault = fault("overloaded")
    await judge_of(model).open()
    assert model.requests == []


async def test_missing_probabilities_are_said_at_the_start_of_a_run_that_scores() -> None:
    model = Model(for_first, logprobs=False)
    judge = judge_of(model, mode="score")
    await judge.open()
    assert model.probes == [True]
    assert len(judge.notes) == 1
    assert "a score is the letter alone" in judge.notes[0]
    plain = judge_of(model)
    await plain.open()
    assert (model.probes, plain.notes) == ([True, False], ())


async def test_mock_is_not_probed_and_says_that_it_is_none() -> None:
    judge = LlmJudge(
        chosen(model={"model": "mock:panel"}), secret=b"", task="?", criteria={}, client=client_of(mock())
    )
    await judge.open()
    assert judge.label == "SIMULATED mock:panel"
    verdict, _ = await judge_alone(judge, question("debate"))
    assert verdict.winner == "first"


async def test_client_is_made_when_the_judge_is_opened_and_closed_with_it() -> None:
    model = Model(for_first)
    made = []

    async def connect() -> Any:
        made.append(client_of(model))
        return made[0]

    judge = LlmJudge(chosen(), secret=b"", task="?", criteria={}, client=connect)
    assert (made, judge.status()) == ([], None)
    assert not judge.answered(question(), [])
    assert judge.read(question(), [Reply(f"{CONTRACT}: 1", stop_reason="stop")]).winner == "first"
    await judge.open()
    await judge_alone(judge, question())
    await judge.close()
    assert model.closed
