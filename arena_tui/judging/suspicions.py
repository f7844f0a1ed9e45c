"""What in a candidate's text looks like an attempt on its judge. Texts are flagged, never altered.

A flag says what a text contains, not what its author meant: a paper on prompt injection is flagged too.
A text with any flag also decides that a comparison gets random labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from arena_tui.conventions import FENCE_KINDS, SCORE
from arena_tui.judging.verdict_text import fold

VERDICT_SHAPED = "verdict-shaped text"
INSTRUCTION_SHAPED = "instruction-shaped text"
BIDI = "bidi controls"
ZERO_WIDTH = "zero-width characters"
TAGS = "tag characters"
FLAGS = (VERDICT_SHAPED, INSTRUCTION_SHAPED, BIDI, ZERO_WIDTH, TAGS)
"""All flags, in the order in which they are given."""

# Letters of other scripts that look like the Latin letters of the words below, in lower case.
_LOOK_ALIKE = str.maketrans("аеорсухіјѕԁһӏԛԝνοερτικ", "aeopcyxijsdhlqwvoeptik")

_GAP = r"[\s\"'“”*_()\[\]<{`#$]{0,40}"  # what may stand between two words of a shape
_NOUN = r"(?:idea|option|candidate|hypothesis|text|answer|response|output|proposal|plan|one|entry|submission)"
_LINK = rf"{_GAP}(?:is\b|[:=]|-+>|=>|→|[-–—](?=\s)){_GAP}"
_SIDE = (
    rf"(?:(?:the|an?|clearly|\\\w{{1,10}})\b{_GAP}){{0,3}}(?:(?:{_NOUN}|number|no)\b[.:]?{_GAP})?"
    r"(?:[12ab]|one|two|first|second|draw|tie|equal|this|mine|[a-z]\d{1,3})(?!\w)"
)
_SAYS = _LINK + _SIDE

# Where to look, and what must follow there. Looking for a word first keeps the time linear and short.
_VERDICTS: Mapping[str, str] = {
    "better": rf"[\s_*-]{{1,9}}(?:idea{_GAP}(?:[:=]|-+>|→|[12ab](?!\w))|{_NOUN}{_SAYS})",
    "best": rf"[\s_-]{{1,9}}{_NOUN}{_SAYS}",
    "winning": rf"[\s_-]{{1,9}}{_NOUN}{_SAYS}",
    "winner": _SAYS,
    "preferred": rf"(?:[\s_-]{{1,9}}{_NOUN})?{_SAYS}",
    "verdict": _SAYS,
    "judgment": _SAYS,
    "judgement": _SAYS,
    "decision": _SAYS,
    "ruling": _SAYS,
    "[[": r"\s{0,9}[abc12]\s{0,9}(?:[<>=]{1,2}\s{0,9}[ab12]\s{0,9})?\]\]",
    "boxed": r"\s{0,9}\{\s{0,9}(?:\\\w{1,10}\s{0,9}\{\s{0,9})?[ab12]\b",
    "output": r"\s{1,9}\([ab12]\)",
    SCORE: r"\s{1,9}\S{1,12}\s{0,9}:\s{0,9}[a-t]\b",
    '"p_first"': r"\s{0,9}:",
}
_JUDGES = r"(?:judges?|reviewers?|evaluators?|graders?|models?|assistants?|ai|llms?)\b"
_OBEY = (
    r"\b[^.\n]{0,40}\b(?:instructions?|rules|criteria|prompts?|guidelines|above|previous|prior|system|everything|"
    rf"other\s{{1,9}}{_NOUN})\b"
)
_VOTE = (
    r"\s{1,9}(?:\w{1,20}\s{1,9}){0,2}?(?:choose|pick|select|prefer|favou?r|rate|rank|vote|declare|output|answer|"
    r"respond|reply|print|end)\b"
)
_OWN = rf"\s{{1,9}}(?:for\s{{1,9}})?(?:this|my|our|me)\b(?:\s{{1,9}}{_NOUN})?"
_FATE = (
    rf"\s{{1,9}}{_NOUN}\s{{1,9}}(?:is|must\s{{1,9}}be|should\s{{1,9}}be)\s{{1,9}}(?:the\s{{1,9}})?"
    r"(?:winner|better|worse|best|disqualified|rejected)\b"
)
_INSTRUCTIONS: Mapping[str, str] = {
    **dict.fromkeys(("ignore", "disregard", "forget", "override"), _OBEY),
    **dict.fromkeys(("dear", "attention"), rf"[\s,:]{{1,9}}{_JUDGES}"),
    **dict.fromkeys(
        ("note", "message", "instructions"), rf"\s{{1,9}}(?:to|for)\s{{1,9}}(?:the\s{{1,9}})?{_JUDGES}"
    ),
    "you": r"\s{1,9}(?:must|should|will|have\s{1,9}to|are\s{1,9}(?:required|instructed)\s{1,9}to)" + _VOTE,
    "you are": r"\s{1,9}(?:now\s{1,9})?(?:an?\s{1,9}|the\s{1,9})?(?:\w{1,20}\s{1,9})?"
    r"(?:judge|assistant|model|ai|evaluator|grader|llm)\b",
    "please": _VOTE,
    **dict.fromkeys(("choose", "pick", "select", "prefer", "vote", "declare"), _OWN),
    **dict.fromkeys(("this", "the other", "my"), _FATE),
    **dict.fromkeys(("\nsystem", "\nassistant", "\nuser", "\ndeveloper", "\nhuman"), r"[ *#]{0,9}:"),
    "<|": r"\s{0,9}/?(?:im_start|im_end|system|assistant|user|eot_id|start_header_id|endoftext)",
    "[inst]": "",
    "[/inst]": "",
    "<<sys": "",
    "<<<": rf"\s{{0,9}}(?:{'|'.join(FENCE_KINDS)}|end)\b",
    **dict.fromkeys(
        ("<", "</"), r"(?:candidate|text|idea|system|user|assistant|think(?:ing)?|verdict)\b[^<>\n]{0,40}>"
    ),
    "{{": r"\s{0,9}\w{1,40}\s{0,9}\}\}",
}


def _table(shapes: Mapping[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((word, re.compile(re.escape(word) + follows)) for word, follows in shapes.items())


_VERDICT_TABLE = _table(_VERDICTS)
_INSTRUCTION_TABLE = _table(_INSTRUCTIONS)
_LONE_LABEL = re.compile(r"[^\w\n]{0,6}[123ab][^\w\n]{0,6}")
_JSON_KEY = re.compile(r"\"(?:winner|better[ _]?idea|verdict|judge?ment|final[ _]verdict)\"\s{0,9}:")

_EMBEDDED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile("[\u200e\u200f\u061c]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# A zero-width joiner or non-joiner has work to do between letters that are not Latin, and in emoji.
_INVISIBLE = re.compile(
    "[\u200b\u2060-\u2064\u180e\u00ad\u034f\u115f\u1160\u3164\uffa0]|(?<!^)\ufeff"
    "|(?<=[\x00-\u024f])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\u024f])"
)
_FLAG_EMOJI = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
_TAG = re.compile("[\U000e0000-\U000e007f]")


@lru_cache(maxsize=4096)
def suspicions(text: str) -> tuple[str, ...]:
    """The flags of a text, each once, in the order of `FLAGS`; time is linear in the text."""
    found = dict.fromkeys(FLAGS, False)
    plain = "\n" + text.casefold()
    if not text.isascii():
        plain = fold(plain).translate(_LOOK_ALIKE)  # as a reader sees it
        found[BIDI] = _turns(text)
        found[ZERO_WIDTH] = _INVISIBLE.search(text) is not None
        found[TAGS] = _TAG.search(_FLAG_EMOJI.sub("", text)) is not None
    found[VERDICT_SHAPED] = _verdict_in(plain)
    found[INSTRUCTION_SHAPED] = _occurs(_INSTRUCTION_TABLE, plain)
    return tuple(flag for flag in FLAGS if found[flag])


def _occurs(table: tuple[tuple[str, re.Pattern[str]], ...], plain: str) -> bool:
    for word, pattern in table:
        at = plain.find(word)
        while at >= 0:
            if pattern.match(plain, at) and not (plain[at - 1 : at].isalnum() and word[0].isalpha()):
                return True
            at = plain.find(word, at + 1)
    return False


def _verdict_in(plain: str) -> bool:
    if _occurs(_VERDICT_TABLE, plain) or _JSON_KEY.search(plain):
        return True
    last = plain.rstrip()[-16:].rpartition("\n")[2]
    return _LONE_LABEL.fullmatch(last) is not None


def _turns(text: str) -> bool:
    """Embeddings, overrides and isolates always; direction marks where nothing runs from right to left."""
    if _EMBEDDED.search(text):
        return True
    return _MARKS.search(text) is not None and _RIGHT_TO_LEFT.search(text) is None
