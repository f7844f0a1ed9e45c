"""What the fake model says when only the words it is shown count: the same for every run, label and fence id.

Fence ids differ from run to run, so a brain that goes by the whole prompt would judge a resumed run and an
unbroken one differently. This one reads what stands between the fences, as a model would.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from model_brain import Request

from arena_tui.conventions import Fenced, fenced

_VERDICT = re.compile(r"^better idea: (\S+)$", re.MULTILINE)
_OWN = re.compile(r"You are the advocate of (\S+)\.")
_TIE_ONE_IN = 8


def reads_texts(request: Request) -> str:
    """The case of an advocate, or a judgment that ends as the prompt asks for.

    Every reply repeats a digest of all turns before it, so that a turn that is lost, altered or put twice
    changes everything that is said after it.
    """
    blocks = list(fenced(request["prompt"]))
    texts = {block.label: block.body for block in blocks if block.kind == "text"}
    heard = _digest(block.body for block in blocks if block.kind == "turn")
    own = _OWN.search(request["prompt"])
    if own is not None:
        turn = sum(block.kind == "turn" for block in blocks)
        return (
            f"Turn {turn}. What I speak for begins with {texts[own[1]][:30]!r} and can be done by May; the "
            f"other leaves its cost open. Heard so far: {heard}."
        )
    offered = _VERDICT.findall(outside(request["last"], blocks))
    if not offered or not texts:
        return f"Nothing that was asked for has a contract here. Heard so far: {heard}."
    chosen = _choice(texts, offered)
    return f"One of them names how it could fail. Heard so far: {heard}.\n\nbetter idea: {chosen}"


def _choice(texts: dict[str, str], offered: list[str]) -> str:
    """The stronger text; by chance of the pair, in either order, neither."""
    pair = sorted(texts.values())
    if "tie" in offered and int(_digest(pair), 16) % _TIE_ONE_IN == 0:
        return "tie"
    return max(texts, key=lambda label: _digest([texts[label]]))


def outside(prompt: str, blocks: Iterable[Fenced]) -> str:
    """What a prompt says itself: without what it shows between fences."""
    for block in blocks:
        prompt = prompt.replace(block.body, "")
    return prompt


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
