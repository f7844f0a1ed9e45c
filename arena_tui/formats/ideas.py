"""How near two candidates' ideas are, and what that says for their meeting.

Rows are built when the first pair is asked for, from the initial pool and then candidate by candidate,
so that a resumed run, which adopts its plans without asking, gets the same values later on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from arena_tui.candidate import Candidate
from arena_tui.ratings.similarity import Lexical, Vectors


class Ideas:
    """Similarities by text hash: of the words (`lexical`), of vectors (`embedding`, `endpoint`), or `none`.

    Only grows, and a value never changes once it can be asked for: clones of a format share one.
    """

    def __init__(
        self,
        initial: Sequence[Candidate],
        *,
        similarity: Literal["lexical", "embedding", "endpoint", "none"],
        prefer: Literal["distant", "similar"],
    ) -> None:
        self._kind = similarity
        self._prefer = prefer
        self._initial = tuple(initial)
        self._later: list[Candidate] = []
        self._characters = sum(len(candidate.text) for candidate in initial)
        self._rows: Lexical | Vectors | None = None

    @property
    def characters_ahead(self) -> int:
        """Characters of text that the next question has to read first."""
        if self._rows is not None or self._kind != "lexical":
            return 0
        return self._characters

    def add(self, candidate: Candidate) -> None:
        """Admit a later candidate."""
        if self._rows is None:
            self._later.append(candidate)
            self._characters += len(candidate.text)
        else:
            _admit(self._rows, candidate)

    def cosine(self, one: Candidate, other: Candidate) -> float | None:
        """Cosine of the two, None where it is not known."""
        if self._kind == "none":
            return None
        if self._rows is None:
            self._rows = self._build()
        return self._rows.cosine(one.text_hash, other.text_hash)

    def affinity(self, one: Candidate, other: Candidate) -> float:
        """(1 - cosine) where distant ideas are preferred, (1 + cosine) otherwise, scaled into [0, 1].

        An unknown cosine counts as 0.
        """
        cosine = self.cosine(one, other) or 0.0
        if self._prefer == "similar":
            return (1.0 + cosine) / 2.0
        least = 0.0 if self._rows is None else self._rows.least
        return (1.0 - cosine) / (1.0 - least)

    def _build(self) -> Lexical | Vectors:
        rows: Lexical | Vectors
        if self._kind == "lexical":
            rows = Lexical({candidate.text_hash: candidate.text for candidate in self._initial})
        else:
            rows = Vectors({c.text_hash: c.embedding for c in self._initial if c.embedding is not None})
        for candidate in self._later:
            _admit(rows, candidate)
        return rows


def _admit(rows: Lexical | Vectors, candidate: Candidate) -> None:
    if isinstance(rows, Lexical):
        rows.add(candidate.text_hash, candidate.text)
    elif candidate.embedding is not None:
        rows.add(candidate.text_hash, candidate.embedding)
