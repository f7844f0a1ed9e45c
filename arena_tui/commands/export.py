"""`arena export`: one view of a run, to a file or to stdout."""

from __future__ import annotations

from pathlib import Path

from arena_tui.exporting import export
from arena_tui.store import folder


def export_run(run: str | None, what: str, to: Path | None, times: bool) -> None:
    """See `exporting.export`; `run` is an id, a beginning of one, a file, or None for the newest."""
    export(folder.find_run(run), what, to, times)
