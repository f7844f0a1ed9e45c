"""The groups of a run, over its screen: Enter gives the one to narrow to."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Footer

from arena_tui.console.actions import bindings
from arena_tui.console.view import RunView
from arena_tui.console.widgets.groups import GroupList

LOOK = 0.25  # seconds between looks


class GroupsScreen(ModalScreen[str | None]):
    """The result is a group's id; None after Esc."""

    DEFAULT_CSS = """
    GroupsScreen { align: center middle; background: $background 60%; }
    GroupsScreen GroupList { width: 96%; height: 92%; background: $surface; }
    """
    BINDINGS = bindings("over")

    def __init__(self, view: RunView) -> None:
        super().__init__()
        self._view = view

    def compose(self) -> ComposeResult:
        """The list."""
        yield GroupList(self._view)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Keep the list true."""
        self.query_one(GroupList).pull()
        self.set_interval(LOOK, self.query_one(GroupList).pull)

    @on(GroupList.GroupChosen)
    def _chosen(self, event: GroupList.GroupChosen) -> None:
        self.dismiss(event.group_id)

    def action_close(self) -> None:
        """Back, without a choice."""
        self.dismiss(None)
