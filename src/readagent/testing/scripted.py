"""Public fakes for tests: a model that replies from a script, and one that skims."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from readagent.core.model import Ask, Reply
from readagent.core.trace import Usage
from readagent.core.words import estimate_tokens
from readagent.errors import UsageError
from readagent.models.streaming import tell
from readagent.testing.skim import USUAL, Habits, skim

Line = str | Reply | Exception


class ScriptedModel:
    """Replies from a list, one after another, or with whatever a function makes of the ask; keeps the ``asks``.

    An exception in the list, or raised by the function, is raised.
    """

    def __init__(self, replies: Sequence[Line] | Callable[[Ask], Line], *, name: str = "scripted") -> None:
        self.name = name
        self.asks: list[Ask] = []
        self._answer = replies if callable(replies) else None
        self._queue = deque(() if callable(replies) else replies)

    async def complete(self, ask: Ask) -> Reply:
        """The next reply of the script."""
        self.asks.append(ask)
        await asyncio.sleep(0)
        if self._answer is not None:
            line = self._answer(ask)
        elif self._queue:
            line = self._queue.popleft()
        else:
            raise UsageError(
                f"the script has no reply for ask number {len(self.asks)}, step {ask.step}",
                hint="give ScriptedModel more replies, or a function",
            )
        if isinstance(line, Exception):
            raise line
        return tell(ask, reply_to(ask, line))


class Skimmer:
    """Reads like a hurried person: works from the text of the prompt alone, and always the same way."""

    def __init__(self, habits: Habits = USUAL) -> None:
        self.habits = habits

    @property
    def name(self) -> str:
        habits = self.habits
        return f"skimmer gist_share={habits.gist_share} pages_to_open={habits.pages_to_open} pause={habits.pause}"

    async def complete(self, ask: Ask) -> Reply:
        """The reply that skimming the prompt gives."""
        await asyncio.sleep(0)
        return tell(ask, reply_to(ask, skim(ask.prompt, None, self.habits)))


def reply_to(ask: Ask, line: str | Reply) -> Reply:
    """A reply with its tokens estimated; one that is complete is left as it is."""
    if isinstance(line, Reply):
        return line
    return Reply(line, usage=Usage(estimate_tokens(ask.prompt), estimate_tokens(line)))
