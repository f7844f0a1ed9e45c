"""Just enough HTTP/1.1 to be a model server on 127.0.0.1: requests in, whole or streamed answers out."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any


@dataclass(frozen=True)
class HttpRequest:
    """One request; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            return None


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request of a connection; None when the client has closed it."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return HttpRequest(method, path.partition("?")[0], headers, body)


def whole(status: int, body: bytes, headers: Mapping[str, str], kind: str = "application/json") -> bytes:
    """A whole answer."""
    return _head(status, {"content-type": kind, "content-length": str(len(body)), **headers}) + body


def stream_head(headers: Mapping[str, str]) -> bytes:
    """The start of a stream of server-sent events in chunks."""
    return _head(
        200, {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked", **headers}
    )


def chunk(data: bytes) -> bytes:
    """One chunk of a streamed body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"


def reset(writer: asyncio.StreamWriter) -> None:
    """End the connection with a TCP reset, as a crashed server or an impatient gateway does."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Overloaded"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
