"""One classifier for everything an attempt can end with, whichever SDK it came through.

Works on the names, statuses and bodies of an exception and its causes, so that no SDK is imported for
it. Its sentences say what happened; they never hold a key, a header or a page of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import TracebackType

from arena_tui.providers.address import Address, Clocks
from arena_tui.providers.answers import answer_of, meaning
from arena_tui.providers.base import FaultKind, ProviderError
from arena_tui.providers.wait_hints import retry_after
from arena_tui.safetext import clean

__all__ = ["Caught", "classify", "fault", "retry_after"]

DETAIL_LIMIT = 300  # characters of a server's own words that are kept
_CHAIN_LIMIT = 12  # causes that are looked at
_HTML = re.compile(r"<\s*(!doctype|html|head|body)\b", re.IGNORECASE)

# (names of a class or of a base of it, kind, sentence), tried in this order over the whole chain of
# causes: what the network layer says is more exact than the SDK's wrapper around it.
_BY_NAME: tuple[tuple[frozenset[str], FaultKind, str], ...] = (
    (frozenset({"ConnectTimeout"}), "timeout", "no connection within {connect:g} s"),
    (frozenset({"PoolTimeout"}), "timeout", "no connection became free"),
    (frozenset({"ReadTimeout", "WriteTimeout"}), "timeout", "nothing came for {idle:g} s"),
    (frozenset({"APITimeoutError", "TimeoutException"}), "timeout", "the server did not answer in time"),
    (
        frozenset({"JSONDecodeError", "UnicodeDecodeError", "DecodingError", "APIResponseValidationError"}),
        "server",
        "the server's answer is broken and cannot be read",
    ),
    (
        frozenset({"UnsupportedProtocol", "InvalidURL", "LocalProtocolError", "TooManyRedirects"}),
        "refused",
        "no request can be sent to this address",
    ),
    (frozenset({"UnicodeEncodeError"}), "rejected", "the request holds characters that cannot be sent"),
    (frozenset({"gaierror"}), "connection", "the host is not known: check the network or base_url"),
    (frozenset({"SSLError"}), "connection", "the encrypted connection failed"),
    (
        frozenset({"ConnectionRefusedError"}),
        "connection",
        "nothing listens there: start the server or set base_url",
    ),
    (frozenset({"ConnectError"}), "connection", "no connection could be made"),
    (frozenset({"TransportError", "EndOfStream"}), "connection", "the connection broke"),
    (frozenset({"TimeoutError"}), "timeout", "the reply was not whole after {total:g} s"),
    (frozenset({"APIConnectionError", "OSError"}), "connection", "the connection broke"),
)


def classify(error: BaseException, address: Address | None = None) -> ProviderError:
    """What `error` means for the call it ended. Never raises; what is not foreseen is `unknown`.

    With an address the sentence names it, and its key is masked wherever a server repeats it. The
    result refers to no other exception: those of the SDKs carry the request's headers, and the key.
    """
    if isinstance(error, ProviderError):
        return error
    chain = list(_chain(error))
    for link in chain:
        answer = answer_of(link)
        if answer is not None:
            kind, sentence = meaning(answer, address.key_env if address is not None else "")
            return fault(
                kind, sentence, address, detail=answer.detail, status=answer.status, wait=answer.retry_after
            )
    clocks = address.clocks if address is not None else Clocks()
    for wanted, kind, sentence in _BY_NAME:
        for link in chain:
            if any(base.__name__ in wanted for base in type(link).__mro__):
                text = sentence.format(connect=clocks.connect, idle=clocks.idle, total=clocks.total)
                # What is wrong with a certificate helps; the other layers' words repeat the sentence.
                detail = str(link) if "SSLError" in wanted else ""
                return fault(kind, text, address, detail=detail)
    return fault("unknown", f"unexpected {type(error).__name__}", address, detail=str(error))


def fault(
    kind: FaultKind,
    sentence: str,
    address: Address | None = None,
    *,
    detail: str = "",
    status: int | None = None,
    wait: float | None = None,
) -> ProviderError:
    """A ProviderError that names the model and its address, and quotes the server safely."""
    where = f"{address.name} at {address.base_url}: " if address is not None else ""
    code = f" (HTTP {status})" if status is not None else ""
    words = _safe(detail, address)
    said = f": {words}" if words else ""
    return ProviderError(kind, f"{where}{sentence}{code}{said}", status=status, retry_after=wait)


class Caught:
    """A context that ends what happens in it at the first exception, and keeps that as a fault.

    It swallows instead of raising anew, because an exception raised while another is handled refers to
    that other one for ever. Cancellation and the like (no `Exception`) pass.
    """

    def __init__(self, address: Address) -> None:
        self.fault: ProviderError | None = None
        self._address = address

    def __enter__(self) -> Caught:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.fault = classify(error, self._address)
        return True


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, outermost first."""
    link: BaseException | None = error
    for _ in range(_CHAIN_LIMIT):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__  # also a suppressed one: it still says what happened


def _safe(detail: str, address: Address | None) -> str:
    """A server's own words on one line: short, without a key, and no page."""
    if _HTML.search(detail):
        return "an HTML page instead of an answer"
    if address is not None and address.key is not None:
        detail = address.key.hidden_in(detail)
    line = " ".join(clean(detail).split())
    return line if len(line) <= DETAIL_LIMIT else line[: DETAIL_LIMIT - 1] + "…"
