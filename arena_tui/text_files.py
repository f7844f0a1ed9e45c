"""Text files from outside: is it a file at all, how large is it, and in what encoding is it written.

Every reader of input files comes through here, so that a folder, a device, a picture or a huge
file gets one sentence instead of a traceback or a full memory.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path

from arena_tui.errors import FileProblems, Problem
from arena_tui.values import did_you_mean

NO_SUCH_FILE = "no such file"
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # what no text has; tab to CR and ESC stay out of it
_CONTROL_BYTES = bytes(n for n in range(32) if n not in (9, 10, 11, 12, 13, 27))
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def label_of(path: Path) -> str:
    """How messages name `path`: from the working folder where it lies below it, else in full."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError, RuntimeError):  # RuntimeError: links in a circle
        return str(path)


def size_text(size: int) -> str:
    """A size in bytes as people read it: 812 bytes, 3.4 MB."""
    return (
        f"{size} bytes" if size < 1000 else f"{size / 1e3:.1f} KB" if size < 1e6 else f"{size / 1e6:.1f} MB"
    )


def check_regular(path: Path, label: str, *, limit: int, what: str) -> int:
    """The size of the regular file `path` in bytes, or FileProblems: missing, no file, over `limit`."""
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        raise FileProblems([_unreadable(path, label, error)]) from None
    if stat.S_ISDIR(found.st_mode):
        raise FileProblems([Problem(label, None, f"is a folder, expected {what}")])
    if not stat.S_ISREG(found.st_mode):
        raise FileProblems([Problem(label, None, f"is a device or a pipe, expected {what}")])
    if found.st_size > limit:
        message = f"is {size_text(found.st_size)}, expected {what} of at most {size_text(limit)}"
        raise FileProblems([Problem(label, None, message)])
    return found.st_size


def read_text(path: Path, label: str, *, limit: int, what: str) -> tuple[str, str | None]:
    """The text of a file, line ends as "\\n", and a note when its encoding had to be guessed."""
    check_regular(path, label, limit=limit, what=what)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileProblems([_unreadable(path, label, error)]) from None
    text, note = decode(content, label, what)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, note


def near_file(path: Path) -> str:
    """What to say of a file that is not there: the name beside it that was perhaps meant, or nothing."""
    try:
        there = sorted(other.name for other in path.parent.iterdir())[:2000]
    except (OSError, ValueError):
        return f"there is no folder {label_of(path.parent)}"
    return did_you_mean(path.name, there, cutoff=0.7)  # an equal suffix alone is no likeness


def _unreadable(path: Path, label: str, error: OSError | ValueError) -> Problem:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return Problem(label, None, NO_SUCH_FILE, near_file(path))
        case PermissionError():
            return Problem(label, None, "may not be read", "its permissions forbid it")
        case OSError():
            return Problem(label, None, f"cannot be read: {error.strerror or 'input/output error'}")
    return Problem(repr(label), None, "is no possible file name")


def decode(content: bytes, label: str, what: str) -> tuple[str, str | None]:
    """`content` as text: by its byte order mark, else UTF-8, else UTF-16 by its zeros, else Windows-1252.

    Raises FileProblems for what is no text: control characters, or bytes that fit no encoding.
    """
    text, encoding = _decoded(content)
    # Dropping the bytes that may be junk and comparing lengths costs a tenth of a search.
    clean = encoding.startswith("utf-8") and len(content.translate(None, _CONTROL_BYTES)) == len(content)
    junk = None if text is None or clean else _CONTROL.search(text)
    if text is None or junk is not None:
        line = None if text is None or junk is None else text.count("\n", 0, junk.start()) + 1
        raise FileProblems([Problem(label, line, f"is not text, expected {what}")])
    if encoding.startswith("utf-8"):
        return text, None
    return text, f"{label} is not written in UTF-8; it was read as {encoding}"


def _decoded(content: bytes) -> tuple[str | None, str]:
    """The text, or None for what fits no encoding, and the encoding that was tried last."""
    encoding = next((name for bom, name in _BOMS if content.startswith(bom)), None)
    if encoding is None:
        head = content[:4096]
        even, odd = head[0::2].count(0), head[1::2].count(0)
        if max(even, odd) > len(head) // 5 and min(even, odd) == 0:  # mostly Western text in two bytes
            encoding = "utf-16-le" if odd else "utf-16-be"
    for tried in (encoding,) if encoding else ("utf-8", "cp1252"):
        try:
            return content.decode(tried), tried
        except UnicodeDecodeError:
            encoding = tried
    return None, encoding or ""
