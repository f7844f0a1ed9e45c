"""Ready: what a tournament file would take, with limits to edit, before anything is spent.

The forecast is made here again whenever a limit has changed; only Enter starts, by a message to the app.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer

from arena_tui.console.actions import bindings
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.ports import Arena, Forecast, Setup
from arena_tui.console.ready_text import facts_text, forecast_text, probe_text, unfinished_text
from arena_tui.console.widgets.limit_lines import LimitLines
from arena_tui.console.widgets.plain import PlainStatic, safe, safe_line
from arena_tui.console.widgets.problems import Problems
from arena_tui.errors import ArenaError, UsageError
from arena_tui.values import counted

REST = 0.5  # seconds without typing after which the forecast is made anew
BESIDE = 100  # cells from which the limits stand beside the forecast
SPIN = 0.1  # seconds a picture of the spinner stands


class ReadyScreen(Screen[None]):
    """`rest` is how long nothing must be typed before the forecast is made anew."""

    DEFAULT_CSS = """
    ReadyScreen {
        & #body { height: 1fr; padding: 0 1; }
        & #facts { height: auto; max-width: 120; }
        & #ready-problems { height: auto; }
        & #columns { height: auto; max-width: 140; margin: 1 0 0 0; }
        & #limits-box, & #forecast-box { height: auto; border: $frame $surface-lighten-2; padding: 0 1; }
        & #limits-box { width: 38; }
        &.stacked #columns { layout: vertical; margin: 0; }
        &.stacked #limits-box, &.stacked #forecast-box { width: 1fr; }
        & #limits-box:focus-within { border: $frame $primary; }
        & #forecast-box { width: 1fr; min-height: 7; }
        & #limits-box, & #forecast-box { border-title-color: $text-muted; }
        & #forecast { height: auto; }
        & #probe, & #unfinished { height: auto; }
        & #headline {
            height: auto; max-height: 3; padding: 0 1; text-style: bold;
            background: $primary-muted; color: $text;
        }
        & #headline.-blocked { background: $surface; color: $text-error; }
    }
    """
    BINDINGS = bindings("ready")
    AUTO_FOCUS = ""

    class StartWanted(Message):
        """Make the run and drive it. `limits` holds every limit as typed; `fresh`: do not go on with the
        unfinished one."""

        def __init__(self, setup: Setup, limits: Mapping[str, str], fresh: bool) -> None:
            self.setup = setup
            self.limits = limits
            self.fresh = fresh
            super().__init__()

    def __init__(self, arena: Arena, setup: Setup, *, glyphs: Glyphs = UNICODE, rest: float = REST) -> None:
        super().__init__()
        self._arena = arena
        self._setup = setup
        self._glyphs = glyphs
        self._rest = rest
        self._fresh = setup.unfinished is None
        self._found: Forecast | None = None
        self._wrong = ""  # why there is no forecast
        self._forecasted: dict[str, str] | None = None  # the limits it was made for
        self._bad_limits = False
        self._asking: set[str] = {"forecast", "probe"}  # what is being waited for
        self._probed = ("", True)
        self._starting = False
        self._turn = 0
        self._typed: Timer | None = None

    def compose(self) -> ComposeResult:
        """Facts, problems, the judge, the unfinished run, the forecast beside the limits or above them; the
        headline below."""
        with VerticalScroll(id="body", can_focus=False):
            yield PlainStatic("", id="facts")
            yield Problems(id="ready-problems")
            yield PlainStatic("", id="probe")
            yield PlainStatic("", id="unfinished")
            with Horizontal(id="columns"):
                with Vertical(id="forecast-box"):
                    yield PlainStatic("", id="forecast")
                with Vertical(id="limits-box"):
                    yield LimitLines(self._setup.limits)
        yield PlainStatic("", id="headline")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Forecast and probe; neither costs anything."""
        self.query_one("#limits-box").border_title = Content("limits (Tab to edit)")
        whole = " of a whole run, from its first match" if self._setup.unfinished is not None else ""
        self.query_one("#forecast-box").border_title = Content(f"forecast{whole}")
        self.query_one("#unfinished").display = self._setup.unfinished is not None
        self.query_one("#facts", PlainStatic).show(facts_text(self._setup))
        lead = "this keeps the run from starting:"
        self.query_one("#ready-problems", Problems).tell(self._setup.problems, lead)
        self.set_interval(SPIN, self._spin)
        self._forecast()
        self._probe()
        self._draw()

    # --- forecast ----------------------------------------------------------------------------------

    @on(LimitLines.Edited)
    def _edited(self, event: LimitLines.Edited) -> None:
        event.stop()
        if self._typed is not None:
            self._typed.stop()
        if self._starting or self.query_one(LimitLines).values == self._forecasted:
            return
        self._typed = self.set_timer(self._rest, self._forecast)

    def _forecast(self) -> None:
        lines = self.query_one(LimitLines)
        self._found, self._wrong = None, ""
        self._bad_limits = not lines.check()
        self._forecasted = lines.values
        if self._bad_limits:
            self._wrong = "a limit cannot be read"
            self._asking.discard("forecast")
            self.workers.cancel_group(self, "forecast")
        else:
            self._asking.add("forecast")
            self._make_forecast(lines.values)
        self._draw()

    @work(exclusive=True, group="forecast")
    async def _make_forecast(self, limits: Mapping[str, str]) -> None:
        try:
            self._found = await self._arena.forecast(self._setup, limits)
        except UsageError as error:
            self._bad_limits = self.query_one(LimitLines).blame(str(error))
            self._wrong = str(error)
        except ArenaError as error:
            self._wrong = str(error)
        self._asking.discard("forecast")
        self._draw()

    # --- the judge ---------------------------------------------------------------------------------

    @work(exclusive=True, group="probe")
    async def _probe(self) -> None:
        try:
            self._probed = await self._arena.probe(self._setup), True
        except ArenaError as error:
            self._probed = str(error), False
        self._asking.discard("probe")
        self._draw()

    def action_probe(self) -> None:
        """Ask again whether the judge is there."""
        self._asking.add("probe")
        self._probe()
        self._draw()

    # --- drawing -----------------------------------------------------------------------------------

    def _spin(self) -> None:
        if self._asking:
            self._turn += 1
            self._draw()

    def _draw(self) -> None:
        if self not in self.app.screen_stack:
            return  # the run has begun, and an answer comes that was waited for
        self.query_one("#forecast", PlainStatic).show(self._forecast_text())
        self.query_one("#probe", PlainStatic).show(
            probe_text(*self._probed, self._glyphs, self._spinner if "probe" in self._asking else "")
        )
        self.query_one("#unfinished", PlainStatic).show(
            unfinished_text(self._setup, self._fresh, self._glyphs)
        )
        headline = self.query_one("#headline", PlainStatic)
        told, blocked = self._headline()
        headline.show(told)
        headline.set_class(blocked, "-blocked")

    @property
    def _spinner(self) -> str:
        return self._glyphs.spinner[self._turn % len(self._glyphs.spinner)]

    def _forecast_text(self) -> Text:
        if "forecast" in self._asking:
            return Text(f"{self._spinner} playing it with a simulated judge")
        if self._found is None:
            return Text(safe(self._wrong))
        return forecast_text(self._found, self.query_one("#forecast").size.width or 60)

    def _headline(self) -> tuple[str, bool]:
        """The sentence at the foot, and whether nothing can start."""
        if self._starting:
            return f"{self._spinner} starting", False
        if self._setup.problems:
            return f"cannot start: {counted(len(self._setup.problems), 'problem')} above", True
        if self._bad_limits:
            return "cannot start: a limit above is not right", True
        verb = "starts" if self._fresh else "goes on"
        if self._found is not None:
            whole = "" if self._fresh else "a whole run takes "
            return f"{whole}{safe_line(self._found.headline, 200)}: Enter {verb}", False
        return f"Enter {verb}; nothing is spent before", False

    # --- what the person wants ---------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A fresh run is a choice only beside one to go on with."""
        return action != "fresh" or self._setup.unfinished is not None

    def action_fresh(self) -> None:
        """Start a fresh run instead of going on, and back."""
        if self._setup.unfinished is not None:
            self._fresh = not self._fresh
            self._draw()

    def on_resize(self) -> None:
        """Another width: other line ends."""
        self.set_class(self.size.width < BESIDE, "stacked")
        self.call_after_refresh(self._draw)

    def action_page_on(self) -> None:
        """One page down."""
        self.query_one("#body").scroll_page_down(animate=False)

    def action_page_back(self) -> None:
        """One page up."""
        self.query_one("#body").scroll_page_up(animate=False)

    def on_click(self, event: Click) -> None:
        """A click on the choice is the same as its key."""
        if event.widget is not None and event.widget.id == "unfinished":
            self.action_fresh()

    def action_start(self) -> None:
        """Start, unless something stands against it, which is told where it is."""
        lines = self.query_one(LimitLines)
        if self._starting:
            return
        if not lines.check() or self._setup.problems:
            self._bad_limits = not lines.check()
            self._draw()
            if self._bad_limits:
                lines.focus_first()
            return
        self._starting = True
        self.workers.cancel_group(self, "forecast")  # making the run needs the processor
        self._asking.add("start")
        self._draw()
        self.post_message(self.StartWanted(self._setup, lines.values, self._fresh))

    def refused(self, sentence: str) -> None:
        """The start failed: say why, and let the person try again."""
        self._starting = False
        self._asking.discard("start")
        if "forecast" in self._asking:  # it was cut off
            self._asking.discard("forecast")
            self._forecasted = None
        self._bad_limits = self.query_one(LimitLines).blame(sentence)
        if not self._bad_limits:
            self._found, self._wrong = None, sentence
        self._draw()
