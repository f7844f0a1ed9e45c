"""What was said in a match as sections of a `Paper`, with the speakers in the candidates' words.

A stored turn becomes one section, once; a failed attempt is one dim line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena_tui.console.glyphs import Glyphs
from arena_tui.console.ledger import Ledger
from arena_tui.console.lines import BLANK, Block, Span
from arena_tui.console.speech import blocks_of, plain_blocks, whole
from arena_tui.console.widgets.plain import safe_line
from arena_tui.console.widgets.sections import Section
from arena_tui.store.match_rows import MatchRecord, SaidRecord, TurnRecord
from arena_tui.vocabulary import Orientation

TITLE_CELLS = 60
_MEMBER = re.compile(r"(judge \d+): ")
_UNNAMED = re.compile(r"(?:judge \d+)?")


@dataclass(frozen=True, slots=True)
class Names:
    """The two candidates' titles, each on one line; `both`: they are shown in both orders."""

    a: str
    b: str
    both: bool = False

    def in_slot(self, orientation: Orientation, slot: int) -> str:
        """Whose text stands in slot 1 or 2 of a comparison."""
        return self.a if (orientation == "ab") == (slot == 1) else self.b

    def style(self, orientation: Orientation, slot: int | None) -> str:
        """The colour of a speaker: a candidate keeps its own in both orders."""
        if slot is None:
            return "judge"
        return "first" if (orientation == "ab") == (slot == 1) else "second"


def names_of(ledger: Ledger, group: str, a: str, b: str, *, both: bool = False) -> Names:
    """The titles of two candidates, their ids where no title is known."""
    found = [ledger.find(group, id_) for id_ in (a, b)]
    titles = [id_ if each is None else each.title for each, id_ in zip(found, (a, b), strict=True)]
    first, second = (safe_line(title, TITLE_CELLS) or "(no title)" for title in titles)
    if first == second:
        first, second = (f"{first} ({safe_line(id_, 20)})" for id_ in (a, b))
    return Names(first, second, both)


def header(names: Names, glyphs: Glyphs, orientation: Orientation, slot: int | None, *notes: str) -> Block:
    """The line above a turn: who speaks, for which text, and the rest dim."""
    who, more = f"{glyphs.pinned} judge", list(notes)
    if slot is not None:
        who = f"{glyphs.point} {names.in_slot(orientation, slot)}"
        more.insert(0, f"text {slot}")
    if names.both:
        more.append(f"{names.in_slot(orientation, 1)} shown first")
    rest = "".join(f", {note}" for note in more if note)
    end = len(who) + len(rest)
    spans: tuple[Span, ...] = ((0, len(who), names.style(orientation, slot)), (len(who), end, "dim"))
    return Block(who + rest, spans)


def live_header(
    names: Names, glyphs: Glyphs, orientation: Orientation, slot: int | None, speaker: str
) -> list[Block]:
    """The line above a turn that is being held."""
    member = _MEMBER.match(speaker)
    return [header(names, glyphs, orientation, slot, member[1] if member else "")]


def is_spoken(turn: TurnRecord) -> bool:
    """It is what somebody said; False for the answer of a program or a form, which is there to be parsed."""
    return _UNNAMED.fullmatch(turn.speaker) is None


def spoken(turn: TurnRecord, said: Iterable[SaidRecord], *, panel: bool) -> str:
    """The words of a turn: its text, or the reason that was read from the answer of a program."""
    if is_spoken(turn):
        return turn.text
    read = next((each.reason for each in said if each.orientation == turn.orientation), "")
    return _own_reason(turn.text) if panel or not read.strip() else read


def _own_reason(answer: str) -> str:
    """The reason in a program's answer, empty when it gives none."""
    try:
        row = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    reason = row.get("reason") if isinstance(row, dict) else None
    return reason if isinstance(reason, str) else ""


def turn_section(
    turn: TurnRecord,
    names: Names,
    glyphs: Glyphs,
    said: Iterable[SaidRecord] = (),
    *,
    panel: bool,
    score: bool,
) -> Section:
    """A stored attempt: a turn with its speaker and its words, or a dim line that says why there is none.
    `said` are the verdicts of the match, for the reason that a program gave."""
    if turn.failure:
        line = f"{glyphs.dead} an attempt failed: {safe_line(turn.failure, 400)}"
        return Section([Block(line, style="dim", rest="  "), BLANK], line)
    again = "" if not turn.sample else f"repeat {turn.sample + 1}" if score else "asked again"
    member = f"judge {turn.member + 1}" if panel else ""
    top = header(names, glyphs, turn.orientation, turn.slot, member, f"turn {turn.turn + 1}", again)
    text = whole(spoken(turn, said, panel=panel))
    none = "(no words)" if is_spoken(turn) else "(no reason given)"
    blocks = blocks_of(text, glyphs) or [Block(none, style="dim")]
    return Section([top, *blocks, BLANK], f"{top.plain}\n{text.strip()}")


def said_section(said: SaidRecord, names: Names, glyphs: Glyphs) -> Section:
    """What was given as the reason of a verdict, for judges that make no calls."""
    top = header(names, glyphs, said.orientation, None)
    text = whole(said.reason)
    return Section([top, *blocks_of(text, glyphs), BLANK], f"{top.plain}\n{text.strip()}")


def is_panel(turns: Iterable[TurnRecord]) -> bool:
    """True when several judges were asked."""
    return any(turn.member for turn in turns)


def reasons(record: MatchRecord) -> Sequence[SaidRecord]:
    """The verdicts whose reason stands for the turns: those of a match without calls."""
    return () if record.turns else tuple(said for said in record.said if said.reason.strip())


def raw_section(turn: TurnRecord, names: Names, glyphs: Glyphs) -> Section:
    """An attempt as it came: where it belongs, what it took, and the reply without any marks."""
    where = (
        f"order {turn.orientation}, judge {turn.member + 1}, turn {turn.turn + 1}, sample {turn.sample}, "
        f"attempt {turn.attempt}, {safe_line(turn.speaker, 60)}"
    )
    cached = f" ({turn.cached_input_tokens:,} cached)" if turn.cached_input_tokens else ""
    took = (
        f"{safe_line(turn.model, 60) or 'no model'}, {turn.input_tokens:,}{cached} tokens in, "
        f"{turn.output_tokens:,} out, {'price unknown' if turn.usd is None else f'${turn.usd:.4f}'}, "
        f"{turn.seconds:.1f} s, ended with {safe_line(turn.stop_reason, 60) or 'nothing'}"
        f"{', from the cache' if turn.from_cache else ''}"
    )
    style = names.style(turn.orientation, turn.slot)
    blocks = [Block(where, style=style), Block(took, style="dim")]
    if turn.failure:
        blocks.append(Block(f"{glyphs.dead} {safe_line(turn.failure, 2_000)}", style="bad"))
    text = whole(turn.text)
    return Section([*blocks, *plain_blocks(text), BLANK], f"{where}\n{took}\n{text}")


def repeats(said: SaidRecord, turns: Iterable[TurnRecord]) -> bool:
    """True when the reason says nothing that the turns do not say: a debate's is all that was said in it."""
    heard = "\n".join(turn.text for turn in turns if turn.orientation == said.orientation)
    return all(_is_in(heard, line.strip()) for line in said.reason.splitlines())


def _is_in(heard: str, line: str) -> bool:
    """A line of a reason stands there, with or without the name of its speaker."""
    _, named, words = line.partition(": ")
    return line in heard or (bool(named) and words in heard)


def parsed_section(said: SaidRecord, names: Names, glyphs: Glyphs, *, reason: bool) -> Section:
    """What the parser made of a comparison's replies, with the reason it took from them if asked for."""
    first, second = (names.in_slot(said.orientation, slot) for slot in (1, 2))
    sees = {
        "first": f"text 1 is better: {first}",
        "second": f"text 2 is better: {second}",
        "draw": "a draw",
        "invalid": "no verdict",
    }[said.verdict]
    chance = "" if said.p_first is None else f", chance of text 1 {said.p_first:.2f}"
    top = f"{glyphs.unfolded} read from order {said.orientation} ({first} first): {sees}{chance}"
    blocks = [Block(top, ((0, len(top), "strong"),), rest="  ")]
    if said.flags:
        words = ", ".join(safe_line(flag, 80) for flag in said.flags)
        blocks.append(Block(f"{glyphs.flag} {words}", style="judge", first="  ", rest="    "))
    text = whole(said.reason).strip() if reason else ""
    if text:
        blocks += plain_blocks(text, "dim", "  ")
    return Section([*blocks, BLANK], f"{top}\n{text}")
