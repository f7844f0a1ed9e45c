"""What Ready tells of a tournament file, a forecast, the judge and the unfinished run, as text. Pure."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ports import Forecast, Setup
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.status_text import LABEL, fold
from arena_tui.values import counted

_NOTHING = {"debates": "0% ", "time": "0 s (0 s to 0 s)"}
"""label -> how a line of a forecast begins that tells only that there is none of it."""
SIMULATED = "SIMULATED: no model reads the texts, nothing is paid"


def facts_text(setup: Setup) -> Text:
    """What the file says: its task, who competes, who judges."""
    told = Text()
    told.append(safe_line(setup.name, 100), style="bold")
    field = [
        counted(setup.candidates, "candidate"),
        counted(setup.groups, "group"),
        *([counted(setup.twins, "twin")] if setup.twins else []),
    ]
    judge = f"{safe_line(setup.judge, 60)}  {SIMULATED}" if setup.simulated else safe_line(setup.judge, 100)
    task = safe_line(setup.task, 230)
    lines = [
        ("file", safe_line(setup.file, 300)),
        ("task", task),
        ("format", f"{safe_line(setup.format, 30)}; {', '.join(field)}"),
        *([("", safe_line(setup.does, 300))] if setup.does else []),
        ("judge", judge),
        *(("note", safe_line(note, 300)) for note in setup.notes),
    ]
    for label, text in lines:
        told.append(f"\n{label:<{LABEL}}", style="dim")
        told.append(text, style="bold" if label == "judge" and setup.simulated else "")
    return told


def forecast_text(forecast: Forecast, width: int) -> Text:
    """Its lines, with figures one below the other, at most `width` cells wide."""
    told = Text()
    lines = [
        (safe_line(label, 16), safe_line(text, 300))
        for label, text in forecast.lines
        if not text.startswith(_NOTHING.get(label, "\n"))
    ]
    widest = max((cell_len(label) for label, _ in lines), default=0) + 2
    for label, text in lines:
        head = widest if label else 0
        for place, part in enumerate(fold(text, max(8, width - head), 4)):
            told.append("\n" if told else "")
            told.append(set_cell_size(label if place == 0 else "", head), style="dim")
            told.append(part)
    return told


def probe_text(sentence: str, good: bool, glyphs: Glyphs, spinner: str) -> Text:
    """Whether the judge is there; with a `spinner` that is being asked."""
    told = Text()
    told.append(f"{'judge':<{LABEL}}", style="dim")
    if spinner:
        told.append(f"{spinner} asking whether it is there, free of charge")
        return told
    told.append(f"{glyphs.good if good else glyphs.bad} ", style="bold")
    told.append(safe_line(sentence, 300), style="" if good else "bold")
    told.append("  (F7 asks again, free of charge)", style="dim")
    return told


def unfinished_text(setup: Setup, fresh: bool, glyphs: Glyphs) -> Text:
    """The run that would go on, and the choice to start a `fresh` one instead; nothing without one."""
    told = Text()
    if setup.unfinished is None:
        return told
    run, applied = setup.unfinished
    verb = "does not go on with" if fresh else "goes on with"
    told.append(f"{'run':<{LABEL}}", style="dim")
    told.append(f"{verb} {safe_line(run, 60)} after {counted(applied, 'match', 'matches')}\n")
    told.append(f"{'':<{LABEL}}[{glyphs.good if fresh else ' '}] start a fresh one instead (F8)")
    return told
