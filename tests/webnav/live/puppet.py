"""A scripted model for visits: it is told what to do by the names of elements, and finds their ids in the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.miniwob_oracle.seen import Seen, wanted

from readagent.core.model import Ask, Reply
from readagent.testing.scripted import reply_to

Act = str | tuple[str, str]


class Puppet:
    """Acts by a script: a name is clicked, a pair of name and text is typed or selected; at its end it is done."""

    name = "puppet"

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = list(acts)
        self._now: Act = ""
        self.prompts: list[str] = []

    async def complete(self, ask: Ask) -> Reply:
        self.prompts.append(ask.prompt)
        return reply_to(ask, self.answer(ask.prompt))

    def answer(self, prompt: str) -> str:
        asked = wanted(prompt)
        if asked == "element":
            if not self._acts:
                return "DONE"
            self._now = self._acts.pop(0)
            name = self._now if isinstance(self._now, str) else self._now[0]
            return f"Element: {Seen.of(prompt).named(name).id}"
        if asked == "operation":
            return f"Action: {'click' if isinstance(self._now, str) else 'type' if ' type,' in prompt else 'select'}"
        assert isinstance(self._now, tuple)
        if asked == "option":
            options = prompt.rpartition("Its options are:")[2].splitlines()
            return next(line.partition(".")[0] for line in options if line.endswith(f". {self._now[1]}"))
        return self._now[1]
