"""What a request is known by in the cache of replies, and how many tokens it can be at most.

Pure functions over `Request`, used by `client`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from arena_tui.providers.base import Completion, Part, Request, TokenLogprobs, Tokens

KEY_VERSION = 1  # counts up when equal keys no longer mean equal requests

_PER_MESSAGE = 16  # role and turn marks, measured at 3 to 8
_PER_TOOL = 400  # what a provider writes into the prompt so that a model can call tools


def request_key(
    request: Request, *, model: str, base_url: str, sample: int, hide: Callable[[str], str]
) -> str:
    """Hex sha256 over all that shapes a reply, with what is random about a prompt replaced by `hide`.

    Never over attempts, timeouts or the marks of prompt caching.
    """
    shape: dict[str, Any] = {
        "version": KEY_VERSION,
        "model": model,
        "base_url": base_url,
        "system": hide(_joined(request.system)),
        "messages": [
            [
                message.role,
                hide(message.text),
                [[call.id, call.name, hide(call.arguments)] for call in message.tool_calls],
                [[result.id, hide(result.text), result.error] for result in message.tool_results],
            ]
            for message in request.messages
        ],
        "max_tokens": request.max_tokens,
        "top_logprobs": request.top_logprobs,
        "json_schema": request.json_schema,
        "tools": [[tool.name, tool.description, tool.schema] for tool in request.tools],
        "params": request.params,
        "sample": sample,
    }
    text = json.dumps(shape, sort_keys=True, separators=(",", ":"), default=dict)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def most_tokens(text: str) -> int:
    """An upper bound of the tokens of `text`: its bytes of UTF-8, since no token is less than one.

    English and Chinese have 3 to 4 bytes a token in current vocabularies, but base64 1.4, rare letters
    1.3 and digits between spaces 1, and candidates may be made of anything.
    """
    return len(text.encode("utf-8", "surrogatepass"))


def worst_case(request: Request) -> Tokens:
    """The most a request can use: the bound of its input, all of it written to a prompt cache if any
    of it is marked, and `max_tokens` of output."""
    texts = [_joined(request.system)]
    marked = any(part.cache for part in request.system)
    for message in request.messages:
        texts.append(message.text)
        texts += [call.name + call.arguments for call in message.tool_calls]
        texts += [result.text for result in message.tool_results]
        marked = marked or any(part.cache for part in message.parts)
    for tool in request.tools:
        texts.append(tool.name + tool.description + json.dumps(tool.schema, default=dict))
    if request.json_schema is not None:
        texts.append(json.dumps(request.json_schema, default=dict))
    tokens = sum(most_tokens(text) for text in texts) + _PER_MESSAGE * (1 + len(request.messages))
    tokens += _PER_TOOL * len(request.tools)
    return Tokens(input=tokens, cache_write=tokens if marked else 0, output=request.max_tokens)


def rewritten(completion: Completion, rewrite: Callable[[str], str]) -> Completion:
    """The completion with `rewrite` (hide or reveal) applied to its text and to its tokens.

    Tokens that share a word which is rewritten become one token, so that tokens and text stay equal.
    """
    tokens = tuple(_rewritten_tokens(completion.logprobs, rewrite))
    return Completion(
        text=rewrite(completion.text),
        stop_reason=completion.stop_reason,
        tokens=completion.tokens,
        logprobs=tokens,
        model=completion.model,
    )


def _rewritten_tokens(tokens: Sequence[TokenLogprobs], rewrite: Callable[[str], str]) -> list[TokenLogprobs]:
    if not tokens:
        return []
    each = [rewrite(token.token) for token in tokens]
    whole = "".join(token.token for token in tokens)
    rewritten_whole = rewrite(whole)
    if "".join(each) == rewritten_whole:
        return [
            TokenLogprobs(text, token.logprob, tuple((rewrite(word), value) for word, value in token.top))
            for text, token in zip(each, tokens, strict=True)
        ]
    for cut in _from_the_middle(len(tokens)):
        before = "".join(token.token for token in tokens[:cut])
        if rewrite(before) + rewrite(whole[len(before) :]) == rewritten_whole:
            return _rewritten_tokens(tokens[:cut], rewrite) + _rewritten_tokens(tokens[cut:], rewrite)
    # No border between these tokens lies outside a rewritten word: nobody reads alternatives to it.
    return [TokenLogprobs(rewritten_whole, sum(token.logprob for token in tokens))]


def _from_the_middle(length: int) -> list[int]:
    """1 to `length` - 1, those near the middle first."""
    return sorted(range(1, length), key=lambda cut: abs(2 * cut - length))


def _joined(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts)
