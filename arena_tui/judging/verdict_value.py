"""Reads the label in what stands after a verdict's phrase: exactly one, named and not taken back.

Decoration (bold, brackets, boxes, an emoji), a noun ("idea 2") and a remark after the label are
understood. Anything else (two labels, a negation, a number that is no label, a label glued to a word) is
no verdict. Values are folded (`verdict_text.fold`), and every pattern takes time linear in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from arena_tui.judging.verdict_text import fold

Decided = Literal["first", "second", "draw"]

NO_LABEL = "the verdict names no label that was offered"
BOTH = "the verdict names both labels"
UNCLEAR = "the words after the verdict's label leave it unclear"
EMPTY = "the verdict line is empty"
NO_DRAW = "the verdict is a draw, which was not offered"

_LATEX = r"\\(?:boxed|fbox|text(?:bf|it|rm|tt|sf)?|math(?:bf|rm|it|sf|tt)|emph|underline)\s*\{|\\[(\[,;! ]"
_HTML = r"</?(?:b|strong|em|i|u|p|center|mark|span|div|h[1-6])>"
_EMOJI = "(?![❌✖✗✘❎🚫⛔👎🥈🥉❶-➓])[\u2600-\u27bf\U0001f000-\U0001faff]"
DECORATION = rf"[\s*_#(\[{{}}$]|{_LATEX}|{_HTML}|{_EMOJI}"
"""Pattern of one mark that means nothing before a phrase or a label."""
_NOUN = (
    r"(?:ideas?|options?|candidates?|hypothes[ie]s|hyp|answers?|texts?|responses?|outputs?|proposals?|"
    r"plans?|assistants?|models?|choices?|labels?|solutions?|submissions?|entry|entries|essays?|"
    r"arguments?|numbers?|position|slot)"
)
_BEFORE = re.compile(
    rf"(?:{DECORATION}|[\"'“”‘’«»`:]|<(?=[^<>]{{1,60}}>)|"
    rf"(?:the|clearly|definitely|slightly|narrowly|{_NOUN})\b|no\.\s)*+",
    re.IGNORECASE,
)
_MARKS = re.compile(rf"(?:{DECORATION}|[\"'“”‘’«»`:]|<(?=[^<>]{{1,60}}>))*+")
_CLOSERS = re.compile(rf"(?:[\s*_)\]}}。$\"'”’»`>]|\\[)\]]|{_HTML}|{_EMOJI})*+", re.IGNORECASE)
_GLUED = re.compile(r"[-+−]\S|['’]\w|[.,:]\d|<(?!/)|[/⁄%°^~|&=?+]")
_REMARK = re.compile(
    r"[.,;:!、(\[—–]|[-|]\s|(?:over|beats)\s|"
    r"(?:because|since|due|given|thanks|overall|slightly|clearly|strongly|narrowly|marginally|although|"
    r"though|but|however|wins|rather\s+than|instead\s+of|(?:in|on|by|for|with|as)\s+(?!\d)|"
    r"is\s+(?:\w+\s+)?(?:the\s+)?(?:better|stronger|preferable|superior|best))(?!\w)",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"[\s*_)\]}\"'”’»`]*+(?:,\s*)?(?:and|or|&)(?!\w)", re.IGNORECASE)
_SET_ASIDE = re.compile(
    r"\b(?:not|over|beats|instead\s+of|(?:rather|better|stronger)\s+than)\s+"
    rf"(?:the\s+)?(?:{_NOUN}\s+)?[#*(\"'“]*$",
    re.IGNORECASE,
)
_SET_ASIDE_WIDTH = 60  # characters before a label that can set it aside
_TAKEN_BACK = re.compile(
    r"(?:\b(?:not?|never|hardly|barely)|n['’]t)\s++(?:\w++\s++)?(?:better|stronger|over|beats|really)\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\W*+(?:not|no|never|neither|none|nobody|nothing|both|either|unclear|undecided|unknown|impossible|"
    r"hard|cannot|can['’]t)\b",
    re.IGNORECASE,
)
_DRAW_LEAD = re.compile(r"(?:(?:it['’]s|it\s+is|they\s+are)\s+)?(?:an?\s+|the\s+)?", re.IGNORECASE)
_AFTER_ORDINAL = re.compile(rf"\s+(?:{_NOUN}|one)\b", re.IGNORECASE)
_ARTICLE_GOES_ON = re.compile(r"\s[a-z]")
_BOXED = re.compile(r"(?<=[^\s:]):\s*(\[\[[^\[\]]{1,60}\]\])[.*_\s]*$")
_THE = re.compile(r"\bthe\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A decided value, or why it is none. `bare`: nothing but the label. `refused`: a plain no."""

    winner: Decided | None
    reason: str = ""
    bare: bool = False
    refused: bool = False


class Menu:
    """The labels and draw words of one prompt, ready to be found. Make it with `menu`.

    With the labels 1 and 2 the letters A and B and the words one, two, first, second stand for them
    too; with A and B the words first and second; no other labels have stand-ins.
    """

    def __init__(self, labels: tuple[str, str], draws: bool, draw_words: tuple[str, ...]) -> None:
        first, second = (fold(label).strip() for label in labels)
        sides: dict[str, Decided] = {first.casefold(): "first", second.casefold(): "second"}
        if len(sides) < 2 or "" in sides:
            raise ValueError(f"a verdict needs two different labels, got {labels!r}")
        self._own = dict(sides)
        self._words: dict[str, Decided] = {}
        if sides.keys() == {"1", "2"}:
            self._words |= {"one": sides["1"], "two": sides["2"]}
            sides |= {"a": sides["1"], "b": sides["2"]}
        if sides.keys() >= {"a", "b"} and self._own.keys() <= {"1", "2", "a", "b"}:
            self._words |= {"first": "first", "second": "second"}
        self._sides = sides
        self._draws = draws
        names = any_of({*sides, first, second})
        self._label = re.compile(rf"{names}(?![^\W_])")
        self._mention = re.compile(rf"(?<![^\W_])(?<!\d[.,/]){names}(?:st|nd)?(?![^\W_]|[.,/]\d)")
        self._not_other = re.compile(rf"(?i:[\s,]*\bnot\s+(?:the\s+)?(?:{_NOUN}\s+)?)[#*(]*{names}(?!\w)")
        self._ranking = re.compile(
            rf"(?P<box>\[\[)?\s*(?P<left>{names})\s*(?P<sign>>{{1,2}}|=)\s*(?P<right>{names})\s*(?:\]\])?[.*_\s]*"
        )
        self._word = re.compile(rf"{any_of(self._words)}(?![\w-])") if self._words else None
        ways = {fold(word).strip() for word in draw_words} - {""}
        self._draw = re.compile(rf"{any_of(ways)}(?!\w|-\w)") if ways else None

    def read(self, value: str) -> Reading:
        """What a folded value says, for instance `**2** (slightly)`."""
        ranking = self._ranking.fullmatch(value.strip(" \t*_"))
        if ranking:
            return self._ranked(ranking)
        boxed = _BOXED.search(value)
        if boxed:  # "text A is better: [[A>B]]": both halves have to agree
            said, box = self.read(value[: boxed.start()]), self.read(boxed[1])
            if said.winner == box.winner or said.reason == EMPTY:
                return box
        at = _end(_BEFORE, value)
        if not value[at:].strip("*_.… \t"):
            return Reading(None, EMPTY)
        draw = self._draw.match(value, _end(_DRAW_LEAD, value, at)) if self._draw else None
        if draw:
            return self._drawn(value[draw.end() :])
        label = self._label.match(value, _end(_MARKS, value)) or self._label.match(value, at)
        if label and not _article(label[0], value[label.end() :]):
            return self._named(self._side(label[0]), value[label.end() :])
        word = self._word.match(value, at) if self._word else None
        if word:
            return self._worded(self._words[word[0].casefold()], value[:at], value[word.end() :])
        return Reading(None, NO_LABEL, refused=_REFUSED.match(value) is not None)

    def exact(self, label: str) -> Reading:
        """What a folded label alone says; no stand-in and no remark is understood."""
        side = self._own.get(label.casefold())
        if side:
            return Reading(side, bare=True)
        if self._draw and self._draw.fullmatch(label):
            return self._a_draw(bare=True)
        return Reading(None, NO_LABEL)

    def _side(self, mention: str) -> Decided:
        name = mention.casefold()
        return self._sides[name] if name in self._sides else self._sides[name[:-2]]  # 1st, 2nd

    def _a_draw(self, bare: bool) -> Reading:
        return Reading("draw", bare=bare) if self._draws else Reading(None, NO_DRAW, refused=True)

    def _ranked(self, ranking: re.Match[str]) -> Reading:
        left, right = self._side(ranking["left"]), self._side(ranking["right"])
        if left == right:
            return Reading(None, NO_LABEL)
        if ranking["sign"] == "=":  # [[A=B]] is a known way to say tie; a bare 1 = 2 may mean anything
            return self._a_draw(bare=True) if ranking["box"] else Reading(None, BOTH)
        return Reading(left, bare=True)

    def _drawn(self, tail: str) -> Reading:
        named: set[Decided] = set()
        for found in self._mentions(tail):
            named.add(self._side(found[0]))
            if len(named) == 2:
                break
        fault = BOTH if len(named) == 1 else _tail_fault(tail)
        return Reading(None, fault) if fault else self._a_draw(_is_bare(tail))

    def _named(self, side: Decided, tail: str) -> Reading:
        for found in self._mentions(tail):
            start = found.start()
            other = self._side(found[0]) != side
            if other and not _SET_ASIDE.search(tail, max(0, start - _SET_ASIDE_WIDTH), start):
                return Reading(None, BOTH)
        if _ALTERNATIVE.match(tail):
            return Reading(None, BOTH)
        fault = _tail_fault(tail[_end(self._not_other, tail) :])
        return Reading(None, fault) if fault else Reading(side, bare=_is_bare(tail))

    def _worded(self, side: Decided, before: str, tail: str) -> Reading:
        """An ordinal counts alone, with its noun or a bracket, or after "the"; else it is any word."""
        rest = tail[_end(_AFTER_ORDINAL, tail) :]
        if _is_bare(rest) or rest.lstrip().startswith("(") or _THE.search(before):
            return self._named(side, rest)
        return Reading(None, NO_LABEL)

    def _mentions(self, tail: str) -> Iterator[re.Match[str]]:
        """Labels in a remark. A lone letter counts when it is a capital and no article."""
        for found in self._mention.finditer(tail):
            letter = found[0]
            article = letter == "A" and _ARTICLE_GOES_ON.match(tail, found.end())
            if len(letter) > 1 or not letter.isalpha() or (letter.isupper() and not article):
                yield found


@lru_cache(maxsize=64)
def menu(labels: tuple[str, str], draws: bool, draw_words: tuple[str, ...]) -> Menu:
    """The menu of a prompt. ValueError when the labels are not two different words."""
    return Menu(labels, draws, draw_words)


def any_of(words: Iterable[str]) -> str:
    """A pattern for the longest of several words, in either case of the Latin alphabet only: without
    that limit Python's patterns take a dotless i for an i."""
    return "(?ai:" + "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w))) + ")"


def _tail_fault(tail: str) -> str:
    """Why the words after a label leave it unclear, or nothing."""
    if tail and (_GLUED.match(tail) or unicodedata.category(tail[0])[0] == "M" or "~~" in tail):
        return UNCLEAR
    rest = tail[_end(_CLOSERS, tail) :]
    if not rest.strip(". \t\\"):
        return ""
    return "" if _REMARK.match(rest) and not _TAKEN_BACK.search(rest) else UNCLEAR


def _is_bare(tail: str) -> bool:
    return not tail[_end(_CLOSERS, tail) :].strip(".!*_ \t\\")


def _article(label: str, tail: str) -> bool:
    """A small letter that begins a phrase ("a tie") is an article, not a label."""
    return len(label) == 1 and label.islower() and re.match(r"\s+\w", tail) is not None


def _end(pattern: re.Pattern[str], text: str, at: int = 0) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
