"""What a pure program's verdict depends on, as one key: its arguments, the files they name, its input."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

VERSION = 1  # counts up when equal keys no longer mean equal comparisons


class CommandKey:
    """Keys for inputs of the program `argv`, started in `folder`.

    The program itself and every argument that is the path of a file count with their content, as it was
    when the first key was made. What a program reads besides (modules, data, the network) is for its
    author to name among the arguments.
    """

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        self._argv = tuple(argv)
        self._folder = folder
        self._program: str | None = None

    async def of(self, payload: bytes) -> str:
        """The key of an input, as hex sha256."""
        if self._program is None:
            self._program = await asyncio.to_thread(self._identity)
        return hashlib.sha256(self._program.encode("ascii") + payload).hexdigest()

    def _identity(self) -> str:
        """The arguments and the digests of the files among them. Reads files: for a thread."""
        return json.dumps(["command", VERSION, self._argv, list(self._digests())])

    def _digests(self) -> Iterator[str | None]:
        for place, argument in enumerate(self._argv):
            path = self._folder / argument
            if not place and "/" not in argument:
                path = Path(shutil.which(argument) or path)
            try:
                if not path.is_file():  # a pipe would never end
                    yield None
                    continue
                with path.open("rb") as file:
                    yield hashlib.file_digest(file, "sha256").hexdigest()
            except (OSError, ValueError):
                yield None
