"""Reads a judge's verdict out of its reply. Pure, total and linear: any text gives a verdict, at worst
`invalid`, and only a contract line (or a JSON object that ends the reply) can give a winner.

The rules, in order: reasoning blocks do not count and must be closed; fenced blocks and comments do not
count; quotations count only when nothing else does and the reply ends with one; of several contract lines
the last decides, whatever the earlier ones say, and if it cannot be read nothing takes its place. Which
words make a contract line is a `Contract`: arena's own, or the one that recorded replies end with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from arena_tui.conventions import CONTRACT
from arena_tui.errors import UsageError
from arena_tui.judging.base import Verdict
from arena_tui.judging.verdict_json import verdict_objects
from arena_tui.judging.verdict_lines import (
    MOST_CLAIMS,
    OBEYED,
    Phrases,
    contradicted,
    line_claims,
    phrases_of,
)
from arena_tui.judging.verdict_text import CUT_OFF, Page, Unreadable, fold, page, spoken
from arena_tui.judging.verdict_value import Menu, Reading, menu
from arena_tui.values import nearest, shown

CONFLICTING = "conflicting verdicts"
"""Flag: an earlier contract line of the reply names another winner."""
IN_QUOTATION = "verdict in a quotation"
"""Flag: the only contract line is a block quote or stands in quotation marks."""
SCORES_DISAGREE = "scores contradict the verdict"
"""Flag: the reply scores both texts and gives the loser more."""
NO_LABEL_ALONE = "the last line is not a label alone"
__all__ = ["CONFLICTING", "CONTRACTS", "CUT_OFF", "IN_QUOTATION", "SCORES_DISAGREE", "Contract"]
__all__ += ["contract_of", "parse_verdict"]

DRAW_WORDS = ("draw", "tie", "equal")
_JUDGMENT = ("verdict", "judgment", "judgement")
_SCORE = r"(?<!\w){label}\W{{0,4}}(?:[:=]|(?:scores?|gets)\b)\W{{0,4}}(\d{{1,3}}(?:\.\d{{1,3}})?)(?![\w.]*\d)"


@dataclass(frozen=True, slots=True)
class Contract:
    """How a judge was asked to end its reply.

    `line`: one of `phrases`, a colon and the label, on a line of its own (a JSON object with such a key
    will do). `label`: the label alone is the last line. `claim`: a sentence "PHRASE (label) is better",
    or that phrase and label as the whole reply; it can stand anywhere, so it is for replies that were
    recorded so, not for judges of one's own. `counts` says which of several such sentences decides.
    """

    form: Literal["line", "label", "claim"] = "line"
    phrases: tuple[str, ...] = ()
    counts: Literal["last", "first"] = "last"

    def __post_init__(self) -> None:
        if self.form != "label" and not any(phrase.strip() for phrase in self.phrases):
            raise ValueError(f"a contract of the form {self.form!r} needs a phrase")
        if self.form != "claim" and self.counts != "last":
            raise ValueError(f"in a contract of the form {self.form!r} the last line counts")


CONTRACTS: Mapping[str, Contract] = MappingProxyType(
    {
        CONTRACT: Contract(phrases=(CONTRACT, *_JUDGMENT)),
        "verdict": Contract(phrases=_JUDGMENT),
        "last-line digit": Contract("label"),
        "Output (a)": Contract("claim", ("Output",), "first"),
    }
)
"""The contracts by the names that `arena audit --contract` takes."""


def contract_of(chosen: Contract | str) -> Contract:
    """A contract by its name; UsageError names the nearest one."""
    if isinstance(chosen, Contract):
        return chosen
    if chosen in CONTRACTS:
        return CONTRACTS[chosen]
    near = nearest(chosen, CONTRACTS)
    known = f"did you mean {near!r}?" if near else f"known are {', '.join(map(repr, CONTRACTS))}"
    raise UsageError(f"there is no contract {shown(chosen)} ({known})")


def parse_verdict(
    text: str,
    *,
    labels: tuple[str, str] = ("1", "2"),
    draws: bool = True,
    draw_words: tuple[str, ...] = DRAW_WORDS,
    contract: Contract | str = CONTRACT,
) -> Verdict:
    """What a whole reply says of the texts labelled `labels[0]` (shown first) and `labels[1]`.

    `reason` is the reply word for word, or for `invalid` why it says nothing; `draw_words` count only
    with `draws`. Never raises for a text; ValueError for two equal labels, UsageError for an unknown
    contract. Whether the reply is whole (its stop reason) is for the caller to know.
    """
    rules, offered = contract_of(contract), menu(tuple(labels), draws, tuple(draw_words))
    try:
        said = spoken(text)
        if not said.strip():
            empty = "the reply is empty" if not text.strip() else "the reply holds no line that can be read"
            return Verdict("invalid", reason=empty)
        match rules.form:
            case "line":
                decided, flags = _by_lines(said, rules, offered)
            case "label":
                decided, flags = _by_last_line(page(said), offered)
            case "claim":
                decided, flags = _by_claims(said, rules, offered)
    except Unreadable as fault:
        return Verdict("invalid", reason=fault.reason, flags=fault.flags)
    if decided.winner is None:
        return Verdict("invalid", reason=decided.reason, flags=flags)
    if _scored_against(said, labels, decided.winner):
        flags = (*flags, SCORES_DISAGREE)
    return Verdict(decided.winner, reason=text, flags=flags)


def _by_lines(said: str, rules: Contract, menu: Menu) -> tuple[Reading, tuple[str, ...]]:
    phrases = phrases_of(rules.phrases)
    objects = list(verdict_objects(said, rules.phrases, menu))
    if objects and objects[-1].ends:
        *earlier, last = (found.reading for found in objects)
        return last, _conflict(last, [*earlier, *_said_before_object(said, phrases, menu)])
    sheet = page(said)
    claims = line_claims(sheet, phrases, menu)
    plain = [claim for claim in claims if not claim.quoted]
    if plain:
        final = plain[-1]
        flags = _conflict(final.reading, [found.reading for found in objects] + [c.reading for c in plain])
        if final.reading.winner and contradicted(sheet, final, phrases, menu):
            return Reading(None, "a later sentence contradicts the verdict line"), (CONFLICTING,)
        if final.reading.winner and flags and final.number != sheet.last:
            return Reading(None, "two verdict lines contradict each other and the reply goes on"), flags
        return final.reading, flags
    if claims and claims[-1].number == sheet.last and len(claims) < MOST_CLAIMS:
        return claims[-1].reading, (IN_QUOTATION,)
    if objects:
        return Reading(None, "the reply goes on after its JSON object"), ()
    return Reading(None, f"no line of the form '{rules.phrases[0]}: LABEL'"), ()


def _said_before_object(said: str, phrases: Phrases, menu: Menu) -> list[Reading]:
    """The contract lines of a reply that ends with an object: they can only conflict with it."""
    try:
        sheet = page(said)
    except Unreadable:  # the object's own texts may hold what opens a fence or a comment
        return []
    return [claim.reading for claim in line_claims(sheet, phrases, menu) if not claim.quoted]


def _conflict(last: Reading, others: list[Reading]) -> tuple[str, ...]:
    return (CONFLICTING,) if {reading.winner for reading in others} - {None, last.winner} else ()


def _by_last_line(sheet: Page, menu: Menu) -> tuple[Reading, tuple[str, ...]]:
    last = sheet.lines[-1] if sheet.lines else None
    if last is None or last.number != sheet.last or last.quoted:
        return Reading(None, NO_LABEL_ALONE), ()
    if last.obeyed:
        return Reading(None, OBEYED), ()
    reading = menu.exact(last.text.strip("*_. \t"))
    if reading.winner is None and not reading.refused:
        reading = Reading(None, NO_LABEL_ALONE)
    return reading, ()


@lru_cache(maxsize=16)
def _claim_patterns(phrases: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    named = rf"(?ai:{'|'.join(re.escape(phrase) for phrase in phrases)})\s+\(([^()\n]{{1,40}})\)"
    return re.compile(rf"(?<!\w){named}\s+is\s+better(?!\w)"), re.compile(rf"\W*{named}[.*_\s]*")


def _by_claims(said: str, rules: Contract, menu: Menu) -> tuple[Reading, tuple[str, ...]]:
    sentence, alone = _claim_patterns(rules.phrases)
    text = fold(said)
    whole = alone.fullmatch(text.strip())
    names = [whole[1]] if whole else [found[1] for found in sentence.finditer(text)]
    readings = [menu.exact(name.strip()) for name in names]
    if not readings:
        return Reading(None, f"no sentence '{rules.phrases[0]} (LABEL) is better'"), ()
    chosen = readings[-1] if rules.counts == "last" else readings[0]
    return chosen, _conflict(chosen, readings)


def _scored_against(said: str, labels: tuple[str, str], winner: str) -> bool:
    """Whether the reply gives both texts numbers ("idea 1 = 4, idea 2 = 9"), the loser the higher one."""
    last: list[float] = []
    for label in labels:
        found = re.findall(_SCORE.format(label=re.escape(label)), said)
        if not found:
            return False
        last.append(float(found[-1]))
    return (winner == "first" and last[0] < last[1]) or (winner == "second" and last[1] < last[0])
