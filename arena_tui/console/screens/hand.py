"""Judging by hand: one question at a time, blind to names, ids and ratings.

An answer is held back until the next one is given, the screen is left or some seconds have passed, so that it
can be taken back; the screen looks for questions itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from textual import on
from textual.app import ComposeResult
from textual.events import Key as KeyPress
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer, Input

from arena_tui.console.actions import bindings
from arena_tui.console.by_hand import BlindMatches, Questions, SessionQuestions
from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.lines import Block
from arena_tui.console.ports import Waiting
from arena_tui.console.screens.match import WIDE
from arena_tui.console.speech import blocks_of, whole
from arena_tui.console.widgets.line import Line
from arena_tui.console.widgets.paper import Paper
from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.console.widgets.sections import Section
from arena_tui.console.widgets.side_by_side import SideBySide, text_sections
from arena_tui.vocabulary import Said

__all__ = ["BlindMatches", "HandScreen", "SessionQuestions"]

HELD = 5.0
"""Seconds after which an answer is passed on."""
HELD_ALONE = 2.0
"""The same when nothing else waits: the next question may come only then."""
_WORDS: dict[Said, str] = {
    "first": "text 1 is better",
    "second": "text 2 is better",
    "draw": "neither is better",
    "invalid": "skipped",
}


@dataclass(frozen=True, slots=True)
class _Held:
    """An answer that is not passed on yet; `at` is when it was given."""

    question: Waiting
    said: Said
    reason: str
    at: float


class NoteLine(Line):
    """The line for a reason; Enter keeps it, Esc takes it back."""

    DEFAULT_CSS = """
    NoteLine { dock: bottom; height: 1; border: none; padding: 0 1; display: none; background: $surface; }
    NoteLine.open { display: block; }
    NoteLine:focus { border: none; background: $boost; }
    """


class HandScreen(Screen[None]):
    """Questions for the person at the keyboard."""

    help_title = "Judging by hand"
    help_text = (
        "Say which of the two texts answers the task better: 1 or 2, t when neither is, s when you cannot "
        "say. n writes down a reason that goes with your next answer, u takes the last answer back for some "
        "seconds. You do not see whose texts these are, nor how they stand."
    )
    DEFAULT_CSS = """
    HandScreen {
        & > .place { height: 1; padding: 0 1; text-style: bold; background: $boost; }
        & > #question {
            height: auto; max-height: 30%; min-height: 3;
            border: $frame $panel; border-title-color: $text-muted;
        }
        & > #question:focus { border: $frame $primary; border-title-color: $text; }
        & > .told { height: auto; max-height: 3; padding: 0 1; }
        &.idle > SideBySide { display: none; }
        &.idle > #question { height: 1fr; max-height: 100%; }
    }
    """
    BINDINGS = bindings("hand")
    AUTO_FOCUS = "SideBySide > Paper"

    def __init__(self, source: Questions, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.clock: Callable[[], float] = monotonic
        self._source = source
        self._glyphs = glyphs
        self._asked: Waiting | None = None
        self._held: _Held | None = None
        self._note = ""
        self._sentence = ""  # what is to be said about the last key
        self._idle: tuple[str, ...] = ()
        self._applies = False, False  # what `check_action` looks at, as the footer shows it
        self._place = PlainStatic(classes="place")
        self._question = Paper(id="question")
        self._texts = SideBySide()
        self._told = PlainStatic(classes="told")
        self._line = NoteLine(placeholder="why; goes with your next answer", compact=True)

    def compose(self) -> ComposeResult:
        """How far it is, the question, both texts, what was answered last, the line for a reason."""
        yield self._place
        yield self._question
        yield self._texts
        yield self._told
        yield self._line
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Look for questions from now on."""
        self._question.titled("Task")
        self._texts.first.titled("Text 1")
        self._texts.second.titled("Text 2")
        self._source.when_stopping(self._pass_on)
        self.pull()
        self.set_interval(0.25, self.pull)

    def on_unmount(self) -> None:
        """What is held back is passed on."""
        self._source.when_stopping(lambda: None)
        self._pass_on()

    # --- looking ---------------------------------------------------------------------------------

    def pull(self) -> None:
        """Look for the question to put, and pass on what was held back long enough."""
        held = self._held
        if held is not None:
            limit = HELD_ALONE if self._asked is None else HELD
            if self.clock() - held.at >= limit:
                self._pass_on()
        waiting = self._source.waiting()
        back = None if self._held is None else self._held.question.key
        open_ = [question for question in waiting if question.key != back]
        asked = self._asked
        if asked is not None and asked.key not in {question.key for question in open_}:
            self._asked = None
        if self._asked is None and open_:
            self._put(open_[0])
        elif self._asked is None:
            self._rest()
        self._tell()
        self._offer_keys()

    def _offer_keys(self) -> None:
        """The footer is made anew only when other keys apply."""
        applies = self._asked is not None, self._held is not None
        if applies != self._applies:
            self._applies = applies
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Answers only to a question; the footer shows the other keys not at all."""
        if action in ("first", "second", "tie", "skip", "note"):
            return self._asked is not None
        return action != "undo" or self._asked is not None or self._held is not None

    def _put(self, question: Waiting) -> None:
        self._asked = question
        self._idle = ()
        self.remove_class("idle")
        sections = [Section(blocks_of(whole(question.task), self._glyphs))]
        if question.criteria:
            rows = [
                Block(_criterion(*each), first=f"{self._glyphs.bullet} ", rest="  ")
                for each in question.criteria.items()
            ]
            sections.append(Section(rows))
        if question.prompt:
            blocks = blocks_of(whole(question.prompt), self._glyphs)
            sections.append(Section([Block("Prompt", style="heading"), *blocks]))
        self._question.titled("Task")
        self._question.show(sections, to_end=False)
        papers = (self._texts.first, self._texts.second)
        texts = ((question.first, question.first_review), (question.second, question.second_review))
        for paper, (text, review) in zip(papers, texts, strict=True):
            paper.show(text_sections(text, review, self._glyphs), to_end=False)
        if self.focused is None or self.focused is self._question:
            self._texts.first.focus()
        self._source.shown(question.key)

    def _rest(self) -> None:
        """Nothing to ask: say so, or how it ended."""
        ending = tuple(self._source.ending()) if self._held is None else ()
        told = ending or (self._source.rest,)
        if told == self._idle:
            return
        self._idle = told
        self.add_class("idle")
        self._question.titled("Result" if ending else "")
        blocks = [
            Block(safe_line(line, 400), rest="  ", style="" if number else "heading")
            for number, line in enumerate(told)
        ]
        self._question.show([Section(blocks)], to_end=False)
        self._question.focus()

    def _tell(self) -> None:
        self._place.show(f"Judging by hand: {safe_line(self._source.progress(), 100)}")
        told = [f"{self._glyphs.bad} {self._sentence}"] if self._sentence else []
        if self._held is not None:
            told.append(f"{self._glyphs.good} {_WORDS[self._held.said]}; u takes it back")
        if self._note:
            told.append(f"note: {safe_line(self._note, 200)}")
        if not told and self._asked is not None:
            tie = ", t neither" if self._asked.draws else ""
            told.append(f"Which is better? 1 text 1, 2 text 2{tie}, s cannot say")
        self._told.show("\n".join(told))

    def _say(self, sentence: str) -> None:
        self._sentence = sentence
        self._tell()

    # --- answers ---------------------------------------------------------------------------------

    def _pass_on(self) -> None:
        held, self._held = self._held, None
        if held is not None and not self._source.answer(held.question.key, held.said, held.reason):
            self._sentence = "that question is gone: your last answer was not needed"

    def _answered(self, said: Said) -> None:
        question = self._asked
        if question is None:
            return
        if said == "draw" and not question.draws:
            self._say("draws are off here: one of the two has to be better")
            return
        self._sentence = ""
        self._pass_on()
        self._held = _Held(question, said, self._note, self.clock())
        self._asked, self._note = None, ""
        self._line.value = ""
        self.pull()

    def action_first(self) -> None:
        """Text 1 is better."""
        self._answered("first")

    def action_second(self) -> None:
        """Text 2 is better."""
        self._answered("second")

    def action_tie(self) -> None:
        """Neither is better."""
        self._answered("draw")

    def action_skip(self) -> None:
        """The person cannot say."""
        self._answered("invalid")

    def action_undo(self) -> None:
        """Put the last question again, with its note."""
        held, self._held = self._held, None
        if held is None:
            self._say("there is no answer to take back: the last one is passed on")
            return
        self._sentence = ""
        self._note = self._line.value = held.reason
        self._asked = None
        if held.question.key in {question.key for question in self._source.waiting()}:
            self._put(held.question)
        self.pull()

    # --- the note ----------------------------------------------------------------------------------

    async def action_back(self) -> None:
        """Leave, as everywhere."""
        await self.app.run_action("back")

    def action_note(self) -> None:
        """Open the line for a reason."""
        self._line.add_class("open")
        self.set_focus(self._line)  # at once: what is typed ahead belongs here

    @on(Input.Submitted)
    def _noted(self, event: Input.Submitted) -> None:
        event.stop()
        self._note = event.value.strip()
        self._close_line()

    def on_key(self, event: KeyPress) -> None:
        """Esc in the line for a reason takes it back."""
        if event.key == "escape" and self.focused is self._line:
            event.stop()
            event.prevent_default()
            self._line.value = self._note
            self._close_line()

    def _close_line(self) -> None:
        self._line.remove_class("open")
        (self._question if self._asked is None else self._texts.first).focus()
        self._tell()

    @on(Resize)
    def _resized(self, event: Resize) -> None:
        self._texts.set_class(event.size.width < WIDE, "stacked")


def _criterion(word: str, meaning: str) -> str:
    return safe_line(word if word == meaning else f"{word}: {meaning}")
