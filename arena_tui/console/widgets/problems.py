"""The faults of a tournament file, each with its place and what to do, for screens that show them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from arena_tui.console.widgets.plain import PlainStatic, safe_line
from arena_tui.errors import ArenaError, FileProblems, Problem

MOST = 20  # problems that are shown; nobody mends more at once


class Problems(PlainStatic):
    """A list of faults; without any it takes no room."""

    DEFAULT_CSS = """
    Problems { height: auto; display: none; color: $text-error; }
    Problems.-told { display: block; }
    """

    def tell(self, problems: Sequence[Problem], lead: str = "") -> None:
        """Show these, below a sentence that says what they prevent."""
        lines = [safe_line(lead)] if lead and problems else []
        for problem in problems[:MOST]:
            where = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
            lines.append(safe_line(f"{where}: {problem.message}"))
            if problem.hint:
                lines.append(f"    {safe_line(problem.hint)}")
        if len(problems) > MOST:
            lines.append(f"and {len(problems) - MOST} more")
        self._show("\n".join(lines))

    def tell_error(self, error: ArenaError) -> None:
        """Show what an error says, problem by problem where it holds some."""
        if isinstance(error, FileProblems):
            self.tell(error.problems)
        else:
            self._show(safe_line(str(error)))

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self._show("")

    def _show(self, told: str) -> None:
        self.show(Text(told))
        self.set_class(bool(told), "-told")
