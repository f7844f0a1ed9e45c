"""How the texts of one comparison are shown: fence ids nobody can guess, and labels that may be random.

Everything random is derived from the run's secret, so that the same comparison always looks the same. For
the cache of replies, `hide` puts placeholders in place of what is random, and `reveal` undoes it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from arena_tui.conventions import MOST_TURNS, TIE, FenceKind, fence
from arena_tui.judging.suspicions import suspicions

LabelChoice = Literal["auto", "digits", "random"]

DIGITS = ("1", "2")
_LETTERS = "CDFGHJKLMNPQRSTVWXZ"  # no A, B or vowels: no stand-ins for 1 and 2, and no words
_NUMBERS = "3456789"
_ID_BYTES = 16
_MARK, _MARK_END = "\ue000", "\ue001"  # private-use characters around the name of a placeholder
_PLACEHOLDER = re.compile(f"{_MARK}([^{_MARK}{_MARK_END}]{{1,3}}){_MARK_END}")
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Disguise:
    """What one comparison's texts are called and fenced with. Made by `disguise`.

    `text_id` fences the two texts and their reviews, `prompt_id` the group's prompt, in every comparison of
    the run alike, so that what comes before the texts can be shared. `turn_ids[n]` fences turn n of a
    debate: its speaker has seen the other ids, but not that one.
    """

    text_id: str
    prompt_id: str
    turn_ids: tuple[str, ...]
    labels: tuple[str, str]
    names: Mapping[str, str]
    """The name of the placeholder for each word that is random."""
    label_pattern: re.Pattern[str] | None
    """Finds random labels, in either case; None where there are none."""

    @property
    def fence_ids(self) -> tuple[str, ...]:
        """All ids, each different from the others."""
        return (self.text_id, self.prompt_id, *self.turn_ids)

    @property
    def has_random_labels(self) -> bool:
        """False: the texts are called 1 and 2."""
        return self.labels != DIGITS

    @property
    def tie(self) -> str:
        """What a verdict calls a draw: as unknown to the texts as their labels are."""
        return f"{TIE} ({', '.join(self.labels)})" if self.has_random_labels else TIE

    def fence(self, kind: FenceKind, label: str, body: str, *, turn: int | None = None) -> str:
        """`body`, unaltered, between fence lines; `turn` (from 0) for what was said in a debate."""
        if turn is not None:
            return fence(kind, label, self.turn_ids[turn], body)
        return fence(kind, label, self.prompt_id if kind == "prompt" else self.text_id, body)

    def hide(self, text: str) -> str:
        """`text` with placeholders for fence ids and random labels (as words, in either case)."""
        text = text.replace(_MARK, _placeholder("e"))
        if self.label_pattern is not None:
            text = self.label_pattern.sub(lambda found: _placeholder(self.names[found[0]]), text)
        for id in self.fence_ids:  # last: the names of placeholders could be labels, but hold no ids
            text = text.replace(id, _placeholder(self.names[id]))
        return text

    def reveal(self, text: str) -> str:
        """The inverse of `hide`, also for a text that the disguise of another run has hidden."""
        known = {name: word for word, name in self.names.items()}
        return _PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), text)


def disguise(
    secret: bytes,
    first: str,
    second: str,
    sample: int = 0,
    labels: LabelChoice = "auto",
    also: Sequence[str] = (),
) -> Disguise:
    """The disguise of `first` (shown first) and `second`; `also` is whatever foreign text is shown too.

    Ids are HMAC-SHA256 (cut to 128 bits, hex) under the run's secret, over both texts in order and the
    sample. No id and no random label occurs in any of the texts. `auto` takes random labels when anything in
    one of them is suspicious: what is hidden in it may be a verdict, and is not looked into.
    """
    texts = (first, second, *also)
    key = hmac.digest(secret, _packed(b"arena texts 1", first, second, str(sample)), "sha256")
    text_id, prompt_id = _unused_id(key, "texts", texts), _unused_id(secret, "arena prompt 1", texts)
    turn_ids = tuple(_unused_id(key, f"turn {turn}", texts) for turn in range(MOST_TURNS))
    random = labels == "random" or (labels == "auto" and any(suspicions(text) for text in texts))
    chosen = _random_labels(key, texts) if random else DIGITS
    names = {_MARK: "e", text_id: "t", prompt_id: "p"} | {id: f"t{n}" for n, id in enumerate(turn_ids)}
    pattern = None
    if random:
        for number, label in enumerate(chosen, 1):
            names |= {label: f"{number}", label.lower(): f"{number}s"}
        words = "|".join((*chosen, *(label.lower() for label in chosen)))
        pattern = re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])")
    return Disguise(text_id, prompt_id, turn_ids, chosen, names, pattern)


def _placeholder(name: str) -> str:
    return f"{_MARK}{name}{_MARK_END}"


def _unused_id(key: bytes, purpose: str, texts: Sequence[str]) -> str:
    ids = (_derived(key, f"{purpose} {attempt}").hex() for attempt in count())
    return next(id for id in ids if not any(id in text for text in texts))


def _random_labels(key: bytes, texts: Sequence[str]) -> tuple[str, str]:
    """Two labels such as K7 and Q4 that differ in letter and number and are no words of the texts."""
    taken = {word.casefold() for text in texts for word in _WORDS.findall(text)}
    chosen: list[str] = []
    for label in _label_stream(key):
        fresh = label.casefold() not in taken
        if fresh and not any(label[0] == other[0] or label[1] == other[1] for other in chosen):
            chosen.append(label)
        if len(chosen) == 2:
            return chosen[0], chosen[1]
    raise AssertionError("the stream of labels has no end")


def _label_stream(key: bytes) -> Iterator[str]:
    """Labels without end, longer ones after a while: texts that name all the short ones change nothing."""
    for attempt in count():
        noise = _derived(key, f"label {attempt}")
        pairs = 1 + attempt // 200
        yield "".join(
            _LETTERS[noise[2 * at] % len(_LETTERS)] + _NUMBERS[noise[2 * at + 1] % len(_NUMBERS)]
            for at in range(min(pairs, _ID_BYTES // 2))
        )


def _derived(key: bytes, purpose: str) -> bytes:
    return hmac.digest(key, purpose.encode(), "sha256")[:_ID_BYTES]


def _packed(purpose: bytes, *fields: str) -> bytes:
    """The fields with their lengths, so that no two lists of fields look alike."""
    parts = [purpose]
    for field in fields:
        data = field.encode("utf-8", "surrogatepass")
        parts.append(len(data).to_bytes(8, "big") + data)
    return b"".join(parts)
