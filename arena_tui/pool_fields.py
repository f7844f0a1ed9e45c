"""What the fields of a pool's entries mean: foreign columns to ours, written values to typed ones.

Takes `Row`s of `pool_formats` and gives plain dictionaries of checked values under our field names;
`pool` makes candidates and groups of them. Whatever has no meaning here goes into `meta`.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena_tui.json_text import json_value
from arena_tui.pool_formats import Findings, Row
from arena_tui.values import finite_number, name, nearest, plain_data, shown, text, whole_number, whole_text

_TEMPLATE_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_TEMPLATED = frozenset({"text", "title", "prompt", "review"})
_TITLE_CHARS = 72
_MARKUP = " \t#>*_-=`"


def _texts(value: object) -> tuple[str, ...]:
    """Ids as a list, as a JSON list, or separated by commas."""
    if isinstance(value, str):
        value = json_value(value) if value.lstrip().startswith("[") else value.split(",")
    if isinstance(value, int) and not isinstance(value, bool):
        value = [value]
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"expected a list of ids, got {shown(value)}")
    return tuple(name(item) for item in value if not (isinstance(item, str) and not item.strip()))


def _vector(value: object) -> tuple[float, ...]:
    """A list of numbers, also as JSON or separated by commas or blanks."""
    if isinstance(value, str):
        bare = value.strip()
        value = json_value(bare) if bare.startswith("[") else bare.replace(",", " ").split()
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"expected a list of numbers, got {shown(value)}")
    if set(map(type, value)) == {float} and all(map(math.isfinite, value)):
        return tuple(value)  # the usual case, and the one that must be quick
    return tuple(finite_number(item) for item in value)


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        value = json_value(value)
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a mapping, got {shown(value)}")
    found = plain_data(value)
    assert isinstance(found, dict)
    return found


def _criteria(value: object) -> dict[str, str]:
    """Criteria as a mapping or as a list whose texts are their own names; in a table as JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = json_value(value)
    if isinstance(value, str):
        value = [value]
    if isinstance(value, (list, tuple)):
        return {whole_text(text(item)).strip(): whole_text(text(item)).strip() for item in value}
    return {key: text(item, blank=True) for key, item in _mapping(value).items()}


def _whole(value: object) -> str:
    return whole_text(text(value))


def _name(value: object) -> str:
    return whole_text(name(value))


CANDIDATE_FIELDS: Mapping[str, Callable[[object], Any]] = {
    "id": _name,
    "text": _whole,
    "title": _whole,
    "group": _name,
    "prompt": _whole,
    "system": _name,
    "class": _name,
    "parent_ids": _texts,
    "generation": whole_number,
    "rating": finite_number,
    "strength": finite_number,
    "embedding": _vector,
    "review": _whole,
    "meta": _mapping,
}
GROUP_FIELDS: Mapping[str, Callable[[object], Any]] = {
    "id": _name,
    "prompt": _whole,
    "category": _name,
    "criteria": _criteria,
    "meta": _mapping,
}


@dataclass(frozen=True)
class Columns:
    """Where each of our fields is found: under a foreign name, or made of a template of columns."""

    direct: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # text, column, text, ...

    @property
    def wanted(self) -> dict[str, str]:
        """The foreign columns that are asked for, each with the field it is for."""
        named = {theirs: ours for ours, theirs in self.direct.items()}
        for ours, parts in self.templates.items():
            named |= dict.fromkeys(parts[1::2], ours)
        return named


def parse_columns(given: object, fields: Iterable[str]) -> Columns:
    """The `columns:` of a tournament file, {ours: theirs}; ValueError with a phrase for a message."""
    if given is None:
        return Columns()
    if not isinstance(given, Mapping):
        raise ValueError(f"expected a mapping such as {{text: output}}, got {shown(given)}")
    direct: dict[str, str] = {}
    templates: dict[str, tuple[str, ...]] = {}
    fields = tuple(fields)
    for ours, theirs in given.items():
        if ours not in fields:
            near = nearest(str(ours), fields)
            hint = f"did you mean {near}?" if near else f"known: {', '.join(fields)}"
            raise ValueError(f"unknown field {shown(ours)} ({hint}; it is written field: column)")
        column = text(theirs)
        if ours in _TEMPLATED and ("{" in column or "}" in column):
            templates[ours] = _template(column)
        else:
            direct[ours] = column.strip()
    return Columns(direct, templates)


def _template(written: str) -> tuple[str, ...]:
    """ "{title}: {body}" as ("", "title", ": ", "body", ""); doubled braces stand for themselves."""
    parts = [""]
    end = 0
    for found in _TEMPLATE_PART.finditer(written):
        parts[-1] += written[end : found.start()]
        end = found.end()
        if found[0] in ("{{", "}}"):
            parts[-1] += found[0][0]
        elif not (found[1] or "").strip():
            raise ValueError(f"the template {shown(written)} has a brace that names no column (double it)")
        else:
            parts += [found[1].strip(), ""]
    parts[-1] += written[end:]
    return tuple(parts)


def check_columns(
    rows: list[Row], columns: Columns, place: tuple[str, int | None], required: str, found: Findings
) -> bool:
    """Whether the entries of one file have the columns asked for at all; else a problem each."""
    if not rows:
        return True
    present = {key: None for row in rows for key in row.fields}
    good = True
    for theirs, ours in columns.wanted.items():
        if theirs not in present:
            near = nearest(theirs, present)
            message = f"columns.{ours}: {rows[0].path} has no column {shown(theirs)}"
            found.fault(*place, message, f"did you mean {near}?" if near else _fields_hint(present))
            good = False
    mapped = required in columns.direct or required in columns.templates
    if required and not mapped and required not in present:
        message = f"no entry has the field {required!r}"
        hint = f"{_fields_hint(present)}; name yours with columns: {{{required}: ...}}"
        found.fault(rows[0].path, rows[0].line, message, hint)
        good = False
    return good


def _fields_hint(present: Iterable[str]) -> str:
    return "the fields are: " + ", ".join(shown(key, 30) for key in list(present)[:12])


def read_fields(
    row: Row, columns: Columns, kinds: Mapping[str, Callable[[object], Any]], found: Findings
) -> dict[str, Any] | None:
    """The checked values of an entry under our names; None when any of them is a problem.

    A null or an empty cell is a field that is not given. Fields without a meaning join `meta`.
    """
    values: dict[str, Any] = {}
    good = True
    given = _renamed(row, columns, kinds, found) if columns.direct or columns.templates else row.fields
    if given is None:
        return None
    rest: dict[str, Any] = {}
    for key, value in given.items():
        if value is None:
            continue
        try:
            kind = kinds.get(key)
            if kind is None:
                rest[str(key)] = plain_data(value)
            else:
                values[key] = kind(value)
        except ValueError as error:
            written = columns.direct.get(key, str(key))
            found.fault_in(row, f"{written if written.isidentifier() else shown(written)}: {error}")
            good = False
    if rest:
        values["meta"] = {**rest, **values.get("meta", {})}
    return values if good else None


def _renamed(row: Row, columns: Columns, kinds: Mapping[str, Any], found: Findings) -> dict[str, Any] | None:
    """The fields of a row under our names; a column that became a field is not kept twice."""
    taken = set(columns.direct.values())
    replaced = columns.direct.keys() | columns.templates.keys()
    used = {part for parts in columns.templates.values() for part in parts[1::2]} - kinds.keys()
    given: dict[str, Any] = {}
    for key, value in row.fields.items():
        if key in taken or key in used:
            continue
        # A field of ours whose meaning was given to another column is foreign here.
        given[f"{key} (column)" if key in replaced else key] = value
    for ours, theirs in columns.direct.items():
        given[ours] = row.fields.get(theirs)
    for ours, parts in columns.templates.items():
        missing = [column for column in parts[1::2] if column not in row.fields]
        if missing:
            found.fault_in(row, f"{ours}: the template needs the column {shown(missing[0])}")
            return None
        pieces = [
            part if number % 2 == 0 else _as_text(row.fields[part]) for number, part in enumerate(parts)
        ]
        given[ours] = "".join(pieces)
    return given


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(plain_data(value), ensure_ascii=False)


def title_of(body: str) -> str:
    """A title for a text without one: the first line that says something, shortened at a word."""
    head = body[:2000]
    for line in head.splitlines():
        bare = " ".join(line[:400].strip(_MARKUP).split())
        if bare:
            break
    else:
        bare = " ".join(head.split())
    if len(bare) <= _TITLE_CHARS:
        return bare
    start = bare[:_TITLE_CHARS]
    cut = start.rfind(" ")
    return start[: cut if cut > _TITLE_CHARS // 2 else _TITLE_CHARS - 1].rstrip(" ,;:.-") + "…"


def slug(words: str) -> str:
    """An id made of words: lower case, letters and digits of any script, dashes, at most 48 characters."""
    plain = unicodedata.normalize("NFKC", words).lower()
    return re.sub(r"[^\w.]+", "-", plain)[:48].strip("-._") or "candidate"
