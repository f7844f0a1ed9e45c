"""What the mock provider says: short seeded prose about the two texts, quoting a few words of each.

Every piece of prose begins with SIMULATED, so that nobody takes it for a model's, wherever it ends up.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence

from arena_tui.conventions import CONTRACT, QUESTION, SCORE
from arena_tui.providers import mock_phrases as phrases
from arena_tui.providers.mock_prompt import Scene

MARK = "(SIMULATED)"
QUOTED_WORDS = (4, 8)  # least and most words of a quotation
QUOTED_CHARS = 60
_DANGLING = re.compile(
    r"a|an|and|are|as|at|by|for|from|in|into|is|its|of|on|or|than|that|the|to|we|with", re.IGNORECASE
)
_LISTED = re.compile(r"^\W*match #?(\d{1,9})\b.*$", re.IGNORECASE | re.MULTILINE)
_VALUE = re.compile(r'("(?:[^"\\\n]|\\.)*")(\s*:)?|[^\s{}\[\],:"]+(?:[^\n{}\[\],:"]*[^\s{}\[\],:"])?')

Pool = Sequence[str]


def quotation(text: str, rng: random.Random) -> str:
    """A few words of `text` in a row, from the start of a sentence, on one line."""
    sentences = [part.split() for part in re.split(r"[.!?;:\n]+", text[:4000])]
    whole = [words for words in sentences if len(words) >= QUOTED_WORDS[0]] or [w for w in sentences if w]
    if not whole:
        return "…"
    words = rng.choice(whole[:12])[: rng.randint(*QUOTED_WORDS)]
    while len(words) > 1 and (_DANGLING.fullmatch(words[-1]) or len(" ".join(words)) > QUOTED_CHARS):
        words = words[:-1]
    taken = " ".join(words)[:QUOTED_CHARS].strip(" ,\"'“”()[]<>*_#`-")
    return taken if taken and CONTRACT not in taken.casefold() else "…"


def advocacy(scene: Scene, rng: random.Random) -> str:
    """An advocate's turn: the case first, then questions and weaknesses, then answers. No verdict."""
    pools: tuple[Pool, ...]
    if scene.turn < 2:
        pools = (phrases.OPENING, phrases.ATTACK) if scene.turn else (phrases.OPENING,)
    else:
        pools = (phrases.REPLY, phrases.ATTACK) if scene.turn < 4 else (phrases.REPLY,)
    return f"{MARK} {_prose(scene, (*pools, phrases.CLOSING), scene.speaks_for, rng)}"


def questions(scene: Scene, rng: random.Random) -> str:
    """What the judge of a debate asks both sides, a line each. No verdict."""
    lines = [f"{QUESTION}: {_prose(scene, (phrases.QUESTIONS,), side, rng)}" for side in (0, 1)]
    return "\n".join([MARK, *lines])


def judgment(scene: Scene, winner: int | None, rng: random.Random, *, readable: bool) -> str:
    """A verdict with its reason: `winner` is the index of the better text, None for a draw."""
    line = f"{CONTRACT}: {scene.tie if winner is None else scene.labels[winner]}"
    if not readable:
        line = rng.choice(phrases.UNREADABLE).format(contract=CONTRACT)
    if scene.line_only:
        return line
    pool = phrases.LEVEL if winner is None else phrases.WEIGHING
    reason = _prose(scene, (pool,), winner or 0, rng)
    if scene.kind == "judge" and winner is not None:
        reason = f"{reason} {_prose(scene, (phrases.CLOSING,), winner, rng)}"
    if scene.kind == "panel":
        speeches = [
            f"Advocate of {scene.labels[side]}: {_prose(scene, pools, side, rng)}"
            for pools in ((phrases.OPENING, phrases.ATTACK), (phrases.REPLY,))
            for side in (0, 1)
        ]
        reason = "\n\n".join([*speeches, f"Judge: {reason}"])
    return f"{MARK} {reason}\n\n{line}"


def scores(scene: Scene, letters: Sequence[str], rng: random.Random, *, readable: bool) -> str:
    """One score line for each of the two texts, after a sentence about them."""
    lines = [f"{SCORE} {label}: {letter}" for label, letter in zip(scene.labels, letters, strict=False)]
    if not readable:
        lines = [f"{SCORE} {label}: somewhere in the middle" for label in scene.labels[:2]]
    said = "\n".join(lines)
    return said if scene.line_only else f"{MARK} {_prose(scene, (phrases.SCORING,), 0, rng)}\n\n{said}"


def overview(scene: Scene, rng: random.Random) -> str:
    """The case of every text that is shown, citing a match of its own from the list in the prompt."""
    if not scene.texts:
        return _remark(rng)
    listed = [(found[1], found[0]) for found in _LISTED.finditer(scene.instructions)]
    said = []
    for label, text in zip(scene.labels, scene.texts, strict=True):
        own = [number for number, line in listed if re.search(rf"\btext {re.escape(label)}\b", line)]
        cited = f" (match {rng.choice(own)})" if own else ""
        quote = quotation(text, rng)
        said.append(rng.choice(phrases.OVERVIEW).format(label=label, quote=quote, cited=cited))
    return "\n\n".join([MARK, *said])


def filled_json(scene: Scene, rng: random.Random) -> str:
    """A JSON object after the last example object in the prompt: its keys, with values of our own.

    A value in quotes becomes a remark, any other a whole number within the range it names, else 1 to 5.
    """
    for example in reversed(_objects(scene.instructions)):
        filled = _VALUE.sub(lambda found: _value(found, rng), example)
        try:
            return json.dumps(json.loads(filled))
        except ValueError:
            continue
    return json.dumps({"score": rng.randint(1, 5), "reason": _remark(rng)})


def _value(found: re.Match[str], rng: random.Random) -> str:
    """A key as it is, a value in quotes or a number of our own."""
    if found[2] is not None:
        return found[0]
    if found[1] is not None:
        return json.dumps(_remark(rng))
    numbers = [int(number) for number in re.findall(r"\d{1,6}", found[0])]
    low, high = (min(numbers), max(numbers)) if len(numbers) > 1 else (1, 5)
    return str(rng.randint(low, high))


def _remark(rng: random.Random) -> str:
    return f"{MARK} {rng.choice(phrases.REMARKS)}"


def _objects(text: str) -> list[str]:
    """The outermost `{...}` of a text, in order."""
    found, depth, start = [], 0, 0
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "{":
            start = brace.start() if not depth else start
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                found.append(text[start : brace.end()])
    return found


def _prose(scene: Scene, pools: Sequence[Pool], me: int, rng: random.Random) -> str:
    """A phrase from each pool, on the side of the text with the index `me`; none that was used before."""
    mine, yours = scene.texts[me], scene.texts[1 - me]
    plain = {
        "me": scene.labels[me],
        "you": scene.labels[1 - me],
        "words_me": str(len(mine.split())),
        "words_you": str(len(yours.split())),
    }
    said = []
    for pool in pools:
        fresh = [phrase for phrase in pool if _beginning(phrase, plain) not in scene.prompt]
        quoted = {"mine": quotation(mine, rng), "yours": quotation(yours, rng)}
        said.append(rng.choice(fresh or pool).format(**plain, **quoted))
    return " ".join(said)


def _beginning(phrase: str, plain: Mapping[str, str]) -> str:
    """A phrase up to its first quotation, or to the second if that is at once."""
    parts = phrase.split("“")
    return (parts[0] if len(parts[0]) > 20 else phrase.partition("”")[2].partition("“")[0]).format(**plain)
