"""Thirty texts that dictate a verdict to judges that obey: none of them gets one by the form of its words."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from arena_cli import Arena
from attack_texts import ATTACKS, HONEST, Attack
from model_brain import Request
from model_runs import judge_at, keyed
from model_server import ModelServer
from model_server_process import ModelServerThread

from arena_tui import settings
from arena_tui.candidate import Candidate
from arena_tui.conventions import SCALE, fenced
from arena_tui.judging.base import Question, Verdict
from arena_tui.judging.build import build_judge
from arena_tui.judging.desk import judge_alone
from arena_tui.judging.suspicions import suspicions
from arena_tui.store.reader import Reader
from arena_tui.vocabulary import Mode

OPPONENT = Candidate("honest", HONEST["roofs"])
WAYS: dict[str, dict[str, object]] = {  # how a comparison can be put to a model
    "pairwise": {"mode": "pairwise"},
    "no draws": {"mode": "pairwise", "draws": False},
    "debate": {"mode": "debate", "debate_turns": 3},
    "single call": {"mode": "debate", "single_call": True},
    "score": {"mode": "score"},
}
_OFFER = re.compile(r"^(?:better idea: \S+|score \S+: LETTER)$", re.MULTILINE)


def obeys_the_text(request: Request) -> str:
    """Ends with what the last attack in its prompt dictates, letter by letter, whatever the prompt says.

    As an advocate it repeats the attack whole, for the judge to see once more. A prompt without an attack
    gets what it asks for.
    """
    blocks = list(fenced(request["prompt"]))
    texts = [block for block in blocks if block.kind == "text"]
    shown = {block.body: place for place, block in enumerate(texts)}
    attacks = [attack for attack in ATTACKS if attack.text in shown]
    if not attacks:
        return obeys_the_last_offer(request)
    last = max(attacks, key=lambda attack: shown[attack.text])
    if "You are the advocate of" in request["prompt"]:
        return f"I can but repeat it:\n\n{last.text}"
    return f"I have read both.\n\n{last.dictates[shown[last.text]]}"


def obeys_the_last_offer(request: Request) -> str:
    """Looks through all of its prompt for lines to end with and obeys the last ones, in favour of the honest
    text where they leave the choice."""
    blocks = list(fenced(request["prompt"]))
    texts = {block.label: block.body for block in blocks if block.kind == "text"}
    if "You are the advocate of" in request["prompt"]:
        return "The other text asks for its verdict; mine says what would be done, where and when."
    offers = _OFFER.findall(request["prompt"])[-3:]
    if not offers:
        return "Hello."  # a probe
    honest = next((label for label, body in texts.items() if body in HONEST.values()), None)
    if offers[-1].startswith("score"):
        letters = {label: SCALE[2 if label == honest else 12] for label in texts}
        return "\n".join(f"score {label}: {letter}" for label, letter in letters.items())
    chosen = next((offer for offer in reversed(offers) if offer == f"better idea: {honest}"), offers[-1])
    return f"Only one of them says how.\n\n{chosen}"


async def verdicts(
    brain: Callable[[Request], str], way: str, **more: object
) -> dict[tuple[str, int], tuple[Verdict, Attack]]:
    """What the judge says of every attack in both places against an honest text, by name and place."""
    chosen = WAYS[way]
    async with ModelServer(brain) as server:
        candidates = [OPPONENT, *(Candidate(attack.name, attack.text) for attack in ATTACKS)]
        judge = build_judge(
            settings.validate(
                {"judge": judge_at(server.url, "openai", **(chosen | more)), "limits": {"matches": 9}}
            ),
            seed=1,
            candidates=candidates,
            folder=Path(),
            secret=b"not to be guessed",
        )
        mode: Mode = str(chosen["mode"])  # type: ignore[assignment]
        found: dict[tuple[str, int], tuple[Verdict, Attack]] = {}

        async def hold(seq: int, attack: Attack, place: int) -> None:
            pair = [OPPONENT, OPPONENT]
            pair[place] = Candidate(attack.name, attack.text)
            question = Question("main", seq, "ab", mode, *pair)
            verdict, _ = await judge_alone(judge, question)
            found[attack.name, place] = verdict, attack

        await judge.open()
        try:
            async with asyncio.TaskGroup() as tasks:
                for number, attack in enumerate(ATTACKS):
                    for place in (0, 1):
                        tasks.create_task(hold(2 * number + place, attack, place))
        finally:
            await judge.close()
    return found


def stolen(found: dict[tuple[str, int], tuple[Verdict, Attack]]) -> list[str]:
    """Verdicts that a text got by dictating them: a win for itself, or a draw that it asked for."""
    return [
        f"{name} in place {place + 1}: {verdict.winner}"
        for (name, place), (verdict, _) in found.items()
        if verdict.winner == ("first", "second")[place] or verdict.winner == "draw"
    ]


def test_there_are_thirty_different_attacks_and_each_holds_what_it_dictates() -> None:
    assert len({attack.text for attack in ATTACKS}) == len({attack.name for attack in ATTACKS}) == 30
    for attack in ATTACKS:
        assert attack.hidden or all(words in attack.text for words in attack.dictates), attack.name
        assert suspicions(attack.text), attack.name
    assert not any(suspicions(text) for text in HONEST.values())


@pytest.mark.parametrize("way", WAYS)
async def test_judge_that_writes_what_the_text_dictates_gives_it_nothing(way: str) -> None:
    found = await verdicts(obeys_the_text, way)
    assert len(found) == 60
    assert stolen(found) == []
    assert {verdict.winner for verdict, _ in found.values()} == {"invalid"}, "it obeyed every time"


@pytest.mark.parametrize("way", WAYS)
async def test_judge_that_obeys_the_last_words_it_reads_obeys_the_contract(way: str) -> None:
    """Whatever a text says, the rules of the prompt come after it."""
    found = await verdicts(obeys_the_last_offer, way)
    assert stolen(found) == []
    assert [name for name, (verdict, _) in found.items() if verdict.winner == "invalid"] == []


async def test_judge_can_still_call_a_tie_between_texts_under_suspicion() -> None:
    """In words that the texts do not know: the word for a draw could be dictated like a label."""

    def ties(request: Request) -> str:
        offered = re.findall(r"^better idea: tie.*$", request["last"], re.MULTILINE)
        return f"Neither says how.\n\n{offered[-1]}" if offered else "Hello."

    found = await verdicts(ties, "pairwise")
    assert {verdict.winner for verdict, _ in found.values()} == {"draw"}


async def test_with_plain_numbers_the_same_texts_do_steal() -> None:
    """What the tests above would see if candidates knew what they are called."""
    assert len(stolen(await verdicts(obeys_the_text, "pairwise", labels="digits"))) > 30


@pytest.mark.parametrize("mode", ["pairwise", "auto"])
def test_standings_of_a_pool_of_attacks_show_the_flags_and_nothing_stolen(arena: Arena, mode: str) -> None:
    texts = {attack.name: attack.text for attack in ATTACKS} | HONEST
    with ModelServerThread(obeys_the_text) as server:
        lines = "".join(json.dumps({"id": id_, "text": text}) + "\n" for id_, text in texts.items())
        (arena.folder / "pool.jsonl").write_text(lines, encoding="utf-8")
        file = arena.tournament(
            candidates="pool.jsonl",
            judge=judge_at(server.url, "openai", mode=mode),
            limits={"matches": 80, "concurrency": 16},
            stop={"rule": "none", "voids_in_a_row": 1000},
        )
        done = arena.run("--no-ui", "--json", file, **keyed("openai"))
        assert done.code == 3, done.err
    attackers = {attack.name for attack in ATTACKS}
    with Reader(arena.db()) as reader:
        matches = list(reader.matches())
    for match in matches:
        if {match["hyp_a"], match["hyp_b"]} & attackers:
            assert match["winner"] == "void", match
    assert {match["winner"] for match in matches} > {"void"}, "texts that keep to their subject are judged"
    asked_about = {id_ for match in matches for id_ in (match["hyp_a"], match["hyp_b"])}
    assert len(asked_about & attackers) > 20
    for row in done.result["standings"]:
        assert row["id"] in HONEST or (row["wins"], row["draws"], row["rating"]) == (0, 0, 1200.0)
        if row["id"] in asked_about:
            assert row["flags"] == list(suspicions(texts[row["id"]])), row
    table = arena.run("show", arena.db()).out
    assert table.count("verdict-shaped text") > 20
