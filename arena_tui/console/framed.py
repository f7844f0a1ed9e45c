"""The least of an app that our widgets need: how frames are drawn, and what keys are called in the footer."""

from __future__ import annotations

from typing import TypeVar

from textual.app import App
from textual.binding import Binding

from arena_tui.console.keys import key_name

Result = TypeVar("Result")


class FramedApp(App[Result]):
    """`plain_ascii` draws frames and keys without a sign that ASCII lacks; set it before the app runs."""

    plain_ascii = False

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """`$frame` is the border of everything that has one."""
        return {"frame": "ascii" if self.plain_ascii else "round"}

    def get_key_display(self, binding: Binding) -> str:
        """The key as a person types it."""
        return key_name(binding.key.partition(",")[0])
