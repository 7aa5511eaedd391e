"""The element ids in a gist: find them, remove invented ones, and write consecutive numbers as a range."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_BRACKETS = re.compile(r"(\s*)\[([^\[\]]*)\]")
_NAMED = re.compile(r"\bid\s*[=:]?\s*[\"']?([A-Za-z]{0,8}[-_]?\d+)\b", re.IGNORECASE)
_LIKE_AN_ID = re.compile(r"[A-Za-z]{0,8}[-_]?\d+(?:-\d+)?")


def check_ids(content: str, ids: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a gist without the ids that its snippet does not have, and the ids of the snippet that it names."""
    positions = {known: position for position, known in enumerate(ids)}
    named: set[str] = {found for found in _NAMED.findall(content) if found in positions}

    def keep(match: re.Match[str]) -> str:
        found, has_unknown = _bracketed(match[2], positions, ids)
        named.update(found)
        return match[0] if not has_unknown else f"{match[1]}[{', '.join(found)}]" if found else ""

    return " ".join(_BRACKETS.sub(keep, content).split()), tuple(known for known in ids if known in named)


def _bracketed(text: str, positions: Mapping[str, int], ids: Sequence[str]) -> tuple[list[str], bool]:
    """Return the known ids between two brackets, with ranges such as 12-15 expanded, and whether any is unknown."""
    found: list[str] = []
    has_unknown = False
    for part in re.split(r"[,;\s]+", text.strip()):
        name = part.removeprefix("id=")
        first, _, last = name.partition("-")
        if name in positions:
            found.append(name)
        elif first in positions and last in positions:
            found += ids[positions[first] : positions[last] + 1]
        else:
            has_unknown = has_unknown or bool(_LIKE_AN_ID.fullmatch(name))
    return list(dict.fromkeys(found)), has_unknown


def id_ranges(ids: Iterable[str]) -> list[str]:
    """Return the ids, with consecutive numbers written as a range such as 12-15."""
    ranges: list[list[str]] = []
    for current in ids:
        last = ranges[-1][-1] if ranges else ""
        if last.isdigit() and current.isdigit() and int(current) == int(last) + 1:
            ranges[-1].append(current)
        else:
            ranges.append([current])
    return [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in ranges]
