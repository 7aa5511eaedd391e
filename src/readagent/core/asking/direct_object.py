"""Replies in JSON, alone or as the call of a tool that the model believes to have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from readagent.core.patterns import lazy_pattern

_CALL = lazy_pattern(r"[<\[|]{1,2}(?:tool|function|invoke)[\w=\- ]*[>\]|]+", re.I)
_OBJECT = lazy_pattern(r"\{.*\}", re.S)
_ARGUMENTS = ("arguments", "args", "parameters", "input", "function", "action_input")
_ACTION = lazy_pattern(r"^\W*(?:action|tool)\W{1,4}\w*(?:look|read|open|page)\w*", re.I | re.M)


def object_in(text: str) -> Any:
    """Return the value of a reply that is JSON, or that calls a tool with a JSON object; None for any other one."""
    inside = _OBJECT.search(text) if _CALL.match(text) else None
    text = inside[0] if inside else text
    return _json(text) if text.startswith(("{", "[")) else None


def calls_tool(text: str) -> bool:
    """Return whether a reply calls a tool, in whatever form."""
    return bool(_CALL.match(text) or _ACTION.match(text))


def fields_of(value: dict[str, Any], depth: int = 2) -> dict[str, Any]:
    """Return the fields of an object, and those of the arguments if it calls a tool."""
    fields = {str(name).lower().replace(" ", "_"): one for name, one in value.items()}
    for name in _ARGUMENTS if depth else ():
        inner = fields.get(name)
        if isinstance(inner := _json(inner) if isinstance(inner, str) else inner, dict):
            fields |= fields_of(inner, depth - 1)
    return fields


def numbers_of(value: Any) -> Iterator[str]:
    """Yield the numbers in a field: a number, a list of them, or a text such as "2, 7"."""
    if isinstance(value, list):
        for one in value:
            yield from numbers_of(one)
    elif isinstance(value, int | str) and not isinstance(value, bool):
        yield from re.findall(r"\d+", str(value))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
