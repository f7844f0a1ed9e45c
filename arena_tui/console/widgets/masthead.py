"""The line at the top of a run: which run, how it stands, what asks for attention."""

from __future__ import annotations

from rich.text import Text

from arena_tui.console.framed import FramedApp
from arena_tui.console.view import RunView
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.values import counted

SIGNS = {
    "ready": "",
    "running": "RUNNING",
    "paused": "PAUSED",
    "draining": "STOPPING",
    "cancelling": "CANCELLING",
    "stopped": "STOPPED",
}


class Masthead(PlainStatic):
    """One line; `pull` draws it anew when the run has moved."""

    DEFAULT_CSS = """
    Masthead { height: 1; background: $primary-muted; color: $text; padding: 0 1; }
    Masthead.attention { background: $warning-muted; }
    Masthead.failed { background: $error-muted; }
    """

    def __init__(self, view: RunView) -> None:
        super().__init__(id="masthead")
        self._view = view
        self._drawn: object = None

    def pull(self) -> None:
        """Look again."""
        view, state = self._view, self._view.state
        waiting = len(view.session.waiting())
        calls = len(state.in_flight)
        seen = (
            state.phase,
            state.name,
            view.group,
            view.past,
            waiting,
            calls,
            state.trouble,
            self.size.width,
        )
        if seen == self._drawn:
            return
        self._drawn = seen
        self.show(self._line(waiting, calls), fits=True)
        self.set_class(
            state.phase in ("paused", "draining", "cancelling") or view.past is not None, "attention"
        )
        self.set_class(bool(state.trouble), "failed")

    def _line(self, waiting: int, calls: int) -> Text:
        view, state = self._view, self._view.state
        parts = [f"arena  {safe_line(state.name or view.session.run, 40)}"]
        sign = SIGNS[state.phase]
        if state.phase in ("paused", "draining", "cancelling") and calls:
            sign += f", {counted(calls, 'call')} in flight"
        if state.phase == "paused" and view.session.drives and isinstance(self.app, FramedApp):
            sign += f": {self.app.keys_for('run.pause')} goes on"
        parts.append(sign)
        if state.stop_reason and state.phase == "stopped":
            parts.append(state.stop_reason)
        if not view.session.drives:
            parts.append("watching" if state.phase != "stopped" else "not driven")
        if "SIMULATED" in state.judge or state.judge.startswith("mock"):
            parts.append("SIMULATED")
        if view.group is not None:
            parts.append(f"group {safe_line(view.group, 24)} (esc: all)")
        if view.past is not None:
            parts.append(f"PAST: after {counted(view.past.match_count, 'match', 'matches')} (esc: now)")
        if waiting:
            parts.append(f"{counted(waiting, 'question')} for you: h")
        if state.trouble:
            parts.append(f"NOT SAVED: {safe_line(state.trouble, 60)}")
        return Text("  ".join(part for part in parts if part), no_wrap=True, overflow="ellipsis")
