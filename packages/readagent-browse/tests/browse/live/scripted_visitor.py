"""A scripted model for visits: the script names elements, and the model finds their ids in the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.miniwob_oracle.seen import Item, Seen, plain, wanted

from readagent.core.model import Ask, Reply
from readagent.testing.scripted import reply_to

Act = str | tuple[str, str]
_NAMED = re.compile(r"\{(?!PW)([^{}|]+)(?:\|(\d))?\}")  # but not a secret
_TAG = re.compile(r"<[^<>]*>")


class ScriptedVisitor:
    """Follows a script: a name is clicked, a text of a (name, text) pair is typed or selected; after the last it is done.

    ``Action: hover {Menu}`` is said as it is, with the id of that element; ``{Menu|2}`` is the second of that name,
    ``{checkbox:Menu}`` one of that type or tag. ``pages`` are those that it was shown.
    """

    name = "scripted-visitor"

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = list(acts)
        self.prompts: list[str] = []
        self.pages: list[str] = []

    async def complete(self, ask: Ask) -> Reply:
        self.prompts.append(ask.prompt)
        return reply_to(ask, self.answer(ask.prompt))

    def answer(self, prompt: str) -> str:
        step = wanted(prompt)
        if step == "check":
            return "1: yes [1]"
        if step == "parts":
            return "Parts: none"
        assert step == "command", step
        act = self._acts.pop(0) if self._acts else "Action: done"
        seen = Seen.of(prompt)
        self.pages.append(seen.page)
        if isinstance(act, str):
            said = act if act.startswith("Action:") else f"Action: click {{{act}}}"
            return _NAMED.sub(lambda name: f"[{_element(seen, name[1], int(name[2] or 1)).id}]", said)
        item = seen.named(act[0])
        return f"Action: {'select' if item.tag == 'select' else 'type'} [{item.id}] {act[1]}"


def _element(seen: Seen, name: str, number: int) -> Item:
    """Return the element of this name: its own text, a naming attribute, or the text beside it."""
    kind, colon, called = plain(name).rpartition(":")
    items = [item for item in seen.items if not colon or kind in (item.tag, item.attributes.get("type"))]
    found = [item for item in items if plain(item.name) == called]
    found = found or [item for item in items if called in map(plain, item.attributes.values())]
    found = found or [item for item in items if _beside(seen, item) == called]
    if len(found) < number:
        raise LookupError(f"no element {name} in:\n{seen.page}")
    return found[number - 1]


def _beside(seen: Seen, item: Item) -> str:
    """Return the text just before a field, or just after a box to tick, up to the next field."""
    ticked = item.attributes.get("type") in ("checkbox", "radio")
    text = seen.page[item.place + 1 :].partition("<input ")[0] if ticked else seen.page[: item.place]
    lines = [line for line in map(str.strip, _TAG.sub("\n", f"<{text}").splitlines()) if line]
    return plain((lines[0] if ticked else lines[-1]).rstrip(":* ")) if lines else ""
