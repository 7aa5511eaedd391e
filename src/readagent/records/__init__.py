"""Records: what `--json`, the HTTP API, the results of MCP tools and JSON exports are made of.

A record is a struct whose fields are documented and stable. Offsets count code points, and pages are counted from 0.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec


class Record(msgspec.Struct, frozen=True):
    """A record; it does not change."""


R = TypeVar("R", bound=Record)
T = TypeVar("T")


def record(kind: type[R], source: object, /, **more: Any) -> R:
    """Return a record with the attributes of ``source`` that have the names of its fields; ``more`` are the others."""
    own = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in more and hasattr(source, name)}
    known = {name: value for name, value in {**own, **more}.items() if value is not msgspec.UNSET}
    return msgspec.convert(known, kind, from_attributes=True)


def view(kind: type[T], value: Any) -> T:
    """Return the fields of a plain value that a class has; others are left out."""
    return msgspec.convert(value, kind)


def plain(value: Any) -> Any:
    """Return records, also in lists and mappings, as what JSON consists of."""
    return msgspec.to_builtins(value)
