"""ScriptedModel, which replies from a script, and Skimmer, which replies to any prompt."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from readagent.core.model import Ask, Reply
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.errors import UsageError
from readagent.models.streaming import emit
from readagent.testing.skim import DEFAULT_HABITS, Habits, skim

ScriptedReply = str | Reply | Exception


class ScriptedModel:
    """A model that replies from a list, in order, or with what a function returns for each ask.

    A reply is a string, a ``Reply``, or an exception, which is raised. ``asks`` lists what the model was asked. An ask
    after the end of the list raises UsageError.
    """

    def __init__(
        self, replies: Sequence[ScriptedReply] | Callable[[Ask], ScriptedReply], *, name: str = "scripted"
    ) -> None:
        self.name = name
        self.asks: list[Ask] = []
        self._answer = replies if callable(replies) else None
        self._queue = deque(() if callable(replies) else replies)

    async def complete(self, ask: Ask) -> Reply:
        """Return the next reply of the script."""
        self.asks.append(ask)
        await asyncio.sleep(0)
        if self._answer is not None:
            reply = self._answer(ask)
        elif self._queue:
            reply = self._queue.popleft()
        else:
            raise UsageError(
                f"the script has no reply for ask {len(self.asks)} (step {ask.step})",
                hint="pass more replies to ScriptedModel, or a function",
            )
        if isinstance(reply, Exception):
            raise reply
        return emit(ask, reply_to(ask, reply))


class Skimmer:
    """A deterministic model that reads any text and answers any question, using only the prompt.

    It pauses late, shortens by selecting sentences, and finds pages and answers by shared rare words. Its answers are
    not good, but they are always the same, and every step of reading and asking works. ``count`` counts the tokens of
    prompts and replies.
    """

    def __init__(self, habits: Habits = DEFAULT_HABITS, count: Callable[[str], int] = estimate_tokens) -> None:
        self.habits = habits
        self._count = count

    @property
    def name(self) -> str:
        habits = self.habits
        asks = f" asks={habits.asks}" if habits.asks != 1 else ""
        steps = "" if habits.one_pass else " one_pass=False"
        opens = f"pages_to_open={habits.pages_to_open}"
        return f"skimmer gist_share={habits.gist_share} {opens} pause={habits.pause}{asks}{steps}"

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply to a prompt."""
        await asyncio.sleep(0)
        return emit(ask, reply_to(ask, skim(ask.prompt, None, self.habits), self._count))


def reply_to(ask: Ask, text: str | Reply, count: Callable[[str], int] = estimate_tokens) -> Reply:
    """Return a reply with estimated token counts. A Reply is returned unchanged."""
    if isinstance(text, Reply):
        return text
    return Reply(text, usage=Usage(count(ask.prompt), count(text)))
