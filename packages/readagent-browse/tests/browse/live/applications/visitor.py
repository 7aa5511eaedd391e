"""Visitor: a scripted model that follows a list of acts, and knows elements only by the names it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.miniwob_oracle.seen import Item, Seen, plain, wanted

from readagent.core.model import Ask, Reply
from readagent.testing.scripted import reply_to

_TAG = re.compile(r"<[^<>]*>")
_NAMED = re.compile(r"\{(?!PW)([^{}|]+)(?:\|(\d+))?\}")  # but not a secret
_GIST = re.compile(r'^\{"index": (\d+), "content": "(.*)"\}$', re.MULTILINE)


class Visitor:
    """Follows a script. A name is clicked; ``type {Name} text`` is said as it is, with the id of that element.

    ``{Name|2}`` is the second element of that name, ``{checkbox:Name}`` one of that type or tag. After the last act it
    is done. The model remembers each part that it summarised, and opens those that have the name it looks for, or
    ``ends`` after the last act.
    """

    name = "visitor"

    def __init__(self, acts: Sequence[str], ends: Sequence[str] = ()) -> None:
        self._acts = list(acts)
        self._ends = tuple(ends)
        self._parts: dict[str, str] = {}
        self.pages: list[str] = []
        self.calls = 0

    async def complete(self, ask: Ask) -> Reply:
        """Reply to a prompt."""
        self.calls += 1
        return reply_to(ask, self._answer(ask.prompt))

    def _answer(self, prompt: str) -> str:
        asked = wanted(prompt)
        if asked == "gist":
            return self._gist(prompt)
        if asked == "check":
            return "1: yes [1]"
        if asked == "parts":
            return self._wanted_parts(prompt)
        seen = Seen.of(prompt)
        self.pages.append(seen.page)
        act = self._acts.pop(0) if self._acts else "done"
        said = act if act.partition(" ")[0] in _OPERATIONS else f"click {{{act}}}"
        return f"Action: {_NAMED.sub(lambda name: f'[{_element(seen, name).id}]', said)}"

    def _gist(self, prompt: str) -> str:
        part = prompt.partition("<part>")[2].rpartition("</part>")[0]
        mark = f"note{len(self._parts)}"
        self._parts[mark] = part
        return f"Gist: {mark}: {' '.join(_TAG.sub(' ', part).split()[:8])}"

    def _wanted_parts(self, prompt: str) -> str:
        most = int(re.findall(r"at most (\d+) of the parts", prompt)[-1])
        names = self._looked_for()
        found = [
            index
            for index, gist in _GIST.findall(prompt)
            if any(_has(self._parts.get(gist.partition(":")[0], gist), name) for name in names)
        ]
        return f"Parts: {', '.join(found[:most]) or 'none'}"

    def _looked_for(self) -> Sequence[str]:
        """Return the names in the next act, or what the last page must show."""
        act = self._acts[0] if self._acts else "done"
        if act.startswith("done"):
            return self._ends
        names = [name[1].rpartition(":")[2] for name in _NAMED.finditer(act)]
        return names or ([] if act.partition(" ")[0] in _OPERATIONS else [act])


_OPERATIONS = frozenset(
    "click double-click drag type select hover press scroll back note done upload tab close".split()
)


def _has(part: str, name: str) -> bool:
    return plain(name) in plain(_TAG.sub(lambda tag: f" {tag[0][1:-1]} ", part))


def _element(seen: Seen, name: re.Match[str]) -> Item:
    """Return the element of this name: its own text, a naming attribute, or the text beside it."""
    kind, colon, called = plain(name[1]).rpartition(":")
    items = [item for item in seen.items if not colon or kind in (item.tag, item.attributes.get("type"))]
    found = [item for item in items if plain(item.name) == called]
    found = found or [item for item in items if called in map(plain, item.attributes.values())]
    found = found or [item for item in items if _beside(seen, item) == called]
    if len(found) < int(name[2] or 1):
        raise LookupError(f"no element {name[1]} in:\n{seen.page}")
    return found[int(name[2] or 1) - 1]


def _beside(seen: Seen, item: Item) -> str:
    """Return the text just before a field, or just after a box to tick, up to the next field."""
    ticked = item.attributes.get("type") in ("checkbox", "radio")
    text = seen.page[item.place + 1 :].partition("<input ")[0] if ticked else seen.page[: item.place]
    lines = [line for line in map(str.strip, _TAG.sub("\n", f"<{text}").splitlines()) if line]
    return plain((lines[0] if ticked else lines[-1]).rstrip(":* ")) if lines else ""
