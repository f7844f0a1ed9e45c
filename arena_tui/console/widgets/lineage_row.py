"""How a node of the family forest looks on one line: the branch that leads to it, its sign, its figures."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from arena_tui.console.columns import fit
from arena_tui.console.family import Node, Row
from arena_tui.console.figures import difference_words, rating_words
from arena_tui.console.forest import Forest
from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import Entrant, Ledger
from arena_tui.console.spark import spark
from arena_tui.console.widgets.plain import safe_line

HUE_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#5c8fe6", "#b8b000", "#a0a0a0")
"""A colour for each of the forest's hues: told apart with any kind of colour blindness, on dark and light."""

_TREND = 10
_TITLE = 12
_FIGURES = (("rating", 6), ("parent", 6), ("W-D-L", 8), ("trend", _TREND))
_WORDS_LEAST = 14


@dataclass(frozen=True, slots=True)
class Columns:
    """How a width is shared out. `step` cells for each of `shown` generations from `first` on, `letters`
    cells for the founder's, then the title, the figures that have room, and words on the state."""

    first: int
    shown: int
    step: int
    letters: int
    group: int
    title: int
    figures: tuple[tuple[str, int], ...]
    words: int

    @property
    def drawing(self) -> int:
        """Cells of the branches, signs and letters."""
        return (self.shown - 1) * self.step + 1 + self.letters


def columns_of(
    forest: Forest, width: int, first: int = 0, *, groups: bool = False, trend: bool = True
) -> Columns:
    """Share out `width` cells; the drawing takes at most 40 % and shows generations from `first` on. `trend`:
    ratings move match by match."""
    letters = max((len(each.letters) for each in forest.founders), default=1)
    budget = max(8, width * 2 // 5) - letters - 1
    step = next((step for step in (4, 3, 2) if (forest.columns - 1) * step <= budget), 2)
    shown = min(forest.columns, 1 + budget // step)
    first = max(0, min(first, forest.columns - shown))
    room = width - ((shown - 1) * step + 1 + letters) - 1
    group = 8 if groups and room >= 8 + 1 + _TITLE + 12 else 0
    room -= group + bool(group)
    figures: list[tuple[str, int]] = []
    taken = 0
    for name, cells in _FIGURES if trend else _FIGURES[:-1]:
        if room - taken - cells - 1 < (_TITLE if name == "rating" else _TITLE + 4):
            break
        figures.append((name, cells))
        taken += cells + 1
    room -= taken
    words = 0
    if room >= _TITLE + 8 + 1 + _WORDS_LEAST:
        words = min(40, max(_WORDS_LEAST, room - 32))
        room -= words + 1
    return Columns(first, shown, step, letters, group, max(1, min(room, 48)), tuple(figures), words)


def header_line(columns: Columns, width: int) -> Text:
    """The generations over the branches, then the names of the figures."""
    cells = [" "] * columns.drawing
    free = 0
    for index in range(columns.shown):
        at, label = index * columns.step, str(columns.first + index)
        if at >= free and at + len(label) <= len(cells):
            cells[at : at + len(label)] = label
            free = at + len(label) + 1
    line = "".join(cells) + " "
    if columns.group:
        line += "group".ljust(columns.group) + " "
    line += "candidate".ljust(columns.title)[: columns.title]
    for name, cells_ in columns.figures:
        line += " " + (name.ljust(cells_) if name == "trend" else name.rjust(cells_))
    if columns.words:
        line += " state"
    return Text(line[:width])


def drawing(row: Row, columns: Columns, glyphs: Glyphs) -> tuple[str, int]:
    """The branches that lead to a row and its sign with the founder's letters; and the cell of the sign.

    Generations to the left or right of those in sight end in `<` and `>`.
    """
    width = columns.drawing
    cells = [" "] * width

    def put(at: int, char: str) -> None:
        if 0 <= at < width:
            cells[at] = char

    node = row.node
    at = (node.column - columns.first) * columns.step
    if row.up is not None:
        start = (row.up.node.column - columns.first) * columns.step
        branch = glyphs.last_branch if row.last else glyphs.branch
        put(start, branch[0])
        for cell in range(max(0, start + 1), min(at, width)):
            cells[cell] = branch[1]
        ancestor = row.up
        while start > 0 and ancestor.up is not None:
            start = (ancestor.up.node.column - columns.first) * columns.step
            if not ancestor.last:
                put(start, glyphs.stem[0])
            ancestor = ancestor.up
    last = (columns.shown - 1) * columns.step
    sign = sign_of(node, glyphs) if 0 <= at <= last else "<" if at < 0 else ">"
    at = max(0, min(at, last))
    cells[at : at + 1 + columns.letters] = sign + node.founder.letters.ljust(columns.letters)
    return "".join(cells), at


def sign_of(node: Node, glyphs: Glyphs) -> str:
    """The sign of a node's state."""
    if node.entrant is not None and node.entrant.state == "pinned" and node.entrant.twin_of is None:
        return glyphs.pinned
    match node.state:
        case "living":
            return glyphs.alive
        case "newborn" | "waiting":
            return glyphs.newborn
        case "twin":
            return glyphs.twin
        case "dead":
            return glyphs.dead
        case "missing":
            return glyphs.missing


def rated(ledger: Ledger, entrant: Entrant) -> Entrant:
    """Who holds a candidate's rating and record: itself, or the one whose twin it is."""
    if entrant.twin_of is None:
        return entrant
    return ledger.find(entrant.group, entrant.twin_of) or entrant


def figures_of(node: Node, ledger: Ledger, glyphs: Glyphs) -> dict[str, str]:
    """Rating, its difference to the parent's, record and trend as texts; empty for a missing node."""
    if node.entrant is None:
        return {}
    who = rated(ledger, node.entrant)
    parent = None if node.under is None or node.under.entrant is None else rated(ledger, node.under.entrant)
    return {
        "rating": rating_words(who),
        "parent": difference_words(who, parent),
        "W-D-L": f"{who.wins}-{who.draws}-{who.losses}" if who.matches else "",
        "trend": spark(who.history[-_TREND:], _TREND, glyphs.spark),
    }


def words_of(row: Row, forest: Forest, *, brief: bool = False) -> str:
    """The state in words, further parents, flags; not cleaned. `brief` leaves out what the sign tells."""
    node, entrant = row.node, row.node.entrant
    if entrant is None:
        return "not in this run"
    words: list[str] = [] if entrant.state == "in_tournament" else [entrant.state]
    if node.state == "newborn" and not brief:
        words.append("no match yet")
    if entrant.twin_of is not None:
        words.append(f"twin of {forest.title(node.group, entrant.twin_of)}")
    for other in node.others:
        words.append("also of itself" if other == node.id else f"also of {forest.title(node.group, other)}")
    words.extend(entrant.flags)
    return ", ".join(words)


def row_line(
    row: Row,
    forest: Forest,
    ledger: Ledger,
    columns: Columns,
    glyphs: Glyphs,
    *,
    muted: Style,
    out: Style,
    width: int,
) -> Text:
    """The whole line, at most `width` cells, branches and words `muted`; what is dead or missing is `out`."""
    node = row.node
    branches, at = drawing(row, columns, glyphs)
    hue = Style(color=HUE_COLOURS[node.founder.hue])
    faint = row.context or node.state in ("dead", "missing")
    line = Text()
    line.append(branches[:at], muted)
    mark = branches[at : at + 1 + columns.letters]
    line.append(mark, out if faint else hue + Style(bold=True))
    line.append(branches[at + len(mark) :] + " ")
    style = out if faint else muted if node.state == "twin" else Style()
    if columns.group:
        line.append(_fit(node.group, columns.group, glyphs) + " ", muted)
    words = words_of(row, forest, brief=not columns.words)
    title = node.id if node.entrant is None else node.entrant.title
    if row.hidden:
        title = f"{glyphs.folded}{row.hidden} {title}"
    if words and not columns.words:
        title = _with_words(title, words, columns.title, glyphs)
    line.append(_fit(title, columns.title, glyphs), style)
    figures = figures_of(node, ledger, glyphs)
    for name, cells in columns.figures:
        text = figures.get(name, "")[:cells]
        gap = " " * (cells - cell_len(text))
        if name == "trend":
            line.append(" " + text + gap, out if faint else hue)
        else:
            line.append(" " + gap + text, style)
    if columns.words:
        line.append(" " + cut(words, columns.words, glyphs), muted)
    line.truncate(width)
    return line


def cut(text: str, cells: int, glyphs: Glyphs) -> str:
    """A text from outside on one clean line of at most `cells` cells, cut with the ellipsis of the glyphs."""
    return fit(safe_line(text), cells, glyphs.ellipsis)


def _with_words(title: str, words: str, cells: int, glyphs: Glyphs) -> str:
    """Title and words where there is no column for words: the title gets what the words leave."""
    words = cut(words, max(1, cells // 2), glyphs)
    return f"{cut(title, max(1, cells - cell_len(words) - 2), glyphs)}  {words}"


def _fit(text: str, cells: int, glyphs: Glyphs) -> str:
    text = cut(text, cells, glyphs)
    return text + " " * (cells - cell_len(text))
