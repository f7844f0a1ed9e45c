"""The console's own two themes; Textual's and the terminal's own colours are there beside them."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="arena-dark",
    primary="#5fafd7",
    secondary="#87afaf",
    accent="#d7af5f",
    warning="#d7af5f",
    error="#d7705f",
    success="#87af5f",
    foreground="#d0d0d0",
    background="#16181c",
    surface="#1c1f24",
    panel="#33383f",
    boost="#262a30",
    dark=True,
)
LIGHT = Theme(
    name="arena-light",
    primary="#005f87",
    secondary="#4e6e6e",
    accent="#875f00",
    warning="#875f00",
    error="#a02c1c",
    success="#3f6f1f",
    foreground="#24292e",
    background="#fafaf7",
    surface="#f1f1ec",
    panel="#c9cbc4",
    boost="#e4e5df",
    dark=False,
)
OWN = (DARK, LIGHT)
DEFAULT = DARK.name
