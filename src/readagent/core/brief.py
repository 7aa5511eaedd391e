"""Short reprs: an object in a notebook, a debugger or a log takes a line or two, however long its texts are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from typing import Any

from readagent.core.controls import visible

MOST = 200  # characters of a repr
_TEXT = 60  # characters of a text in it
_FEW = 3  # items of a collection that are shown


def brief(thing: object, text: str, *facts: str) -> str:
    """Return ``<Kind 'text': fact, fact>``; facts that are empty are left out."""
    head = f"{type(thing).__name__} {excerpt(text)!r}" if text else type(thing).__name__
    return _bounded(f"<{': '.join(filter(None, (head, ', '.join(filter(None, facts)))))}", ">")


def short_repr(record: Any) -> str:
    """Return the repr of a dataclass with those of its fields that are not at their default, long values cut."""
    shown = [one for one in fields(record) if one.repr and getattr(record, one.name) != _default(one)]
    values = ", ".join(f"{one.name}={_value(getattr(record, one.name))}" for one in shown)
    return _bounded(f"{type(record).__name__}({values}", ")")


def excerpt(text: str, most: int = _TEXT) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(visible(text[: 4 * most]).split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 2].rstrip()} …"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 page", "1,200 pages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _value(value: object) -> str:
    if isinstance(value, str):
        return repr(excerpt(value))
    if isinstance(value, Collection) and len(value) > _FEW:
        return f"<{len(value)} items>"
    return repr(value)


def _default(one: Field[Any]) -> object:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def _bounded(text: str, end: str) -> str:
    return text + end if len(text) < MOST else f"{text[: MOST - 3]} …{end}"
