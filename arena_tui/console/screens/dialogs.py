"""The small questions: choose one of a few answers, confirm, type a line, change the limits.

Each is a modal screen whose result says what the person wants; Esc is always "nothing".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from arena_tui.console.actions import bindings
from arena_tui.console.limits import in_force, spent_of
from arena_tui.console.widgets.limit_lines import LimitLines
from arena_tui.console.widgets.line import Line
from arena_tui.console.widgets.path_line import Offered, PathInput
from arena_tui.console.widgets.plain import PlainStatic, notify, safe, safe_line
from arena_tui.engine.state import RunState

Result = TypeVar("Result")

DIALOG_CSS = """
    {name} {{
        align: center middle;
        background: $background 60%;
        & > Vertical {{
            width: 66; max-width: 94%; height: auto; max-height: 90%;
            border: $frame $primary; background: $surface; padding: 0 1;
        }}
        & .question {{ text-style: bold; height: auto; max-height: 6; }}
        & .detail {{ height: auto; max-height: 10; color: $text-muted; }}
        & .detail PlainStatic {{ height: auto; }}
        & .all-wrong {{ height: auto; max-height: 8; }}
        & .wrong {{ height: auto; color: $text-error; }}
        & .hint {{ height: auto; color: $text-muted; margin: 1 0 0 0; }}
        & Horizontal.choices {{ height: auto; margin: 1 0 0 0; }}
        & Vertical.choices {{ height: auto; margin: 1 0 0 0; }}
        & Button {{ margin: 0 1 0 0; min-width: 8; background: $boost; color: $text; text-style: none; }}
        & Button:focus {{ background: $primary-muted; text-style: bold reverse; }}
        & Input {{ margin: 1 0 0 0; border: none; height: 1; padding: 0 1; background: $boost; }}
        & Input:focus {{ border: none; background: $primary-muted; }}
        & LimitLines Input {{ margin: 0; }}
    }}
"""
NARROW = 64  # cells of answers beyond which they stand one below the other


class ChooseScreen(ModalScreen[str | None]):
    """A question with a few answers, each (key, label). Enter takes the one in focus, at first `default`;
    a key takes its answer directly; Esc takes none.

    `again` names keys that take the default, so that a second q or ctrl+c leaves; for a key that the app
    has bound with priority, the app calls `take_default`.
    """

    DEFAULT_CSS = DIALOG_CSS.format(name="ChooseScreen")
    BINDINGS = bindings("dialog", "choices")
    AUTO_FOCUS = ".default"

    def __init__(
        self,
        question: str,
        choices: Sequence[tuple[str, str]],
        default: str,
        *,
        detail: str = "",
        again: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._choices = tuple(choices)
        self._default = default
        self._again = frozenset(again)

    def compose(self) -> ComposeResult:
        """The question, the answers as buttons with their keys."""
        with Vertical():
            yield PlainStatic(safe(self._question), classes="question")
            if self._detail:
                with VerticalScroll(classes="detail", can_focus=False):
                    yield PlainStatic(safe(self._detail))
            labels = [f" {key}  {safe_line(label, 50)} " for key, label in self._choices]
            stacked = sum(len(label) + 3 for label in labels) > NARROW
            with Vertical(classes="choices") if stacked else Horizontal(classes="choices"):
                for place, (key, _) in enumerate(self._choices):
                    classes = "default" if key == self._default else ""
                    yield Button(Content(labels[place]), id=f"choice-{place}", compact=True, classes=classes)

    def take_default(self) -> None:
        """The default answer, whatever is in focus."""
        self.answered(self._default)

    def answered(self, key: str | None) -> None:
        """Close with an answer."""
        if self.is_current:
            self.dismiss(key)

    def action_cancel(self) -> None:
        """No answer."""
        self.answered(None)

    def action_next_choice(self) -> None:
        """To the next answer."""
        self.focus_next()

    def action_previous_choice(self) -> None:
        """To the answer before."""
        self.focus_previous()

    def on_key(self, event: Key) -> None:
        """The answers' own keys."""
        typed = event.character if event.character and event.character.isprintable() else event.key
        keys = [key for key, _ in self._choices]
        if typed not in keys and typed.lower() in keys:
            typed = typed.lower()
        if typed in keys:
            event.stop()
            self.answered(typed)
            return
        if event.key in self._again:
            event.stop()
            self.take_default()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        place = int((event.button.id or "").removeprefix("choice-"))
        self.answered(self._choices[place][0])


class ConfirmScreen(ModalScreen[bool]):
    """Yes or no, with the safe answer in focus: Enter alone changes nothing. `yes` and `no` are what the
    answers say; their keys are y and n."""

    DEFAULT_CSS = DIALOG_CSS.format(name="ConfirmScreen")
    BINDINGS = bindings("dialog", "choices")
    AUTO_FOCUS = "#no"

    def __init__(self, question: str, detail: str = "", *, yes: str = "Yes", no: str = "No") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        """The question, what it means, both answers."""
        with Vertical():
            yield PlainStatic(safe(self._question), classes="question")
            if self._detail:
                with VerticalScroll(classes="detail", can_focus=False):
                    yield PlainStatic(safe(self._detail))
            with Horizontal(classes="choices"):
                yield Button(Content(f" y  {safe_line(self._yes, 24)} "), id="yes", compact=True)
                yield Button(Content(f" n  {safe_line(self._no, 24)} "), id="no", compact=True)

    def take_default(self) -> None:
        """The safe answer."""
        self.answered(False)

    def answered(self, yes: bool) -> None:
        """Close with an answer."""
        if self.is_current:
            self.dismiss(yes)

    def action_cancel(self) -> None:
        """No."""
        self.answered(False)

    def action_next_choice(self) -> None:
        """To the other answer."""
        self.focus_next()

    def action_previous_choice(self) -> None:
        """To the other answer."""
        self.focus_previous()

    def on_key(self, event: Key) -> None:
        """y and n."""
        if event.key.lower() in ("y", "n"):
            event.stop()
            self.answered(event.key.lower() == "y")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.answered(event.button.id == "yes")


class AskScreen(ModalScreen[str | None]):
    """One line to type. `validate` says in a sentence what is wrong with it, "" when nothing is; then
    `attempt` does what the line is for, and says the same of that. The line stays until both are content.
    Esc gives None. With `suffixes` a path is typed: Tab completes to folders and such files."""

    DEFAULT_CSS = DIALOG_CSS.format(name="AskScreen")
    BINDINGS = bindings("dialog")

    def __init__(
        self,
        question: str,
        placeholder: str = "",
        validate: Callable[[str], str] = lambda _: "",
        *,
        value: str = "",
        detail: str = "",
        attempt: Callable[[str], Awaitable[str]] | None = None,
        suffixes: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._question = question
        self._placeholder = placeholder
        self._validate = validate
        self._attempt = attempt
        self._trying = False
        self._suffixes = tuple(suffixes)
        self._value = value
        self._detail = detail

    def compose(self) -> ComposeResult:
        """The question, the line, and room for what is wrong."""
        with Vertical():
            yield PlainStatic(safe(self._question), classes="question")
            if self._detail:
                with VerticalScroll(classes="detail", can_focus=False):
                    yield PlainStatic(safe(self._detail))
            value, placeholder = safe_line(self._value), safe_line(self._placeholder, 200)
            if self._suffixes:
                yield PathInput(value, placeholder=placeholder, suffixes=self._suffixes)
                yield Offered(suffixes=self._suffixes)
            else:
                yield Line(value, placeholder=placeholder, compact=True)
            with VerticalScroll(classes="all-wrong", can_focus=False):
                yield PlainStatic("", classes="wrong")
            completes = "Tab completes, " if self._suffixes else ""
            yield PlainStatic(f"Enter takes it, {completes}Esc leaves", classes="hint")

    def on_mount(self) -> None:
        """Name the files at hand."""
        for offered in self.query(Offered):
            offered.offer(self._value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._tell("")
        for offered in self.query(Offered):
            offered.offer(event.value)

    def _tell(self, wrong: str) -> None:
        self.query_one(".wrong", PlainStatic).show(safe(wrong))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        wrong = self._validate(event.value)
        if wrong:
            self._tell(wrong)
        elif self._attempt is None:
            self._taken(event.value)
        elif not self._trying:
            self._trying = True
            self.app.run_worker(self._try(self._attempt, event.value), group="ask")

    async def _try(self, attempt: Callable[[str], Awaitable[str]], value: str) -> None:
        """A worker of the app: what has begun is not cut off when the person leaves meanwhile."""
        wrong = await attempt(value)
        self._trying = False
        if not wrong:
            self._taken(value)
        elif self.is_current:
            self._tell(wrong)
        else:
            notify(self.app, wrong, severity="error")

    def _taken(self, value: str) -> None:
        if self.is_current:
            self.dismiss(value)

    def action_cancel(self) -> None:
        """Nothing."""
        if self.is_current:
            self.dismiss(None)


class LimitsScreen(ModalScreen[dict[str, str] | None]):
    """The limits in force, to be changed: the result holds those that were, as typed, "" for none any
    more; None after Esc. `question` and `hint` say what Enter does."""

    DEFAULT_CSS = DIALOG_CSS.format(name="LimitsScreen")
    BINDINGS = bindings("dialog", "choices")

    def __init__(
        self,
        state: RunState,
        *,
        question: str = "Limits in force",
        hint: str = "Enter sets what you changed, Esc leaves; empty: no limit",
    ) -> None:
        super().__init__()
        self._state = state
        self._question = question
        self._hint = hint

    def compose(self) -> ComposeResult:
        """A line for each limit, with what is spent of it."""
        with Vertical():
            yield PlainStatic(self._question, classes="question")
            yield LimitLines(in_force(self._state), spent_of(self._state))
            yield PlainStatic(self._hint, classes="hint")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        lines = self.query_one(LimitLines)
        if not lines.check():
            lines.focus_first()
        elif self.is_current:
            self.dismiss(lines.changed)

    def action_next_choice(self) -> None:
        """To the next line."""
        self.focus_next()

    def action_previous_choice(self) -> None:
        """To the line before."""
        self.focus_previous()

    def action_cancel(self) -> None:
        """Change nothing."""
        if self.is_current:
            self.dismiss(None)
