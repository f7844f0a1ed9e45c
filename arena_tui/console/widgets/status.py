"""The status pane: what the run does, what it has spent of its limits, and how far it is from its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from arena_tui.console.actions import ACTS
from arena_tui.console.pace import Pace
from arena_tui.console.status_words import Role
from arena_tui.console.view import RunView
from arena_tui.console.widgets.pane import Pane
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.status_lines import NAME, Seen, status_lines
from arena_tui.console.widgets.status_text import Line
from arena_tui.errors import ArenaError

HEALTH_EVERY = 1.0  # seconds between two questions for the judge's health, at least
PATIENCE = 50  # and at least this many times what the last answer took
ENOUGH = 5  # matches before shares say anything

STYLES: Mapping[Role, str] = {
    "": "",
    "bold": "bold",
    "dim": "$foreground-muted",
    "good": "bold $text-success",
    "warn": "bold $text-warning",
    "bad": "bold $text-error",
    "live": "bold $text-primary",
    "bar": "$primary",
    "reserved": "$warning",
    "empty": "$foreground-muted",
}
"""role -> how it looks, in variables of the theme."""


class Status(Pane):
    """Phase, gauges, distance to the stop rule, pace, providers, the judge's health.

    `now` is a monotonic clock in seconds.
    """

    DEFAULT_CSS = """
    Status VerticalScroll { height: 1fr; padding: 0; scrollbar-size-vertical: 0; }
    Status Static { width: 1fr; height: auto; padding: 0; text-wrap: nowrap; }
    """
    help_title: ClassVar[str] = "Status"
    help_text: ClassVar[str] = (
        "What the run does now, why it stopped, and what will stop it. A gauge shows each limit: what is "
        "spent, what is reserved for calls under way, and what is free. Stage is the round, or the part "
        "of the schedule, that is played. To stop: what still stands between the leaderboard and its stop "
        "rule. For a stable top: by how many points its members still move. For a confident one: the "
        "chance that the leader is within so many logits (0.3 are 52 points) of the best, of the chance "
        "that is asked for, on two fits running, with all connected by comparisons and enough of these. "
        "That speaks of this judge's noise: how surely the same judge would find it so again, not whether "
        "the judge is right. What is left is a range, from the fastest and the slowest pace of the last "
        "minutes."
    )

    def __init__(
        self, view: RunView, *, now: Callable[[], float] = time.monotonic, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._view = view
        self._now = now
        self._pace = Pace()
        self._body = Static(Content(""), markup=False)
        self._seen: Hashable = None
        self._lines: list[Line] = []
        self._health = ""
        self._health_took = 0.0
        self._health_at: tuple[float, int] | None = None

    def compose(self) -> ComposeResult:
        """One text that scrolls where the room is too small."""
        with VerticalScroll():
            yield self._body

    def on_mount(self) -> None:
        """Show the state at once."""
        self.titled("Status")
        self.pull()

    def on_resize(self) -> None:
        """Another size: other lines."""
        self._seen = None
        self.pull()

    def pull(self) -> None:
        """Look at the state again; the clock parts once a second."""
        state, now = self._view.state, self._now()
        if state.phase == "running":
            self._pace.mark(now, state.applied)
        else:
            self._pace.restart()
        self._ask_health(now, state.applied)
        ticking = int(now) if state.phase != "stopped" else 0
        ledger = self._view.facts.ledger
        fits = None if self._view.session.drives else ledger.revision  # then the distance comes from here
        seen = (state.revision, state.phase, ticking, self._view.group, self._health, ledger, fits)
        if seen == self._seen:
            return
        self._seen = seen
        width = self.content_size.width or 56
        height = self.content_size.height or 9
        lines = status_lines(self._facts(now), width, height)
        if lines != self._lines:
            self._body.update(content_of(lines), layout=len(lines) != len(self._lines))
            self._lines = lines
        followed = not self._view.session.drives and state.phase not in ("stopped", "ready")
        told = ["driven by another process"] if followed else []
        if len(lines) > height:
            told.append(f"{len(lines) - height} more below")
        self.titled("Status", ", ".join(told))

    def _facts(self, now: float) -> Seen:
        view = self._view
        return Seen(
            state=view.state,
            pace=self._pace,
            now=now,
            glyphs=view.glyphs,
            named=self._named,
            plays=self._plays,
            board=view.facts.ledger.groups.get,
            group=view.group,
            providers=view.session.providers(),
            health=self._health,
            keys=(self._key("run.resume"), self._key("run.limits")),
            kind=view.facts.ledger.rules.kind,
        )

    def _plays(self, group: str, id_: str) -> bool:
        entrant = self._view.facts.ledger.find(group, id_)
        return entrant is None or entrant.plays

    def _named(self, group: str, id_: str) -> str:
        entrant = self._view.facts.ledger.find(group, id_)
        return safe_line(id_ if entrant is None else entrant.title, NAME)

    def _key(self, act: str) -> str:
        """The key of an act, as a user file may have changed it."""
        if self.is_attached:
            for active in self.screen.active_bindings.values():
                if active.binding.id == act:
                    return self.app.get_key_display(active.binding)
        return next(each.keys for each in ACTS if each.id == act)

    # --- the judge ---------------------------------------------------------------------------------

    def _ask_health(self, now: float, applied: int) -> None:
        """Ask for the judge's health when there are new matches, less often the longer the answer takes."""
        if applied < ENOUGH:
            return
        if self._health_at is not None:
            asked, then = self._health_at
            if then == applied or now - asked < max(HEALTH_EVERY, PATIENCE * self._health_took):
                return
        self._health_at = (now, applied)
        self._take_health()

    @work(exclusive=True, group="health")
    async def _take_health(self) -> None:
        begun = time.monotonic()
        try:
            words = await self._view.session.judge_words()
        except ArenaError as error:
            words = [str(error)]
        self._health = words[0] if words else ""
        self._health_took = time.monotonic() - begun


def content_of(lines: list[Line]) -> Content:
    """The lines as what a widget shows; nothing in them is markup."""
    return Content("\n").join(
        Content.assemble(*((text, STYLES[role]) if STYLES[role] else text for text, role in line))
        for line in lines
    )
