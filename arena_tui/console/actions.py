"""The registry of all that keys do: from it come the bindings, the footer, the help and the palette.

An act's id is `place.name`; its widget or screen has a method `action_name`. A user file may give any act
another key by that id (see `user_file`).
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a key does. `words` is for the footer, `tooltip` a sentence for help and palette.

    `show`: the footer names it where it applies.
    """

    id: str
    keys: str
    words: str
    tooltip: str
    show: bool = False
    priority: bool = False

    @property
    def place(self) -> str:
        """Where it applies: app, run, board, ..."""
        return self.id.partition(".")[0]

    @property
    def action(self) -> str:
        """The name of the action method without its `action_`."""
        return self.id.partition(".")[2]


PLACES = {
    "app": "Everywhere",
    "run": "A run",
    "rows": "Lists",
    "paper": "Texts",
    "board": "Leaderboard",
    "debate": "Transcript",
    "tree": "Lineage",
    "groups": "Groups",
    "entrant": "Candidate under the cursor",
    "home": "Home",
    "ready": "Ready",
    "candidate": "Candidate",
    "match": "Match",
    "hand": "Judging by hand",
    "history": "Rating history",
    "judge_report": "Judge report",
    "dialog": "Questions",
    "help": "Help",
    "over": "Lists over a screen",
    "choices": "Questions with answers to choose from",
    "path": "The line for a path",
    "diff": "Difference to a parent",
}
"""place -> its heading in help, in the order of the key table."""

ACTS: tuple[Act, ...] = (
    Act("app.help", "question_mark", "help", "All keys, searchable.", show=True),
    Act("app.back", "escape", "back", "Go back to where you came from; never quits.", show=True),
    Act("app.quit_console", "q", "quit", "Leave; asks while a run is active.", show=True),
    Act("app.interrupt", "ctrl+c", "abort", "Ask whether to abort, as the abort key does.", priority=True),
    Act("app.shoot", "f12", "screenshot", "Save a picture (SVG) of the screen."),
    Act("app.next_theme", "f9", "theme", "The next theme."),
    Act("run.pause", "space,p", "pause", "Pause: nothing new starts. Once more: go on.", show=True),
    Act("run.abort", "a", "abort", "Abort the run, after a question; it can be resumed.", show=True),
    Act("run.resume", "R", "resume", "Go on with a run that has stopped.", show=True),
    Act("run.limits", "L", "limits", "Change the limits in force."),
    Act("run.add", "plus", "add", "Add candidates from a file."),
    Act("run.groups", "g", "groups", "The groups of the run.", show=True),
    Act("run.history", "H", "history", "How ratings developed, and the run at an earlier moment."),
    Act("run.judge", "J", "judge", "What is known about the judge."),
    Act("run.hand", "h", "by hand", "Judge the match on screen, or what waits for you, by hand."),
    Act("run.export", "e", "export", "Write standings, matches, comparisons or the config to a file."),
    Act("run.zoom", "z", "zoom", "The pane in focus alone, and back."),
    Act("run.home", "O", "home", "All runs."),
    Act("run.match_before", "left_square_bracket", "previous", "The match before, in the transcript."),
    Act("run.match_after", "right_square_bracket", "next", "The match after, in the transcript."),
    Act("run.pane('board')", "1", "board", "Go to the leaderboard."),
    Act("run.pane('debate')", "2", "debate", "Go to the transcript."),
    Act("run.pane('tree')", "3", "lineage", "Go to the lineage."),
    Act("run.pane('status')", "4", "status", "Go to the status."),
    Act("rows.row_up", "up,k", "up", "One row up."),
    Act("rows.row_down", "down,j", "down", "One row down."),
    Act("rows.page_rows_up", "pageup", "page up", "One page up."),
    Act("rows.page_rows_down", "pagedown", "page down", "One page down."),
    Act("rows.first_row", "home", "first", "To the first row."),
    Act("rows.last_row", "end", "last", "To the last row."),
    Act("rows.choose_row", "enter", "open", "Open the row under the cursor.", show=True),
    Act("paper.scroll_up", "up,k", "up", "One line up."),
    Act("paper.scroll_down", "down,j", "down", "One line down."),
    Act("paper.page_up", "pageup", "page up", "One page up."),
    Act("paper.page_down", "pagedown", "page down", "One page down."),
    Act("paper.scroll_home", "home", "start", "To the start."),
    Act("paper.scroll_end", "end", "end", "To the end."),
    Act("board.sort_left", "less_than_sign", "sort", "Sort by the column to the left."),
    Act("board.sort_right", "greater_than_sign", "sort", "Sort by the column to the right."),
    Act("board.reverse", "r", "reverse", "Turn the order round."),
    Act("board.filter", "slash", "filter", "Show only rows that hold some words.", show=True),
    Act("board.copy", "y", "copy", "Copy the row."),
    Act("entrant.pin", "i", "pin", "Pin the candidate; once more: unpin.", show=True),
    Act("entrant.reject", "x", "reject", "Reject the candidate; once more: restore.", show=True),
    Act("entrant.focus_on", "n", "play next", "Have the candidate play next."),
    Act("entrant.diff", "d", "diff", "The words that differ from the parent's."),
    Act("debate.previous_match", "left_square_bracket", "previous", "The match before.", show=True),
    Act("debate.next_match", "right_square_bracket", "next", "The match after."),
    Act("debate.follow", "f", "follow", "Follow the newest match.", show=True),
    Act("debate.in_flight", "m", "in flight", "The matches in flight, to choose one."),
    Act("debate.filter", "slash", "search", "Find words in the transcript."),
    Act("debate.copy", "y", "copy", "Copy the newest turn in sight."),
    Act("debate.open_match", "enter", "match", "The whole match: texts, turns, replies, verdict.", show=True),
    Act("tree.fold", "c", "fold", "Fold or unfold the descendants.", show=True),
    Act("tree.fold_away", "left", "fold away", "Fold the descendants; then on to the parent."),
    Act("tree.unfold", "right", "unfold", "Unfold the descendants; then on to the first child."),
    Act("tree.living", "f", "show", "Show all, the living, or one lineage.", show=True),
    Act("tree.filter", "slash", "filter", "Show only nodes that hold some words."),
    Act("tree.copy", "y", "copy", "Copy the row."),
    Act("groups.sort_left", "less_than_sign", "sort", "Sort by the column to the left.", show=True),
    Act("groups.sort_right", "greater_than_sign", "sort", "Sort by the column to the right."),
    Act("groups.reverse", "r", "reverse", "Turn the order round."),
    Act("groups.filter", "slash", "filter", "Show only groups that hold some words.", show=True),
    Act("home.new_run", "n", "new run", "A new run from a tournament file.", show=True),
    Act("home.resume", "R", "resume", "Go on with the run.", show=True),
    Act("home.compare", "c", "compare", "Compare two runs: mark one, then choose the other.", show=True),
    Act("home.delete", "D", "delete", "Delete the run, after a question.", show=True),
    Act("home.filter", "slash", "filter", "Show only runs that hold some words."),
    Act("ready.start", "enter", "start", "Start: from here on calls are made.", show=True, priority=True),
    Act("ready.fresh", "f8", "fresh run", "Start a fresh run instead of going on, and back.", show=True),
    Act("ready.probe", "f7", "ask judge", "Ask again whether the judge is there; free of charge.", show=True),
    Act("ready.page_on", "pagedown", "page down", "One page down."),
    Act("ready.page_back", "pageup", "page up", "One page up."),
    Act("path.complete", "tab", "complete", "Complete the name of the file."),
    Act("path.to_list", "down", "choose", "To the list below."),
    Act("judge_report.reload", "f5", "again", "Read the report anew.", show=True),
    Act("over.close", "escape,g", "back", "Close the list.", show=True),
    Act("help.search", "slash", "search", "Find a key or a word.", show=True),
    Act("help.close", "escape,q,question_mark", "close", "Close help.", show=True),
    Act("dialog.cancel", "escape", "leave", "Leave the question without an answer."),
    Act("choices.next_choice", "right,down", "next", "To the next answer."),
    Act("choices.previous_choice", "left,up", "previous", "To the answer before."),
    Act("candidate.copy", "y", "copy", "Copy the text."),
    Act("match.differences", "d", "diff", "Mark the words that differ.", show=True),
    Act("match.overrule", "o", "overrule", "Give the match another outcome.", show=True),
    Act("match.raw", "w", "raw", "The replies as they came.", show=True),
    Act("match.hand", "h", "by hand", "Judge it by hand: no names, a new order.", show=True),
    Act("match.next_part", "tab", "next part", "To the next of the texts and the turns."),
    Act("match.previous_part", "shift+tab", "part before", "To the one before."),
    Act("match.copy", "y", "copy", "Copy what was said."),
    Act("hand.first", "1", "first", "Text 1 is better.", show=True),
    Act("hand.second", "2", "second", "Text 2 is better.", show=True),
    Act("hand.tie", "t", "tie", "Neither is better.", show=True),
    Act("hand.skip", "s", "skip", "You cannot say.", show=True),
    Act("hand.undo", "u", "undo", "Take the last answer back, while it is not passed on.", show=True),
    Act("hand.note", "n", "note", "Write down a reason.", show=True),
    Act("hand.back", "escape", "back", "Leave; the answers given count.", show=True),
    Act("history.earlier", "left", "earlier", "One match back.", show=True),
    Act("history.later", "right", "later", "One match on.", show=True),
    Act("history.much_earlier", "shift+left", "far back", "A tenth of the run back."),
    Act("history.much_later", "shift+right", "far on", "A tenth of the run on."),
    Act("history.more", "k", "more", "Show more candidates."),
    Act("history.fewer", "j", "fewer", "Show fewer candidates."),
    Act("history.now", "end", "now", "Back to now."),
    Act(
        "history.show_moment",
        "enter",
        "show",
        "Board and lineage as they were at that moment; the status stays at now.",
        show=True,
    ),
    Act("diff.other_parent", "o", "parent", "Compare with the next parent.", show=True),
    Act("diff.copy", "y", "copy", "Copy the text with its marks."),
)
"""Every act there is, in the order in which help lists them."""


def acts_of(place: str) -> tuple[Act, ...]:
    """The acts of a place."""
    return tuple(act for act in ACTS if act.place == place)


def bindings(*places: str) -> list[BindingType]:
    """The bindings of some places, for a widget or a screen that has their action methods."""
    return [
        Binding(
            act.keys,
            act.action,
            act.words,
            show=act.show,
            priority=act.priority,
            id=act.id,
            tooltip=act.tooltip,
        )
        for place in places
        for act in acts_of(place)
    ]
