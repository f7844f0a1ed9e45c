"""What becomes of stdout and stderr when nobody takes what is written to them.

Python flushes both once more when it exits and would complain then, so a stream that failed is led
to nowhere first. Light, since the command line imports it.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TextIO


def silence(stream: TextIO) -> None:
    """Let a standard stream go nowhere from now on, with what it still holds."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def replace_closed_streams() -> None:
    """Give standard streams that the caller closed (`>&-`) a place, before a file of ours takes theirs."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            place = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - open as long as the process
            setattr(sys, name, place)


def accept_all_text() -> None:
    """Let stdout and stderr take every character; one that their encoding lacks is written as an escape.

    Where the locale is no UTF-8 one, a title would end the command with an error in the middle of its table.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush_streams() -> None:
    """Flush stdout and stderr while a failure can still be answered; readers that have gone are no failure.

    Raises OSError when stdout is, say, a file on a full disk: then a result is cut short.
    """
    try:
        sys.stderr.flush()
    except OSError:  # there is nowhere left to tell it
        silence(sys.stderr)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
