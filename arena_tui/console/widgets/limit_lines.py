"""One line for each limit a person may edit, with what is wrong below the one that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input

from arena_tui.console.limits import HINTS, LABELS, wrong_with
from arena_tui.console.ports import LIMITS
from arena_tui.console.widgets.line import Line
from arena_tui.console.widgets.plain import PlainStatic, safe_line


class LimitLines(Vertical):
    """`given` holds a text for each of LIMITS; `beside` a remark shown behind some of them."""

    DEFAULT_CSS = """
    LimitLines {
        height: auto;
        & Horizontal { height: 1; }
        & .label { width: 9; color: $text-muted; }
        & Input { width: 1fr; max-width: 28; border: none; height: 1; padding: 0 1; background: $surface; }
        & Input:focus { border: none; background: $primary-muted; }
        & Input.-wrong { text-style: underline; color: $text-error; }
        & .beside { width: auto; padding: 0 0 0 1; color: $text-muted; }
        & .wrong { height: auto; color: $text-error; display: none; padding: 0 0 0 9; }
        & .wrong.-told { display: block; }
    }
    """

    class Edited(Message):
        """A limit was typed; `LimitLines.values` has them all."""

    def __init__(
        self, given: Mapping[str, str], beside: Mapping[str, str] | None = None, *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._given = {key: safe_line(given.get(key, "")) for key in LIMITS}
        self._beside = beside or {}

    def compose(self) -> ComposeResult:
        """Label, input, remark; and a line that stays hidden while nothing is wrong."""
        for key in LIMITS:
            with Horizontal():
                yield PlainStatic(LABELS[key], classes="label")
                yield Line(self._given[key], placeholder=HINTS[key], compact=True, id=f"limit-{key}")
                if key in self._beside:
                    yield PlainStatic(safe_line(self._beside[key], 30), classes="beside")
            yield PlainStatic("", id=f"wrong-{key}", classes="wrong")

    @property
    def values(self) -> dict[str, str]:
        """What stands in each line now, without blanks around it."""
        return {key: self._input(key).value.strip() for key in LIMITS}

    @property
    def changed(self) -> dict[str, str]:
        """Those that differ from what was given."""
        return {key: text for key, text in self.values.items() if text != self._given[key]}

    def check(self) -> bool:
        """Tell at each line what is wrong with it; True when all can be read."""
        return not [key for key, text in self.values.items() if self._tell(key, wrong_with(key, text))]

    def blame(self, sentence: str) -> bool:
        """Show a sentence at the line of the limit whose key it names; False when it names none."""
        named = next((key for key in LIMITS if f"limits.{key}" in sentence or sentence.startswith(key)), None)
        return named is not None and self._tell(named, sentence)

    def focus_first(self) -> None:
        """To the first line, or to the first that is wrong."""
        wrong = [key for key in LIMITS if self._input(key).has_class("-wrong")]
        self._input((*wrong, *LIMITS)[0]).focus()

    def _tell(self, key: str, sentence: str) -> bool:
        told = self.query_one(f"#wrong-{key}", PlainStatic)
        told.show(safe_line(sentence, 300))
        told.set_class(bool(sentence), "-told")
        self._input(key).set_class(bool(sentence), "-wrong")
        return bool(sentence)

    def _input(self, key: str) -> Input:
        return self.query_one(f"#limit-{key}", Input)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        key = (event.input.id or "").removeprefix("limit-")
        self._tell(key, wrong_with(key, event.value))
        self.post_message(self.Edited())
