"""The command palette: every act of the registry that applies now, with its key, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from arena_tui.console.actions import ACTS, PLACES, Act
from arena_tui.console.keys import keys_of
from arena_tui.console.preferences import themes

if TYPE_CHECKING:
    from arena_tui.console.app import ArenaApp

MOVING = ("rows", "paper")  # places whose acts only move about: they come last


class ArenaCommands(Provider):
    """Acts by name, of what is in focus, its pane, the screen and the app; what cannot be done now is not
    offered."""

    async def discover(self) -> Hits:
        """All that applies, before anything is typed: the nearest first."""
        found = list(self._acts())
        found.sort(key=lambda each: each[0].place in MOVING)
        for act, node in found:
            yield DiscoveryHit(
                _called(act), partial(self._run, act, node), text=_called(act), help=self._help(act)
            )

    async def search(self, query: str) -> Hits:
        """What fits the query, acts and themes."""
        matcher = self.matcher(query)
        for act, node in self._acts():
            score = matcher.match(f"{_called(act)} {act.tooltip}")
            if score > 0:
                yield Hit(
                    score,
                    Content(_called(act)),
                    partial(self._run, act, node),
                    text=_called(act),
                    help=self._help(act),
                )
        for theme in themes():
            called = f"theme: {theme}"
            score = matcher.match(called)
            if score > 0:
                yield Hit(score, Content(called), partial(setattr, self.app, "theme", theme), text=called)

    def _acts(self) -> Iterator[tuple[Act, DOMNode]]:
        """Each act that can be done now, with who does it: the nearest to the focus."""
        told: set[str] = set()
        for node in self._chain():
            bound = _bound(node)
            for act in ACTS:
                if act.id in bound and act.id not in told and _may(node, act):
                    told.add(act.id)
                    yield act, node

    def _chain(self) -> Iterator[DOMNode]:
        """From the widget in focus up to the screen and the app, as keys go; a modal screen keeps them."""
        start = self.focused or self.screen
        for node in start.ancestors_with_self:
            yield node
            if node.is_modal:
                return

    def _help(self, act: Act) -> str:
        keys = keys_of(act, cast("ArenaApp", self.app).keymap_words)
        return f"{act.tooltip}  ({keys.replace(' ', ', ')})"

    async def _run(self, act: Act, node: DOMNode) -> None:
        if node.is_attached and _may(node, act):
            await self.app.run_action(act.action, default_namespace=node)


def _bound(node: DOMNode) -> frozenset[str]:
    """The ids of the acts that a widget, a screen or the app has keys for."""
    return frozenset(
        each.id
        for base in type(node).__mro__
        for each in base.__dict__.get("BINDINGS", ())
        if isinstance(each, Binding) and each.id
    )


def _may(node: DOMNode, act: Act) -> bool:
    """True when it can and may."""
    called = act.action.partition("(")[0]
    return hasattr(node, f"action_{called}") and bool(node.check_action(called, ()))


def _called(act: Act) -> str:
    return f"{PLACES[act.place].lower()}: {act.words}" if act.place != "app" else act.words
