"""The texts of a comparison as a model gets them, whole or cut, with flags for what is odd about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from arena_tui.candidate import Candidate
from arena_tui.judging.long_texts import without_middle
from arena_tui.judging.suspicions import suspicions
from arena_tui.providers.estimates import estimated_tokens

if TYPE_CHECKING:
    from arena_tui import settings

MIDDLE_LEFT_OUT = "middle left out"


def shown(
    settings: settings.LlmJudge, first: Candidate, second: Candidate
) -> tuple[tuple[str, str], tuple[str, ...], str]:
    """The texts as the model sees them, flags for what is odd about them, and why they cannot be shown.

    A flag begins with the id of the candidate it speaks of, whichever slot it was shown in.
    """
    texts, flags, refusal = [], [], ""
    most = settings.max_text_tokens
    for candidate in (first, second):
        text = candidate.text
        found = dict.fromkeys((*suspicions(text), *suspicions(candidate.review or "")))
        if most is not None and estimated_tokens(text) > most:
            if settings.overflow == "refuse":
                size = f"about {estimated_tokens(text):,} tokens"
                refusal = f"{candidate.id} has {size}, and judge.max_text_tokens is {most:,}"
            text = without_middle(text, most)
            found[MIDDLE_LEFT_OUT] = None
        texts.append(text)
        flags += [f"{candidate.id}: {flag}" for flag in found]
    return (texts[0], texts[1]), tuple(flags), refusal


def criteria_lines(criteria: Mapping[str, str]) -> str:
    """Criteria as a list for a prompt; one whose text is its name stands alone."""
    return "\n".join(
        f"- {name}" if words == name else f"- {name}: {words}" for name, words in criteria.items()
    )
