"""What a model or a person wrote, as paragraphs: the part of Markdown that arguments are written in. Pure.

Headings, lists, quotes, fenced code, rules, emphasis, code and links are shown as such; everything else,
tables and HTML among it, stands as it was written. No text is dropped, no entity and no escape of a URL is
decoded (either could bring back a control character that was cleaned away), and nothing is opened.
"""

from __future__ import annotations

import re

from arena_tui.console.glyphs import UNICODE, Glyphs
from arena_tui.console.lines import BLANK, Block, Span
from arena_tui.console.widgets.plain import CUT, TURN_CHARACTERS
from arena_tui.safetext import clean

_MARKED = 4_000  # characters of a line that is looked at for emphasis; longer ones are shown as they are
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,40}|(?:-[ \t]*){3,40}|(?:_[ \t]*){3,40})$")
_QUOTE = re.compile(r" {0,3}((?:> ?){1,8})(.*)")
_ITEM = re.compile(r"([ ]*)(?:[-*+]|(\d{1,9}[.)]))[ ]+(?=\S)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
_INLINE = re.compile(
    r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>.{1,300}?)(?<!`)(?P=ticks)(?!`)"
    r"|\*\*(?P<strong>(?=[^\s*]).{1,300}?(?<=[^\s*]))\*\*(?!\*)"
    r"|(?<![\w*])\*(?P<em>(?=\S)[^*]{1,300}(?<=\S))\*(?![\w*])"
    r"|(?<![\w_])_(?P<under>(?=\S)[^_]{1,300}(?<=\S))_(?![\w_])"
    r"|~~(?P<strike>(?=\S)[^~]{1,300})~~"
    r"|\[(?P<words>[^\[\]]{1,200})\]\((?P<link>[^()\s]{1,500})\)"
)
_STYLES = {"code": "code", "strong": "strong", "em": "em", "under": "em", "strike": "strike", "link": "link"}
_COMBINING = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MARKS = re.compile(f"({_COMBINING}{{8}}){_COMBINING}+")


def whole(text: str) -> str:
    """A text from outside, cleaned, at most `TURN_CHARACTERS` of it; unlike `safe` it keeps long lines, which
    `lines` breaks."""
    kept = tabless(clean(text[:TURN_CHARACTERS]))
    return f"{kept}\n{CUT}" if len(text) > TURN_CHARACTERS else kept


def tabless(text: str) -> str:
    """Cleaned text with spaces for tabs and no pile of marks on a character."""
    text = text.replace("\t", "    ")
    return text if text.isascii() else _MARKS.sub(r"\1", text)


def plain_blocks(text: str, style: str = "", indent: str = "") -> list[Block]:
    """Each line of a cleaned text as it stands."""
    return [Block(line, first=indent, rest=indent, style=style) for line in text.split("\n")]


def blocks_of(text: str, glyphs: Glyphs = UNICODE) -> list[Block]:
    """A cleaned text as paragraphs with their marks; several empty lines count as one, those at the ends as
    none."""
    blocks: list[Block] = []
    fence = ""
    for line in text.strip("\n").split("\n"):
        found = _FENCE.match(line) if not fence or line.lstrip().startswith(fence) else None
        if found and (not fence or not found[2].strip()):
            fence = "" if fence else found[1]
            if found[2].strip():
                blocks.append(Block(found[2].strip(), first="  ", rest="  ", style="dim"))
        elif fence:
            blocks.append(Block(line, first="  ", rest="  ", style="code"))
        elif line.strip():
            blocks.append(_paragraph(line, glyphs))
        elif blocks and blocks[-1] != BLANK:
            blocks.append(BLANK)
    while blocks and blocks[-1] == BLANK:
        blocks.pop()
    return blocks


def _paragraph(line: str, glyphs: Glyphs) -> Block:
    if line.lstrip().startswith("|"):
        return Block(line)
    if _RULE.match(line):
        return Block(glyphs.line, style="dim", rule=True)
    if found := _HEADING.match(line):
        plain, spans = inline(found[2].rstrip("# ") or line)
        return Block(plain, spans, style="heading")
    if found := _QUOTE.match(line):
        plain, spans = inline(found[2])
        bars = glyphs.stem * found[1].count(">")
        return Block(plain, spans, bars, bars, style="quote", lead="dim")
    if found := _ITEM.match(line):
        plain, spans = inline(line[found.end() :])
        indent = " " * min(12, len(found[1]))
        sign = f"{found[2] or glyphs.bullet} "
        return Block(plain, spans, indent + sign, indent + " " * len(sign), lead="dim")
    indent = line[: len(line) - len(line.lstrip(" "))][:8]
    plain, spans = inline(line.strip(" "))
    return Block(plain, spans, indent, indent)


def inline(line: str) -> tuple[str, tuple[Span, ...]]:
    """A line without the signs of its emphasis, and where each style goes; a link shows its address."""
    if len(line) > _MARKED or not any(sign in line for sign in "`*_~["):
        return line, ()
    kept: list[str] = []
    spans: list[Span] = []
    length = at = 0
    for found in _INLINE.finditer(line):
        kept.append(line[at : found.start()])
        length += len(kept[-1])
        at = found.end()
        kind = found.lastgroup or ""
        shown = found[kind]
        if kind == "link":
            shown = found["words"] if found["words"] == shown else f"{found['words']} ({shown})"
        spans.append((length, length + len(shown), _STYLES[kind]))
        kept.append(shown)
        length += len(shown)
    kept.append(line[at:])
    return "".join(kept), tuple(spans)
