"""How alike two texts are: TF-IDF cosine of their words, or the cosine of given vectors.

Rows are stored once per text hash, compactly, and a pair costs two row look-ups. Pure and
standard library only, so values do not depend on a linear algebra library; they are rounded to six
decimals, so that a last bit cannot change who is paired.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import mul

DECIMALS = 6
OPEN_TERMS = 100_000
"""Terms of rows kept open, about 8 MB. A closed row is 8 bytes a term; opening 500 terms costs 40 us."""

# Scripts that write without spaces count by character, everything else by word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


class Lexical:
    """TF-IDF over the words of `texts` (hash -> text).

    A row's weights are (1 + ln count) x idf, scaled to length 1, with idf = 1 + ln((1 + n) / (1 + df))
    over the initial `n` texts. Later texts are weighed by that same idf, so adding one changes no
    earlier value and the order of additions does not matter. Source: Salton and Buckley 1988.
    """

    least = 0.0
    """The smallest cosine there can be."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._terms: dict[str, int] = {}
        self._rows: dict[str, tuple[array[int], array[float]]] = {}
        self._open: dict[str, dict[int, float]] = {}
        self._open_terms = 0
        frequency: array[int] = array("i")
        counted: list[tuple[str, array[int], array[int]]] = []
        for hash_, text in texts.items():
            terms, counts = self._count(text)
            frequency.extend(repeat(0, len(self._terms) - len(frequency)))
            for term in terms:
                frequency[term] += 1
            counted.append((hash_, terms, counts))
        n = len(texts)
        self._idf_unseen = 1.0 + math.log(1.0 + n)
        self._idf = array("d", (1.0 + math.log((1.0 + n) / (1.0 + df)) for df in frequency))
        for hash_, terms, counts in counted:
            self._rows[hash_] = (terms, self._weigh(terms, counts))

    def add(self, hash_: str, text: str) -> None:
        """Admit a later text; one that is known already is left as it is."""
        if hash_ not in self._rows:
            terms, counts = self._count(text)
            self._rows[hash_] = (terms, self._weigh(terms, counts))

    def cosine(self, first: str, second: str) -> float | None:
        """Cosine in [0, 1]; None where one of the two is unknown or has no words."""
        row, other = self._opened(first), self._opened(second)
        if not row or not other:
            return None
        # fsum is exact, so the order in which common terms come does not matter.
        dot = math.fsum([row[term] * other[term] for term in row.keys() & other.keys()])
        return min(1.0, round(dot, DECIMALS))

    def _opened(self, hash_: str) -> dict[int, float] | None:
        """The row as weights by term. A small pool's rows all stay open, a large pool's take turns."""
        weights = self._open.get(hash_)
        if weights is None:
            row = self._rows.get(hash_)
            if row is None:
                return None
            weights = dict(zip(*row, strict=True))
            self._open_terms += len(weights)
            if self._open_terms > OPEN_TERMS:
                self._open.clear()
                self._open_terms = len(weights)
            self._open[hash_] = weights
        return weights

    def _count(self, text: str) -> tuple[array[int], array[int]]:
        """The text's term numbers, in order of first use, and how often each occurs."""
        words = Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
        known = self._terms
        terms = array("i", (known.setdefault(word, len(known)) for word in words))
        return terms, array("i", words.values())

    def _weigh(self, terms: array[int], counts: array[int]) -> array[float]:
        idf, unseen = self._idf, self._idf_unseen
        weights = [
            (1.0 + math.log(count)) * (idf[term] if term < len(idf) else unseen)
            for term, count in zip(terms, counts, strict=True)
        ]
        return _unit(weights, "f")


class Vectors:
    """Cosine of vectors that came with the pool (hash -> vector)."""

    least = -1.0
    """The smallest cosine there can be: of vectors of any sign."""

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._rows: dict[str, array[float]] = {}
        for hash_, vector in vectors.items():
            self.add(hash_, vector)

    def add(self, hash_: str, vector: Sequence[float]) -> None:
        """Admit a later vector; one that is known already is left as it is."""
        self._rows.setdefault(hash_, _unit(vector, "d"))

    def cosine(self, first: str, second: str) -> float | None:
        """Cosine in [-1, 1]; None for an unknown text, a zero vector, or unequal lengths."""
        row, other = self._rows.get(first), self._rows.get(second)
        if not row or not other or len(row) != len(other):
            return None
        return max(-1.0, min(1.0, round(math.fsum(map(mul, row, other)), DECIMALS)))


def _unit(values: Sequence[float], code: str) -> array[float]:
    """`values` scaled to length 1; empty for a vector without direction."""
    length = math.hypot(*values)
    if length == 0.0 or not math.isfinite(length):
        return array(code)
    return array(code, (value / length for value in values))
