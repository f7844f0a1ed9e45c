"""Finds contract lines: a phrase such as "better idea" at the start of a line, a separator, a label.

Before the phrase only decoration and words that lead up to a verdict may stand ("Therefore, my final
verdict:"), so that a sentence about a verdict is none. Works on lines as `verdict_text.page` gives them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from arena_tui.judging.verdict_text import QUOTES, Line, Page
from arena_tui.judging.verdict_value import BOTH, DECORATION, EMPTY, UNCLEAR, Decided, Menu, Reading

OBEYED = "the verdict line holds control or direction characters"
RUNS_ON = "the verdict line is part of a sentence about something else"

_LEAD_IN = """
    my our the this so thus hence therefore overall finally final ultimately consequently accordingly
    conclusion in summary short sum up to conclude after careful weighing consideration considering
    considered balance on based above given all things factors everything both ideas taken together for
    these reasons reason analysis evaluation comparison reflection second thought actually wait correction
    revised updated i we judge decide conclude choose answer decision result ruling choice assessment here
    is as such with that and now verdict judgment judgement it at end of day would say think believe opinion
    view pick output response reply winner i'd i'll i'm that's it's here's
"""
_LEADS = frozenset(_LEAD_IN.split())
MOST_CLAIMS = 64
_LEAD_WORDS = 24
_FORWARD = re.compile(rf"(?:[,.:;—–\-+•·)\]}}]|{DECORATION}|\d{{1,2}}[.)]\s)*+")
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]{1,2}(?![a-z]))?")
_FORMAL = re.compile(r"[\s*_)\]}]*+(?:(?ai:is)\s*+)?[*_]*+(?::|->|=>|→|⇒|=)")
_INFORMAL = re.compile(r"[\s*_)\]}]*+(?:(?ai:is)\b|[—–]|-(?=\s))")
_SENTENCE_END = re.compile(r"[.!?][*_)]*\s+")
_QUOTED = re.compile(rf"[{QUOTES}]")
_SPEAKS = re.compile(
    r"\b(?:says|said|contains?|contained|claims|claimed|wrote|writes|reads|quotes?|includes?|included|"
    r"planted|instructs|tells|states|(?:ends|ended|begins|began|starts|closes)\s+with)\b",
    re.IGNORECASE,
)
_OPENERS = (":", *QUOTES)
_GOES_ON = re.compile(rf"(?!(?:because|since|as|for|due)\b)[a-z]|[{QUOTES}]")


@dataclass(frozen=True, slots=True)
class Claim:
    """A contract line or object: where it stands and what it says. `quoted`: in someone's mouth."""

    number: int
    reading: Reading
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of a contract, ready to be found. Make it with `phrases_of`."""

    anywhere: re.Pattern[str]

    def after(self, text: str, at: int = 0) -> int | None:
        """Where the value part of a line begins: after the last phrase that is led up to from `at`."""
        found: int | None = None
        for _ in range(_LEAD_WORDS):
            step = _FORWARD.match(text, at)
            at = step.end() if step else at
            phrase = self.anywhere.match(text, at)
            if phrase:
                found = at = phrase.end()
                continue
            word = _WORD.match(text, at)
            if word is None or word[0].lower().replace("’", "'") not in _LEADS:
                break
            at = word.end()
        return found


@lru_cache(maxsize=64)
def phrases_of(phrases: tuple[str, ...]) -> Phrases:
    """Finders of phrases; a space in one also stands for an underscore or a hyphen."""
    ways = (r"[\s_*-]+".join(re.escape(word) for word in phrase.split()) for phrase in phrases)
    return Phrases(re.compile(rf"(?<![^\W_])(?ai:{'|'.join(ways)})(?![^\W_])"))


def line_claims(page: Page, phrases: Phrases, menu: Menu) -> list[Claim]:
    """What the last `MOST_CLAIMS` contract lines of a page claim, in order; one that cannot be read claims
    nothing usable."""
    claims = []
    for at in page.lines.having(phrases.anywhere)[-MOST_CLAIMS:]:
        line = page.lines[at]
        if line.text.startswith(("|", "~~")):
            continue  # a row of a table compares many things, and what is struck out is taken back
        claim = _claim(page.lines, at, line.number == page.last, phrases, menu)
        if claim is not None:
            claims.append(claim)
    return claims


def contradicted(page: Page, claim: Claim, phrases: Phrases, menu: Menu) -> bool:
    """Whether a later line names another winner in the middle of a sentence that quotes nobody."""
    for at in page.lines.having(phrases.anywhere)[-MOST_CLAIMS:]:
        line = page.lines[at]
        if line.number <= claim.number or line.quoted or _QUOTED.search(line.text):
            continue
        named: set[Decided | None] = set()
        for phrase in phrases.anywhere.finditer(line.text):
            separator = _FORMAL.match(line.text, phrase.end())
            reading = menu.read(line.text[separator.end() :]) if separator else None
            if reading is not None and reading.reason == BOTH:
                break  # the line speaks of what could be said, not of what is
            named.add(reading.winner if reading is not None else None)
        else:
            if named - {None} and claim.reading.winner not in named:
                return True
    return False


def _claim(lines: Sequence[Line], at: int, is_last: bool, phrases: Phrases, menu: Menu) -> Claim | None:
    line = lines[at]
    text = line.text.lstrip(f"{QUOTES}'‘’ ") if line.quoted else line.text
    begin = phrases.after(text)
    if begin is None:
        return _closing_sentence(line, phrases, menu) if is_last and not line.quoted else None
    separator = _FORMAL.match(text, begin)
    if separator is None:
        return _sentence(line, text, begin, menu) if is_last else None
    value = text[separator.end() :]
    reading = menu.read(value)
    if reading.reason == EMPTY:
        reading, heads = _next_line(lines, at, phrases, menu)
        if heads:
            return None
    if line.obeyed:
        reading = Reading(None, OBEYED)
    elif reading.winner and ((line.quoted and not reading.bare) or _runs_on(lines, at, is_last, phrases)):
        reading = Reading(None, RUNS_ON)
    elif reading.winner and at + 1 < len(lines) and _other_label(lines[at + 1], reading, menu):
        reading = Reading(None, BOTH)
    return Claim(line.number, reading, line.quoted)


def _sentence(line: Line, text: str, begin: int, menu: Menu) -> Claim | None:
    """The last line as a sentence without a colon: "The better idea is 2."; or the phrase and the label."""
    link = _INFORMAL.match(text, begin)
    reading = menu.read(text[link.end() if link else begin :])
    if not link and not reading.bare:
        return None
    if reading.winner is None and not reading.refused and reading.reason == EMPTY:
        return None
    return Claim(line.number, Reading(None, OBEYED) if line.obeyed else reading, line.quoted)


def _closing_sentence(line: Line, phrases: Phrases, menu: Menu) -> Claim | None:
    """The contract as the last sentence of the last line, with nothing but the label after it."""
    if _QUOTED.search(line.text):
        return None
    *_, last = phrases.anywhere.finditer(line.text)
    ends = [end.end() for end in _SENTENCE_END.finditer(line.text, 0, last.start())]
    begin = phrases.after(line.text, ends[-1]) if ends else None
    separator = _FORMAL.match(line.text, begin) if begin is not None else None
    if separator is None:
        return None
    reading = menu.read(line.text[separator.end() :])
    if not reading.bare:
        return None
    return Claim(line.number, Reading(None, OBEYED) if line.obeyed else reading)


def _next_line(lines: Sequence[Line], at: int, phrases: Phrases, menu: Menu) -> tuple[Reading, bool]:
    """The value of a line that ends with its separator; True when it only heads another contract line."""
    following = lines[at + 1] if at + 1 < len(lines) else None
    if following is None:
        return Reading(None, EMPTY), False
    if phrases.after(following.text) is not None:
        return Reading(None, EMPTY), True
    reading = menu.read(following.text)
    if not reading.bare or following.quoted or following.obeyed:
        return Reading(None, EMPTY), False
    after = lines[at + 2] if at + 2 < len(lines) else None
    if after is not None and menu.read(after.text).winner:
        return Reading(None, UNCLEAR), False
    return reading, False


def _runs_on(lines: Sequence[Line], at: int, is_last: bool, phrases: Phrases) -> bool:
    """Whether the lines around a contract line make it a quotation without marks."""
    before = lines[at - 1] if at else None
    after = lines[at + 1] if at + 1 < len(lines) else None
    introduces = before is not None and before.text.endswith(_OPENERS) and _SPEAKS.search(before.text)
    if before is not None and introduces and phrases.after(before.text) is None:
        return True
    if is_last or after is None or after.number > lines[at].number + 1:
        return False
    return _GOES_ON.match(after.text) is not None and phrases.after(after.text) is None


def _other_label(line: Line, chosen: Reading, menu: Menu) -> bool:
    """Whether a line is nothing but another label: a second verdict that lost its phrase."""
    reading = menu.read(line.text)
    return reading.bare and reading.winner != chosen.winner
