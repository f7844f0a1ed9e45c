"""What of a reply may carry a verdict: its own last lines, without reasoning, comments and fenced blocks.

Text that a judge shows (fences, quotations) is told apart from what it says, and each line is folded to
plain letters, so that the readers of lines and values need to know neither Markdown nor Unicode. Work is
bounded by `LIMIT`: a verdict stands at the end, and only so much of the end is looked at closely.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from arena_tui.safetext import clean

LIMIT = 24_000
"""Characters at the end of a reply, after its reasoning, in which the verdict must stand."""
CUT_OFF = "cut off"
"""Flag of a reply that ends inside a block it opened."""

_NAMES = "think|thinking|thought|reasoning|scratchpad"
_TAG = re.compile(rf"<(?P<close>/?)(?:{_NAMES})>|\[(?P<close2>/?)think\]", re.IGNORECASE)
_CLOSINGS = (*(f"</{name}>" for name in _NAMES.split("|")), "[/THINK]")
_OPENINGS = (*(f"<{name}>" for name in _NAMES.split("|")), "[think]", "```", "~~~", "<!--")
_END_TOKEN = re.compile(r"(?:\s{0,9}(?:<\|[a-z_]{2,20}\|>|</s>|<eos>|<end_of_turn>))+$")
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
_QUOTE_MARK = re.compile(r"[ \t]*>[> \t]*")
QUOTES = '"“”„‟«»‹›`「」『』'
"""Characters that make the words between them somebody else's; the apostrophe is too common to count."""
_OPENS_QUOTED = re.compile(rf"[\s*_]*[{QUOTES}'‘’]")
_OBEYED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # where `str.splitlines` ends a line
_EXPANSION = 4  # characters one may become; a few single ones stand for whole sentences
_STYLED = 1_000  # characters of a line with escape sequences that is cleaned of them to be recognised
_KEPT = 20_000  # folded characters remembered


class Unreadable(Exception):
    """No verdict can be read from the reply; the message says why."""

    def __init__(self, reason: str, *flags: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.flags = flags


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is no blank and stands in no fence: its number, its folded text without quote marks.

    `quoted`: a block quote, or it opens with a quotation mark or a backtick. `obeyed`: it holds controls,
    escapes or direction marks, by which a screen may show something else than what is written.
    """

    number: int
    text: str
    quoted: bool
    obeyed: bool


class Lines(Sequence[Line]):
    """The lines that count, in order, each made when it is asked for."""

    def __init__(self, raw: list[str], folded: list[str], numbers: list[int]) -> None:
        self._raw = raw
        self._folded = folded
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...

    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        number = self._numbers[at]
        return _line(number, self._raw[number], self._folded[number])

    def having(self, pattern: re.Pattern[str]) -> list[int]:
        """The places of the lines in which `pattern` occurs."""
        return [at for at, number in enumerate(self._numbers) if pattern.search(self._folded[number])]


@dataclass(frozen=True, slots=True)
class Page:
    """The lines that count, and the number of the last line of all that is no blank (-1: there is none)."""

    lines: Lines
    last: int


def spoken(text: str) -> str:
    """`text` without its reasoning blocks, from its end at most `LIMIT` characters of whole lines.

    A closing tag without an opening one ends reasoning that began with the reply. Raises Unreadable for
    reasoning that is never closed, and for a longer reply when what is left out opens blocks.
    """
    text = _without_end_tokens(text.rstrip()).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) <= LIMIT:
        return _without_reasoning(text)
    if not any(mark in text for mark in "<[`~"):
        return _last_lines(text)
    start = max((at + len(tag) for tag in _CLOSINGS if (at := text.rfind(tag)) >= 0), default=0)
    text = text[start:]
    if len(text) <= LIMIT:
        return _without_reasoning(text)
    head = text[:-LIMIT].lower()
    if any(mark in head for mark in _OPENINGS):
        raise Unreadable(f"the reply is longer than {LIMIT:,} characters and has blocks that hide its end")
    return _without_reasoning(_last_lines(text))


def _without_end_tokens(text: str) -> str:
    """`text` without the token that tells a model's server that it is done, where one leaks."""
    if not text.endswith(">"):
        return text
    found = _END_TOKEN.search(text, max(0, len(text) - 60))
    return text[: found.start()] if found else text


def _last_lines(text: str) -> str:
    return "".join(text[-LIMIT:].splitlines(keepends=True)[1:])


def _without_reasoning(text: str) -> str:
    kept: list[str] = []
    at, inside = 0, False
    for tag in _TAG.finditer(text):
        if tag["close"] or tag["close2"]:
            if not inside:
                kept.clear()  # everything so far was reasoning whose opening tag is not part of the reply
            inside, at = False, tag.end()
        elif not inside:
            kept.append(text[at : tag.start()])
            inside = True
    if inside:
        raise Unreadable("the reply ends inside its reasoning", CUT_OFF)
    kept.append(text[at:])
    return "\n".join(kept) if len(kept) > 1 else kept[0]


def page(text: str) -> Page:
    """The lines of what `spoken` left. Raises Unreadable for comments and fences that are never closed."""
    text = _without_comments(text)
    raw, folded = text.splitlines(), fold(text).split("\n")  # folding leaves no other line ends
    numbers: list[int] = []
    last, fence, fence_filled = -1, "", False
    for number, line in enumerate(raw):
        if not line or line.isspace():
            continue
        last = number
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if found and found["mark"].startswith(fence) and not found["info"].strip():
                fence = ""
            else:
                fence_filled = True
        elif found and not (found["mark"][0] == "`" and "`" in found["info"]):
            fence, fence_filled = found["mark"], False
        else:
            numbers.append(number)
    if fence and fence_filled:
        raise Unreadable("the reply ends inside a fenced block", CUT_OFF)
    if "\x1b" in text:
        for number in numbers:
            if "\x1b" in raw[number] and len(raw[number]) <= _STYLED:
                folded[number] = fold(clean(raw[number]))
    return Page(Lines(raw, folded, numbers), last)


def _line(number: int, raw: str, folded: str) -> Line:
    mark = _QUOTE_MARK.match(folded)
    text = folded[mark.end() :].strip() if mark else folded.strip()
    quoted = mark is not None or _OPENS_QUOTED.match(text) is not None
    return Line(number, text, quoted, _OBEYED.search(raw) is not None)


def _without_comments(text: str) -> str:
    """`text` with HTML comments blanked; its lines keep their numbers."""
    if "<!--" not in text:
        return text
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            raise Unreadable("the reply ends inside a comment", CUT_OFF)
        breaks = len((text[start:end] + ".").splitlines()) - 1
        kept += (text[at:start], "\n" * breaks or " ")
        at = end + 3
    return "".join((*kept, text[at:]))


class _Folded(dict[int, str]):
    """Code point to what it is folded to, filled as characters come. Single characters only: NFKC of a
    whole text also sorts combining marks, which takes quadratic time on a hostile one."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _BREAKS:
            folded = "\n"
        elif unicodedata.category(char) in ("Cf", "Cc") and char != "\t":
            folded = ""
        elif char in "\u034f\u20e3\u115f\u1160\u3164\uffa0" or "\ufe00" <= char <= "\ufe0f":
            folded = ""  # joiners, the keycap, fillers and variation selectors show nothing themselves
        else:
            folded = unicodedata.normalize("NFKC", char)
            folded = char if len(folded) > _EXPANSION else folded
        if len(self) < _KEPT:
            self[code] = folded
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """`text` in compatibility form (full width to plain, no-break to space), without invisible marks."""
    return text.translate(_FOLDED)
