"""Parse the reply of the check: which statements the quotes bear out, and which of the quotes do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from readagent.core.patterns import lazy_pattern
from readagent.core.replies import strip_thinking, unfenced

Verdict = tuple[bool, tuple[int, ...]]  # whether it is borne out, and the indices of the quotes; empty for all of them

_YES = r"yes|y|supported|true|entailed|near|ja|oui|sí|si|sim|да|是|はい|예|✓|✔|✅"
_NO = (
    r"n|no(?:t supported|t entailed|pe)?|unsupported|false|contradicted|unclear|unknown|partly|partially|partial|none"
    r"|not|nein|non|não|нет|否|不是|いいえ|아니요|✗|✘|❌"
)
_MARKS = r"[\s*_`#>|(\[\-•]*"
_LINE = lazy_pattern(
    rf"^{_MARKS}(?:statement|claim|answer)?\s*#?(?P<number>\d{{1,3}})[\s*_`\])|:.\-–—=>→]*"
    rf"(?P<said>(?:{_YES}|{_NO})(?!\w))(?P<rest>.*)$",
    re.I | re.M,
)
_NEXT = lazy_pattern(  # a verdict on the same line as the one before it
    rf"[,;.|]?[^\S\n]+(?=(?:statement\s*)?#?\d{{1,3}}\s?[:=)\-–—.]\s*(?:{_YES}|{_NO})(?!\w))", re.I
)
_ALONE = lazy_pattern(rf"^{_MARKS}(?:answer\W*)?(?P<said>(?:{_YES}|{_NO})(?!\w))(?P<rest>.*)", re.I | re.S)
_IS_YES = lazy_pattern(_YES, re.I)
_HEDGED = lazy_pattern(r"\b(?:but|except|however|partly|partially|not (?:fully|entirely|all)|no)\b", re.I)
_LIST = lazy_pattern(
    r"[\[(]([\d,;&\s]+|[^\])]*?quotes?[^\])]*?)[\])]|\bquotes?\s*#?((?:\d+(?:\s*(?:,|and|&)\s*)?)+)"
    r"|^\W*(\d[\d,\s]*)\W*$",
    re.I,
)
_NUMBER = ("statement", "number", "id")  # fields of an object in JSON that name the statement


def parse_verdicts(reply: str, statements: int, quotes: int) -> dict[int, Verdict]:
    """Return the verdict on each statement that a reply is clear about, by index. It never raises.

    What is partly true, or true with a reservation, is not borne out. Of two verdicts that differ, none counts.
    """
    text = unfenced(strip_thinking(reply))
    found: dict[int, Verdict] = {}
    unclear: set[int] = set()
    for number, said, named in [*_from_json(text)] or [*_from_lines(text, statements)]:
        at = number - 1
        if not 0 <= at < statements or at in unclear:
            continue
        verdict = said, tuple(dict.fromkeys(one - 1 for one in named if 0 < one <= quotes)) if said else ()
        if said and named and not verdict[1]:
            verdict = False, ()  # it names only quotes that do not exist
        if at in found and found[at][0] != verdict[0]:
            unclear.add(at)
            del found[at]
        else:
            found[at] = verdict
    return found


def only_near(reply: str) -> bool:
    """Return whether a reply says of statements that they are near a quote, as one does that compares vectors."""
    said = [match["said"].lower() for match in _LINE.finditer(reply)]
    return "near" in said and not any(one != "near" and _IS_YES.fullmatch(one) for one in said)


def _from_lines(text: str, statements: int) -> Iterator[tuple[int, bool, list[int]]]:
    lines = [(int(match["number"]), match["said"], match["rest"]) for match in _LINE.finditer(_NEXT.sub("\n", text))]
    if not lines and statements == 1 and (alone := _ALONE.match(text)):
        lines = [(1, alone["said"], alone["rest"])]
    for number, said, rest in lines:
        yield number, bool(_IS_YES.fullmatch(said)) and not _HEDGED.search(rest), _named(rest)


def _named(rest: str) -> list[int]:
    """Return the numbers of the quotes that the rest of a line lists."""
    listed = _LIST.search(rest)
    return [int(one) for one in re.findall(r"\d{1,3}", next(filter(None, listed.groups()), ""))] if listed else []


def _from_json(text: str) -> Iterator[tuple[int, bool, list[int]]]:
    """Find verdicts in a JSON reply: {"1": "yes [2]"}, {"1": true}, or objects with a number, a verdict and quotes."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for number, one in _entries(value):
        fields = list(one.values()) if isinstance(one, dict) else [one]
        said = next((word for word in map(_said, fields) if word is not None), None)
        if said is None:
            continue
        lists = [some for some in fields if isinstance(some, list)]
        rest = next((some for some in fields if isinstance(some, str)), "")
        named = (
            [int(str(item)) for item in lists[0] if re.fullmatch("[0-9]{1,3}", str(item))] if lists else _named(rest)
        )
        yield number, said, named


def _entries(value: Any) -> Iterator[tuple[int, Any]]:
    if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), list | dict):
        value = inner
    if isinstance(value, dict):
        yield from ((int(name), one) for name, one in value.items() if re.fullmatch("[0-9]{1,3}", str(name)))
    for place, one in enumerate(value if isinstance(value, list) else (), 1):
        if not isinstance(one, dict):
            yield place, one
            continue
        named = next((str(one[name]) for name in _NUMBER if name in one), str(place))
        rest = {name: field for name, field in one.items() if name not in _NUMBER}
        yield int(named) if re.fullmatch("[0-9]{1,3}", named) else place, rest


def _said(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    match = _ALONE.match(value) if isinstance(value, str) else None
    return None if match is None else bool(_IS_YES.fullmatch(match["said"])) and not _HEDGED.search(match["rest"])
