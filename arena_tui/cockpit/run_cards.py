"""The runs as Home lists them. A file that has not changed since the last look is not read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

from arena_tui.console.ports import RunCard
from arena_tui.errors import StoreError
from arena_tui.store.folder import RunInfo, list_runs
from arena_tui.store.reader import Reader

LONG = 5_000  # matches
_Stamp = tuple[int, ...]
_read: dict[Path, tuple[_Stamp, str, tuple[str, float | None, int | None]]] = {}
"""db -> (its files' times and sizes, status, (leader, usd, limit on matches)): a cache, no state."""


def run_cards() -> list[RunCard]:
    """All runs of the data folder, newest first."""
    return [_card(info) for info in list_runs()]


def _card(info: RunInfo) -> RunCard:
    leader, usd, limit = "", None, None
    if info.status != "damaged":
        stamp = _stamp(info.db)
        known = _read.get(info.db)
        if known is None or known[:2] != (stamp, info.status):
            known = _read[info.db] = stamp, info.status, _look(info.db)
        leader, usd, limit = known[2]
    share = 1.0 if info.status == "finished" else info.matches / limit if limit else None
    return RunCard(
        run=info.run,
        name=info.name,
        format=info.format,
        status=info.status,
        stop_reason=info.stop_reason,
        matches=info.matches,
        share=share,
        leader=leader,
        usd=usd,
        created_at=info.created_at,
        db=info.db,
        source=info.source,
    )


def _stamp(db: Path) -> _Stamp:
    stamp: list[int] = []
    for path in (db, Path(f"{db}-wal")):
        try:
            stat = os.stat(path)
        except OSError:
            stamp += (0, 0)
        else:
            stamp += (stat.st_mtime_ns, stat.st_size)
    return tuple(stamp)


def _look(db: Path) -> tuple[str, float | None, int | None]:
    try:
        with Reader(db) as reader:
            tournament = json.loads(reader.meta()["tournament"])
            leader = _leader(reader, tournament["format"]["kind"])
            return leader, reader.spent().usd, tournament["limits"]["matches"]
    except (StoreError, KeyError, ValueError, TypeError):
        return "", None, None  # gone, or damaged, since it was listed


def _leader(reader: Reader, kind: str) -> str:
    """Who leads in the first group: by Elo, else as its board ranks; in a long run by points, for it would
    have to be folded."""
    if kind == "elo" or reader.applied() > LONG:
        return reader.leader()
    from arena_tui.console.fits import job_of, made
    from arena_tui.console.history import load

    ledger, _ = load(reader)
    board = next((board for board in ledger.playing if board.applied), None)
    if board is None:
        return ""
    ledger.take_fit(made(job_of(board, ledger.rules.delta)))
    return next((each.title for each in ledger.board(board.id) if each.plays and each.matches), "")
