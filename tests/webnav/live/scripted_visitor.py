"""A scripted model for visits: the script names elements, and the model finds their ids in the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.miniwob_oracle.seen import Seen, wanted

from readagent.core.model import Ask, Reply
from readagent.testing.scripted import reply_to

Act = str | tuple[str, str]


class ScriptedVisitor:
    """Follows a script: a name is clicked, a text of a (name, text) pair is typed or selected; after the last it is done."""

    name = "scripted-visitor"

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = list(acts)
        self._current: Act = ""
        self.prompts: list[str] = []

    async def complete(self, ask: Ask) -> Reply:
        self.prompts.append(ask.prompt)
        return reply_to(ask, self.answer(ask.prompt))

    def answer(self, prompt: str) -> str:
        step = wanted(prompt)
        if step == "element":
            if not self._acts:
                return "DONE"
            self._current = self._acts.pop(0)
            name = self._current if isinstance(self._current, str) else self._current[0]
            return f"Element: {Seen.of(prompt).named(name).id}"
        if step == "operation":
            return (
                f"Action: {'click' if isinstance(self._current, str) else 'type' if ' type,' in prompt else 'select'}"
            )
        assert isinstance(self._current, tuple)
        if step == "option":
            options = prompt.rpartition("Its options are:")[2].splitlines()
            return next(line.partition(".")[0] for line in options if line.endswith(f". {self._current[1]}"))
        return self._current[1]
