"""A scripted model for visits: the script names elements, and the model finds their ids in the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.miniwob_oracle.seen import Seen, plain, wanted

from readagent.core.model import Ask, Reply
from readagent.testing.scripted import reply_to

Act = str | tuple[str, str]


class ScriptedVisitor:
    """Follows a script: a name is clicked, a text of a (name, text) pair is typed or selected; after the last it is done.

    ``Action: hover {Menu}`` is said as it is, with the id of that element; ``{Menu|2}`` is the second of that name.
    """

    name = "scripted-visitor"

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = list(acts)
        self.prompts: list[str] = []

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
        if isinstance(act, str):
            said = act if act.startswith("Action:") else f"Action: click {{{act}}}"
            return re.sub(r"\{([^{}|]+)(?:\|(\d))?\}", lambda name: f"[{_id(seen, name[1], name[2])}]", said)
        item = seen.named(act[0])
        return f"Action: {'select' if item.tag == 'select' else 'type'} [{item.id}] {act[1]}"


def _id(seen: Seen, name: str, number: str | None) -> str:
    if number is None:
        return seen.named(name).id
    return [item for item in seen.items if plain(item.name) == plain(name)][int(number) - 1].id
