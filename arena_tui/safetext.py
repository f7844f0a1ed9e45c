"""The only door for foreign text on its way to a screen: candidates, models, files, names, errors.

A terminal acts on escape sequences whichever widget prints them, so everything that comes from
outside passes `clean` (or, in chunks, a `Cleaner`) before it is shown, on a console as in plain lines.
A leaf module of the standard library; only `one_line`, which measures cells, imports rich, when called.
"""

from __future__ import annotations

import re
from typing import Literal

STRING_LIMIT = 4096  # characters an escape sequence may swallow before what follows is text again
MARKS_LIMIT = 8  # combining marks a character keeps in a line; more would climb over its neighbours

# Dropped: C0 but TAB, LF, CR and ESC; DEL and C1; direction marks and overrides, zero-width and invisible
# characters, line and paragraph separators, the byte order mark, tags. U+200C and U+200D stay: scripts
# and emoji need them. C1 introducers are dropped like the rest and start no sequence: text decoded with
# the wrong table is full of them, and without its introducer a sequence is harmless letters.
_DROPPED = (
    "\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f"
)
_SURROGATES = "\ud800-\udfff"  # halves of a pair, which JSON can smuggle in and no terminal can encode
_UNSAFE = re.compile(f"[{_DROPPED}{_SURROGATES}\r\x1b]")
_DROP = re.compile(f"[{_DROPPED}]")
_SURROGATE = re.compile(f"[{_SURROGATES}]")
_PARAMETERS = re.compile(r"[\x20-\x3f]*")
_INTERMEDIATES = re.compile(r"[\x20-\x2f]*")
_STRING_END = re.compile(r"[\x07\x18\x1a\x1b\x9c\n\r]")  # BEL, CAN, SUB, ESC (of ST), ST, end of line
_FOLDED = re.compile(r" *[\n\t][ \n\t]*")

_State = Literal["text", "esc", "charset", "csi", "string"]


class Cleaner:
    """`clean` for a stream: feeding any split of a text gives what `clean` gives for the whole.

    An escape sequence cut by the border of two chunks is still recognised. Nothing but the state is
    kept, and a sequence that is too long or unfinished at the end of its line becomes text again.
    """

    def __init__(self) -> None:
        self._state: _State = "text"
        self._room = 0  # characters the current sequence may still swallow
        self._after_cr = False

    def feed(self, chunk: str) -> str:
        """The safe part of `chunk`, as soon as it is known to be safe."""
        if not chunk:
            return ""
        if self._after_cr and chunk[0] == "\n":
            chunk = chunk[1:]  # the second half of a CRLF whose first half became the LF
            self._after_cr = False
            if not chunk:
                return ""
        if self._state == "text" and not _UNSAFE.search(chunk):
            self._after_cr = False
            return chunk
        kept: list[str] = []
        at, end = 0, len(chunk)
        while at < end:
            match self._state:
                case "text":
                    start, at = at, chunk.find("\x1b", at)
                    at = end if at < 0 else at
                    kept.append(_plain(chunk[start:at]))
                    if at < end:
                        at += 1
                        self._state = "esc"
                case "esc":
                    at = self._introducer(chunk, at)
                case "charset":
                    at = self._sequence(chunk, at, _INTERMEDIATES, "0")
                case "csi":
                    at = self._sequence(chunk, at, _PARAMETERS, "@")
                case "string":
                    at = self._string(chunk, at)
        self._after_cr = chunk[-1] == "\r"
        return "".join(kept)

    def close(self) -> str:
        """The end of the stream: an unfinished sequence is dropped, and nothing else was held back."""
        self._state, self._after_cr = "text", False
        return ""

    def _introducer(self, chunk: str, at: int) -> int:
        """The character after ESC; where to go on."""
        self._room = STRING_LIMIT
        char = chunk[at]
        if char == "[":
            self._state = "csi"
        elif char in "]PX^_":
            self._state = "string"
        elif "\x20" <= char <= "\x2f":
            self._state = "charset"
        else:
            self._state = "text"
            return at + ("\x30" <= char <= "\x7e")  # a two-character escape, or no escape at all
        return at + 1

    def _sequence(self, chunk: str, at: int, body: re.Pattern[str], lowest_final: str) -> int:
        """Go through a CSI or charset sequence up to its final character; where to go on."""
        found = body.match(chunk, at, at + self._room)
        stop = found.end() if found else at
        self._room -= stop - at
        if not self._room:
            self._state = "text"
        elif stop < len(chunk):
            self._state = "text"
            stop += lowest_final <= chunk[stop] <= "\x7e"
        return stop

    def _string(self, chunk: str, at: int) -> int:
        """Go through the body of an OSC, DCS, SOS, PM or APC string; where to go on."""
        limit = min(len(chunk), at + self._room)
        found = _STRING_END.search(chunk, at, limit)
        if found is None:
            self._room -= limit - at
            if not self._room:
                self._state = "text"
            return limit
        ender = found.group()
        self._state = "esc" if ender == "\x1b" else "text"
        return found.start() if ender in "\n\r" else found.end()


def _plain(text: str) -> str:
    """`text`, which holds no ESC, with LF line ends and without what is dropped."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _DROP.sub("", text))


def clean(text: str) -> str:
    """`text` without anything a terminal would act on; plain text comes back unchanged.

    Escape sequences vanish whole (at most 4,096 characters, never past the end of their line), CRLF
    and CR become LF, other controls and invisible or direction-changing characters are dropped, and
    half a surrogate pair becomes U+FFFD. TAB and LF stay.
    """
    return text if not _UNSAFE.search(text) else Cleaner().feed(text)


def one_line(text: str, cells: int) -> str:
    """`text` cleaned, on one line, at most `cells` terminal cells wide; what is cut ends in an ellipsis.

    Line ends and tabs become single spaces, and a character keeps at most 8 combining marks. The
    result may be narrower than `cells` but is not padded.
    """
    from rich.cells import cell_len, set_cell_size

    if cells < 1:
        return ""
    line = _few_marks(_FOLDED.sub(" ", clean(text)).strip(" "), cells)
    if cell_len(line) <= cells:
        return line
    return set_cell_size(line, cells - 1).rstrip(" ") + "\u2026"


def _few_marks(line: str, cells: int) -> str:
    """The start of `line`, wider than `cells` if `line` is, with at most MARKS_LIMIT marks a character.

    A mark is whatever takes no cell of its own, and what a joiner ties to an emoji. Joiners elsewhere
    are dropped: they hide the width of the next character from the measurement.
    """
    from rich.cells import get_character_cell_size

    if line.isascii():
        return line[: cells + 1]
    kept = [""]
    run = 0
    enough = (cells + 2) * (MARKS_LIMIT + 1)
    for char in line:
        if char == "\u200d":
            emoji = kept[-1] == "\ufe0f" or get_character_cell_size(kept[-1] or " ") == 2
            if not emoji or run + 2 > MARKS_LIMIT:
                continue
            run += 1
        elif kept[-1] == "\u200d" or not get_character_cell_size(char):
            run += 1
        else:
            run = 0
        if run <= MARKS_LIMIT:
            kept.append(char)
        if len(kept) > enough:
            break
    return "".join(kept)
