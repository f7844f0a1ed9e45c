"""The command palette: every act of the registry that applies to the screen, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from arena_tui.console.actions import ACTS, PLACES, Act
from arena_tui.console.preferences import themes


class ArenaCommands(Provider):
    """Acts by name; what does not apply now is not offered."""

    async def discover(self) -> Hits:
        """All that applies, before anything is typed."""
        for act in self._acts():
            yield DiscoveryHit(_called(act), partial(self._run, act), text=_called(act), help=act.tooltip)

    async def search(self, query: str) -> Hits:
        """What fits the query, acts and themes."""
        matcher = self.matcher(query)
        for act in self._acts():
            score = matcher.match(f"{_called(act)} {act.tooltip}")
            if score > 0:
                yield Hit(
                    score, Content(_called(act)), partial(self._run, act), text=_called(act), help=act.tooltip
                )
        for theme in themes():
            called = f"theme: {theme}"
            score = matcher.match(called)
            if score > 0:
                yield Hit(score, Content(called), partial(setattr, self.app, "theme", theme), text=called)

    def _acts(self) -> Iterator[Act]:
        for act in ACTS:
            if act.palette and self._namespace(act) is not None:
                yield act

    def _namespace(self, act: Act) -> object | None:
        """Who carries an act out here: the screen or the app, if it can and may."""
        for node in (self.screen, self.app):
            name = act.action.partition("(")[0]
            if hasattr(node, f"action_{name}") and node.check_action(name, ()):
                return node
        return None

    async def _run(self, act: Act) -> None:
        node = self._namespace(act)
        if node is not None:
            await self.app.run_action(act.action, default_namespace=node)  # type: ignore[arg-type]


def _called(act: Act) -> str:
    return f"{PLACES[act.place].lower()}: {act.words}" if act.place != "app" else act.words
