"""What a server meant by an error answer: a status, or an error event inside a stream that began well.

Servers agree on little. Exhausted credit is 402, or 400 with a sentence (Anthropic), or 429 with a code
(OpenAI); a request that is too long is 400 in everybody's own words. So the words are looked at first
where the status can mean more than one thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from arena_tui.providers.base import FaultKind
from arena_tui.providers.json_paths import dig, text_at
from arena_tui.providers.wait_hints import retry_after, retry_delay

MARKS_LIMIT = 400  # characters of a message that are searched: some servers repeat the request after them

# The servers' own words, collected from Anthropic, OpenAI, OpenRouter, Google, xAI, Groq, Mistral, vLLM,
# llama.cpp and LM Studio. Google's "exceeded your current quota" is absent on purpose: it passes.
_TOO_LONG = re.compile(
    r"prompt is too long|input is too long|too many (input )?tokens|context[ _-]?(length|window|size|limit)"
    r"|maximum (prompt|model) length|maximum number of tokens|reduce the length of|input tokens exceed"
    r"|token limit exceeded",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|credit balance|insufficient (credits?|balance|funds)|billing_(error|not_active)"
    r"|used all available credits",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"(invalid|incorrect|expired)[ _]api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|not found|expired)",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|unknown model|no such model"
    r"|model \S{1,120} (does not exist|not found)",
    re.IGNORECASE,
)
_FLAGGED = re.compile(r"flagged|moderation|content[ _]policy|guardrail", re.IGNORECASE)

_BY_TYPE: dict[str, FaultKind] = {
    "authentication_error": "refused",
    "invalid_request_error": "rejected",
    "not_found_error": "refused",
    "overloaded_error": "overloaded",
    "permission_error": "refused",
    "rate_limit_error": "rate_limited",
    "rate_limit_exceeded": "rate_limited",
    "request_too_large": "rejected",
    "service_unavailable": "overloaded",
    "timeout_error": "timeout",
    "unavailable_error": "overloaded",
}
"""Kinds of error events inside a stream; any other type is the server's own trouble."""

SENTENCES: dict[FaultKind, str] = {
    "rate_limited": "too many requests",
    "overloaded": "the server is overloaded",
    "server": "the server failed",
    "timeout": "the server gave up waiting",
    "rejected": "the server cannot accept this request",
    "too_long": "the request is longer than the model reads",
    "refused": "the server refused the request",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An error answer. `status` is None in a stream that began well; `marks` are the words that tell
    kinds apart."""

    status: int | None
    type: str
    marks: str
    detail: str
    retry_after: float | None


def answer_of(error: BaseException) -> Answer | None:
    """The server's answer that an SDK exception carries, if it carries one."""
    names = {base.__name__ for base in type(error).__mro__}
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    if "APIError" not in names or "APIResponseValidationError" in names or (status is None and body is None):
        return None
    if isinstance(body, list) and len(body) == 1:  # as Google sends it
        body = body[0]
    inner = dig(body, "error") or body
    code = dig(inner, "code")
    if not isinstance(status, int) or status < 300:
        status = int(code) if re.fullmatch(r"[45]\d\d", str(code)) else None
    headers = getattr(getattr(error, "response", None), "headers", None)
    wait = retry_after(headers) if headers is not None and status is not None else None
    type_ = text_at(inner, "type") or text_at(inner, "status")
    detail = inner if isinstance(inner, str) else text_at(inner, "message")
    return Answer(
        status=status,
        type=type_,
        marks=f"{type_} {code} {detail[:MARKS_LIMIT]}",
        detail=detail,
        retry_after=retry_delay(inner) if wait is None else wait,
    )


def meaning(answer: Answer, key_env: str = "") -> tuple[FaultKind, str]:
    """The kind of fault, and a sentence for it (the server's own words are not in it)."""
    kind = _kind(answer)
    if kind != "refused":
        return kind, SENTENCES[kind]
    if answer.status == 402 or _NO_CREDIT.search(answer.marks):
        return kind, "the account has no credit left"
    if _NO_MODEL.search(answer.marks):
        return kind, "the server knows no such model"
    if answer.status in (401, 403) or answer.type in ("authentication_error", "permission_error"):
        return kind, f"the key in {key_env} was refused" if key_env else "the server asks for a key"
    if _BAD_KEY.search(answer.marks):
        return kind, f"the key in {key_env} was refused" if key_env else "the server asks for a key"
    if answer.type == "not_found_error":
        return kind, "the server knows no such model"
    return kind, "there is no such model, or no API at this address (check model and base_url)"


def _kind(answer: Answer) -> FaultKind:
    status, marks = answer.status, answer.marks
    if status is None:
        return _event_kind(answer)
    if status == 402 and answer.retry_after is not None:  # OpenRouter: the budget of calls in flight
        return "rate_limited"
    if status in (401, 402, 404, 405, 410) or 300 <= status < 400:
        return "refused"
    if status == 403:
        return "rejected" if _FLAGGED.search(marks) else "refused"
    if status == 429:
        return "refused" if _NO_CREDIT.search(marks) else "rate_limited"
    if status in (503, 529):
        return "overloaded"
    if status in (408, 409, 425, 499) or status >= 500:
        return "server"
    if _NO_CREDIT.search(marks) or _BAD_KEY.search(marks) or _NO_MODEL.search(marks):
        return "refused"
    return "too_long" if _TOO_LONG.search(marks) else "rejected"


def _event_kind(answer: Answer) -> FaultKind:
    """An error event without a status: its type decides, its words where types are too broad."""
    if _NO_CREDIT.search(answer.marks) or _BAD_KEY.search(answer.marks) or _NO_MODEL.search(answer.marks):
        return "refused"
    kind = _BY_TYPE.get(answer.type, "server")
    if kind in ("rejected", "server") and _TOO_LONG.search(answer.marks):
        return "too_long"
    return kind
