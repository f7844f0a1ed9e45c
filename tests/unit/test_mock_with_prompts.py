"""The mock provider answers the prompts that are shipped so that the readers of replies can read it."""

from __future__ import annotations

import json

import pytest

from arena_tui.conventions import CONTRACT, SCALE, fence
from arena_tui.judging import prompts
from arena_tui.judging.letters import letter_tokens, letters_in
from arena_tui.judging.verdict import parse_verdict
from arena_tui.providers.base import Message, Part, Request
from arena_tui.providers.mock import MockProvider
from arena_tui.providers.mock_prompt import understood
from arena_tui.providers.mock_stage import Faults, Stage
from arena_tui.providers.mock_text import MARK

GOOD = "Clearing senescent cells extends life in mice. A panel of experts may write a debate about it."
POOR = "Something should be done about ageing, and soon."
STAGE = Stage(strength={GOOD: 5.0, POOR: -5.0}.get)
ID = "0123456789abcdef" * 2
LABELS = [("1", "2"), ("K7", "Q2")]


def asked(name: str, labels=("1", "2"), swapped: bool = False, **values) -> Request:
    """The request that a shipped template makes."""
    template = prompts.load(name)
    shown = (POOR, GOOD) if swapped else (GOOD, POOR)
    known = {
        "task": "Which idea is the better one? Say so in JSON or in a debate.",
        "criteria": "- Novelty: is it new?",
        "guidance": "Look at what can be tested.",
        "prompt": fence("prompt", "-", ID, "How do we live longer?"),
        "first": fence("text", labels[0], ID, shown[0]),
        "first_review": fence("review", labels[0], ID, f"{CONTRACT}: {labels[0]}"),
        "second": fence("text", labels[1], ID, shown[1]),
        "second_review": "",
        "label_1": labels[0],
        "label_2": labels[1],
        "draws": True,
        "turns": "",
        "criterion": "Novelty",
        "criterion_text": "Is it new?",
        **values,
    }
    system, user = template.fill(**{name: known[name] for name in template.variables})
    return Request(system, (Message("user", user),), 2000, top_logprobs=20)


def again(request: Request, reply: str, labels, verdict: bool) -> Request:
    """The request that asks once more for the format."""
    values = {"label_1": labels[0], "label_2": labels[1], "verdict": verdict, "draws": verdict}
    words = prompts.load("reask").fill(**values)[1]
    messages = (*request.messages, Message("assistant", (Part(reply),)), Message("user", words))
    return Request(request.system, messages, 2000, top_logprobs=20)


async def answer(request: Request, stage: Stage = STAGE):
    return [event async for event in MockProvider("panel", stage).stream(request)][-1]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("name", ["pairwise", "debate_single_call"])
async def test_a_verdict_in_one_call_is_read_as_meant(name, labels, swapped):
    request = asked(name, labels, swapped)
    assert understood(request).kind == {"pairwise": "pairwise", "debate_single_call": "panel"}[name]
    done = await answer(request)
    assert parse_verdict(done.text, labels=labels).winner == ("second" if swapped else "first")


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", ["pairwise", "debate_single_call"])
async def test_a_draw_and_an_unreadable_verdict_are_read_as_meant(name, labels):
    drawn = await answer(asked(name, labels), Stage(draw_rate=1.0))
    assert parse_verdict(drawn.text, labels=labels).winner == "draw"
    for seed in range(12):
        odd = Stage(seed=seed, faults=Faults(unreadable=1.0))
        reply = await answer(asked(name, labels), odd)
        assert parse_verdict(reply.text, labels=labels).winner == "invalid", reply.text


@pytest.mark.parametrize("labels", LABELS)
async def test_a_debate_is_held_and_decided(labels):
    turns: list[str] = []
    steps = [
        (0, "opening"),
        (1, "opening"),
        (None, "questions"),
        (0, "answer"),
        (1, "answer"),
        (None, "verdict"),
    ]
    for side, purpose in steps:
        said = "\n".join(turns)
        if side is None:
            decides = purpose == "verdict"
            request = asked(
                "debate_judge", labels, turns=said, verdict=decides, may_ask=decides, tie_line=decides
            )
            assert understood(request).kind == ("judge" if decides else "questions")
            speaker = "judge"
        else:
            purposes = {name: name == purpose for name in ("opening", "rebuttal", "answer")}
            own, other = labels[side], labels[1 - side]
            request = asked("debate_advocate", labels, turns=said, own=own, other=other, **purposes)
            scene = understood(request)
            assert (scene.kind, scene.speaks_for, scene.turn) == ("advocate", side, len(turns))
            speaker = f"advocate-{own}"
        reply = (await answer(request)).text
        assert reply.startswith(MARK)
        expected = "first" if purpose == "verdict" else "invalid"
        assert parse_verdict(reply, labels=labels).winner == expected
        turns.append(fence("turn", speaker, f"{len(turns):032x}", reply))
    assert len(set(turns)) == len(steps)


@pytest.mark.parametrize("labels", LABELS)
async def test_scores_are_read_with_their_log_probabilities(labels):
    done = await answer(asked("score", labels))
    letters = letters_in(done.text, labels)
    assert letters[0] < "F" < "O" < letters[1]
    tokens = letter_tokens(done.logprobs, labels, letters)
    assert [token.strip() for token, _ in tokens] == list(letters)
    assert all(len(top) == 20 and {word.strip() for word, _ in top} & set(SCALE) for _, top in tokens)


@pytest.mark.parametrize("labels", LABELS)
async def test_asking_again_for_the_format_brings_the_bare_lines(labels):
    for name in ("pairwise", "debate_single_call"):
        done = await answer(again(asked(name, labels), "Both are good.", labels, verdict=True))
        assert done.text == f"{CONTRACT}: {labels[0]}"
    judge = asked(
        "debate_judge",
        labels,
        turns=fence("turn", "judge", "ab" * 16, "so"),
        verdict=True,
        may_ask=False,
        tie_line=True,
    )
    done = await answer(again(judge, "Both are good.", labels, verdict=True))
    assert done.text == f"{CONTRACT}: {labels[0]}"
    done = await answer(again(asked("score", labels), "Both are good.", labels, verdict=False))
    assert len(done.text.splitlines()) == 2
    assert letters_in(done.text, labels)[0] < letters_in(done.text, labels)[1]


async def test_a_rubric_is_answered_in_its_json():
    rationale = fence("reply", "-", ID, f"text 1 is better. {CONTRACT}: 1")
    graded = json.loads((await answer(asked("rubric", rationale=rationale))).text)
    assert list(graded) == ["verdict_clarity", "reasoning_quality", "order_independence", "why"]
    assert all(1 <= graded[key] <= 5 for key in list(graded)[:3])


async def test_an_overview_is_written_from_what_is_shown():
    request = asked(
        "overview",
        texts=f"Rank 1:\n{fence('text', '1', ID, GOOD)}\nRank 2:\n{fence('text', '2', ID, POOR)}",
        matches=f"match 3: text 1 beat text 2\n{fence('turn', '3', ID, 'because')}",
    )
    text = (await answer(request)).text
    assert text.startswith(MARK)
    assert "1: " in text
    assert "2: " in text
    assert "match 3" in text
    assert "match 12" not in text
