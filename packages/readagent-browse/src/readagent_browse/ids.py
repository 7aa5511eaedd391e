"""Element ids and words of a page in prompts: find them, remove invented ones, and write them safely."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from readagent.core.escaping import escape_tags

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


_OPENING = re.compile("[<\uff1c\ufe64]")
_CLOSING = re.compile("(?<=[\\w\"'/])[>\uff1e\ufe65]")
# What nobody sees and what can spell out, hide or turn a text: controls, tag characters, marks of direction that turn
# letters, spaces and joiners without a width, and variation selectors where there is nothing to vary. Joiners within
# words of scripts that need them, and single selectors after signs, stay.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_UNNEEDED = re.compile(
    "[\ufe00-\ufe0f]{2,}|(?<=[A-Za-z\\s])[\ufe00-\ufe0f]|[\u200c-\u200f]{2,}"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_HEAD = frozenset({"title", "url"})  # the tags above the content of a page


def harmless(text: str) -> str:
    """Return a text of a page with single spaces, in which nothing is invisible or can be mistaken for a tag."""
    seen = _UNNEEDED.sub("", _UNSEEN.sub("", text))
    return " ".join(_CLOSING.sub("›", _OPENING.sub("‹", seen)).split())


def original(text: str) -> str:
    """Return a text from a prompt with the brackets that it has on the page."""
    return text.replace("‹", "<").replace("›", ">")


def quoted(text: str) -> str:
    """Return a text of a page in quotation marks that nothing in it can close."""
    return f'"{unquotable(text)}"'


def unquotable(text: str) -> str:
    """Return a harmless text without double quotation marks."""
    return re.sub('["“”„‟＂]', "'", harmless(text))


def is_ours(tag: str) -> bool:
    """Return whether a tag of this name structures prompts, so that no element of a page may be shown with it."""
    return tag in _HEAD or escape_tags(f"<{tag}>") != f"<{tag}>"
