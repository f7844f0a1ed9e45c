"""What a written value may be: counts, finite numbers, lengths of time, yes or no, texts.

Files, tables and command lines write the same value in many ways ('32', 32, 30m). These functions
read them and say in one phrase what was expected; they raise `ValueError` with that phrase, and
whoever calls adds the place and the key. A leaf module that imports only the standard library.
"""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

HUGE = 10**15  # more than any count here can reach, and exact as a float
_WHOLE = re.compile(r"[+-]?\d{1,30}", re.ASCII)
_TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|sec|m|min|h|d)", re.ASCII | re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def shown(value: object, width: int = 60) -> str:
    """`value` as a message may print it: one short line, nothing that a terminal would obey."""
    match value:
        case None:
            return "nothing (null)"
        case bool():
            return "true" if value else "false"
        case str():
            return repr(value if len(value) <= width else value[: width - 1] + "…")
        case int() if abs(value) > HUGE:
            return "a number of more than 15 digits"
        case int() | float():
            return repr(value)
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
    return f"a {type(value).__name__}"


_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Mn", "Me"})  # classes of characters without ink
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that are drawn as nothing


def visible(words: str) -> bool:
    """True when `words` has a character that shows: not only blanks, controls, joiners and bare marks."""
    return any(unicodedata.category(char) not in _INVISIBLE and char not in _BLANKS for char in words)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 match, 2 matches; `many` is the plural where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The question that names the known word most like `word`; nothing where none is like it.

    For ids, files and other words in which dots mean nothing; `nearest` is for keys. `cutoff` is the
    least likeness, from 0 to 1.
    """
    near = difflib.get_close_matches(word, known, n=1, cutoff=cutoff)
    return f"did you mean {near[0]}?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, or None when none is; a dotted word also by its last part."""
    known = list(known)
    last = word.rpartition(".")[2]
    same_end = [name for name in known if name.rpartition(".")[2] == last]
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if same_end and close != [word]:
        return difflib.get_close_matches(word, same_end, n=1, cutoff=0.0)[0]
    if close:
        return close[0]
    ends = {name.rpartition(".")[2]: name for name in reversed(known)}
    close = difflib.get_close_matches(last, list(ends), n=1, cutoff=0.7)
    return ends[close[0]] if close else None


def whole_number(value: object, *, low: int = 0, high: int = HUGE) -> int:
    """A count: 32, 32.0 and '32', but neither 2.5 nor true."""
    number: int | None = None
    match value:
        case bool():
            pass
        case int():
            number = value
        case float() if value.is_integer():
            number = int(value)
        case str() if _WHOLE.fullmatch(value.strip()):
            number = int(value)
    if number is None or not low <= number <= high:
        bound = f"of at least {low}" if high == HUGE else f"from {low} to {high}"
        raise ValueError(f"expected a whole number {bound}, got {shown(value)}")
    return number


def finite_number(
    value: object, *, low: float | None = None, high: float | None = None, above: float | None = None
) -> float:
    """A finite number within the bounds (`above` is exclusive): 0.4, 4, '4e-1'; never true, NaN, inf."""
    number = _float(value)
    fits = (
        number is not None
        and math.isfinite(number)
        and (low is None or number >= low)
        and (high is None or number <= high)
        and (above is None or number > above)
    )
    if number is None or not fits:
        match (low, high, above):
            case (None, None, None):
                bound = ""
            case (_, None, None):
                bound = f" of at least {low:,.12g}"
            case (_, _, None):
                bound = (
                    f" from {low:,.12g} to {high:,.12g}" if low is not None else f" of at most {high:,.12g}"
                )
            case (_, None, _):
                bound = f" above {above:,.12g}"
            case _:
                bound = f" above {above:,.12g} and at most {high:,.12g}"
        raise ValueError(f"expected a finite number{bound}, got {shown(value)}")
    return number


def _float(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and "_" in value:
        return None  # Python would read 1_000
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def seconds(value: object, *, zero: bool = False) -> float:
    """A length of time in seconds: 90, '90', '90s', '30m', '1h 30m', '250ms'; above 0 unless `zero`."""
    number = _float(value)
    if number is None and isinstance(value, str):
        parts = _TIME.findall(value)
        if parts and not _TIME.sub("", value).strip():
            number = sum(float(size) * _SECONDS[unit.lower()] for size, unit in parts)
    if number is None or not math.isfinite(number) or number < 0 or (number == 0 and not zero):
        bound = "of at least 0" if zero else "above 0"
        raise ValueError(f"expected a length of time {bound} such as 90s, 30m or 2h, got {shown(value)}")
    return number


def flag(value: object) -> bool:
    """True or false, also written yes, no, on or off; never a number."""
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    match word:
        case "true" | "yes" | "on":
            return True
        case "false" | "no" | "off":
            return False
    near = did_you_mean(word, ("true", "false", "yes", "no", "on", "off"))
    raise ValueError(f"expected true or false, got {shown(value)}" + (f"; {near}" if near else ""))


def text(value: object, *, blank: bool = False) -> str:
    """A text. A whole number stands for its digits; any other number would lose how it was written."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= HUGE:
        return str(value)
    if isinstance(value, (float, bool)):
        raise ValueError(f"expected text, got {shown(value)}; put it in quotes")
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {shown(value)}")
    if not blank and not value.strip():
        raise ValueError("expected text, got an empty one")
    return value


def name(value: object) -> str:
    """An id or name: a text on one line, without control characters and without blanks around it."""
    word = text(value).strip()
    if any(ord(char) < 32 or ord(char) == 127 or char in "\u2028\u2029\x85" for char in word):
        raise ValueError(f"expected a name on one line without control characters, got {shown(word)}")
    if len(word) > 500:
        raise ValueError(f"expected a name of at most 500 characters, got {len(word)}")
    if not visible(word):
        raise ValueError(f"expected a name with a character that shows, got {word!a}")
    return word


def plain_data(value: Any, depth: int = 0) -> Any:
    """`value` as JSON can store it: mappings, lists, texts, finite numbers, true, false, null.

    Lone surrogates become U+FFFD, since no database or terminal can hold them.
    """
    match value:
        case None | bool():
            return value
        case str():
            return whole_text(value)
        case int():
            if abs(value) > 2**1024 - 1:
                raise ValueError("expected numbers of at most 300 digits")
            return value
        case float():
            return finite_number(value)
        case Mapping() | list() | tuple() if depth > 60:
            raise ValueError("expected data nested at most 60 levels deep")
        case Mapping():
            return {whole_text(str(key)): plain_data(item, depth + 1) for key, item in value.items()}
        case list() | tuple():
            return [plain_data(item, depth + 1) for item in value]
    raise ValueError(f"expected plain data (texts, numbers, lists, mappings), got {shown(value)}")


def whole_text(value: str) -> str:
    """`value` with lone surrogates, which UTF-8 cannot write, replaced by U+FFFD."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
