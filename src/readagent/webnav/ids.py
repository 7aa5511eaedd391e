"""The ids of elements in a gist: which it names, which it made up, and those that follow one another as one run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_BRACKETS = re.compile(r"(\s*)\[([^\[\]]*)\]")
_NAMED = re.compile(r"\bid\s*[=:]?\s*[\"']?([A-Za-z]{0,8}[-_]?\d+)\b", re.IGNORECASE)
_LIKE_AN_ID = re.compile(r"[A-Za-z]{0,8}[-_]?\d+(?:-\d+)?")


def check_ids(content: str, ids: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A gist without the ids that its snippet does not have, and the ids of the snippet that it names."""
    places = {one: place for place, one in enumerate(ids)}
    named: set[str] = {one for one in _NAMED.findall(content) if one in places}

    def keep(match: re.Match[str]) -> str:
        found, strange = _bracketed(match[2], places, ids)
        named.update(found)
        return match[0] if not strange else f"{match[1]}[{', '.join(found)}]" if found else ""

    return " ".join(_BRACKETS.sub(keep, content).split()), tuple(one for one in ids if one in named)


def _bracketed(text: str, places: Mapping[str, int], ids: Sequence[str]) -> tuple[list[str], bool]:
    """The known ids between two brackets, runs such as 12-15 written out, and whether unknown ones stand there too."""
    found: list[str] = []
    strange = False
    for part in re.split(r"[,;\s]+", text.strip()):
        said = part.removeprefix("id=")
        first, _, last = said.partition("-")
        if said in places:
            found.append(said)
        elif first in places and last in places:
            found += ids[places[first] : places[last] + 1]
        else:
            strange = strange or bool(_LIKE_AN_ID.fullmatch(said))
    return list(dict.fromkeys(found)), strange


def id_ranges(ids: Iterable[str]) -> list[str]:
    """Ids, with numbers that follow one another as 12-15."""
    found: list[list[str]] = []
    for one in ids:
        last = found[-1][-1] if found else ""
        if last.isdigit() and one.isdigit() and int(one) == int(last) + 1:
            found[-1].append(one)
        else:
            found.append([one])
    return [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in found]
