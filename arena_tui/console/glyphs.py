"""The signs the console draws with: a set for terminals with Unicode and one of plain ASCII (`--ascii`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set. `spark` goes from the lowest to the highest value; `up` and `down` tell movement."""

    spark: str
    up: str
    down: str
    bar: str  # a filled cell of a gauge
    reserved: str  # a cell of a gauge that is reserved, not spent
    empty: str  # a cell of a gauge that is free
    line: str  # the interval of a rating
    point: str  # the rating on it
    alive: str
    newborn: str
    dead: str
    missing: str
    pinned: str
    rejected: str
    twin: str
    flag: str
    branch: str  # a child with siblings below it
    last_branch: str  # the last child
    stem: str  # an ancestor with siblings below it
    folded: str
    unfolded: str
    live: str
    ellipsis: str
    bullet: str
    ready: str  # the phases of a run
    running: str
    paused: str
    draining: str
    stopped: str
    good: str
    bad: str
    spinner: str  # the pictures of something that is being waited for, one after the other


UNICODE = Glyphs(
    spark="▁▂▃▄▅▆▇█",
    up="▲",
    down="▼",
    bar="█",
    reserved="▒",
    empty="░",
    line="─",
    point="●",
    alive="●",
    newborn="○",
    dead="✕",
    missing="?",
    pinned="◆",
    rejected="✕",
    twin="=",
    flag="⚑",
    branch="├─",
    last_branch="└─",
    stem="│ ",
    folded="▸",
    unfolded="▾",
    live="▌",
    ellipsis="…",
    bullet="•",
    ready="○",
    running="▶",
    paused="‖",
    draining="▽",
    stopped="■",
    good="✓",
    bad="✗",
    spinner="⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏",
)

ASCII = Glyphs(
    spark="_.-=+*%#",
    up="^",
    down="v",
    bar="#",
    reserved="=",
    empty=".",
    line="-",
    point="o",
    alive="o",
    newborn="(",
    dead="x",
    missing="?",
    pinned="*",
    rejected="x",
    twin="=",
    flag="!",
    branch="|-",
    last_branch="`-",
    stem="| ",
    folded="+",
    unfolded="-",
    live="_",
    ellipsis="~",
    bullet="-",
    ready="o",
    running=">",
    paused="=",
    draining="v",
    stopped="#",
    good="+",
    bad="x",
    spinner="|/-\\",
)
