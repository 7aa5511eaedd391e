"""Models for tests: ScriptedModel and Skimmer, and Recorder and Replay, which keep replies in a file."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from readagent.core.form import Form, Text, strip_thinking
from readagent.core.model import Ask, Finish, Model, Reply
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.errors import BadReplyError, UsageError
from readagent.models.cache import ask_key
from readagent.models.completion import emit
from readagent.models.wire import decode_as, encode
from readagent.testing.skim import DEFAULT_HABITS, Habits, skim

ScriptedReply = str | Reply | Exception


class ScriptedModel:
    """A model that replies from a list, in order, or with what a function returns for each ask.

    A reply is a string, a ``Reply``, or an exception, which is raised. A string without a label gets that of the text
    that is asked for, such as ``Answer:``; a ``Reply`` stays as it is. ``asks`` lists what the model was asked. An ask
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
        return emit(ask, reply_to(ask, _labelled(ask, reply) if isinstance(reply, str) else reply))


def _labelled(ask: Ask, reply: str) -> str:
    """Return a reply with the label of the text that is asked for, unless it is in form already."""
    form = ask.form if isinstance(ask.form, Form) else Form(())
    label = next((one.label for one in form.fields if isinstance(one, Text)), "")
    said = strip_thinking(reply)
    first = said.partition("\n")[0]
    if not label or not said or said[0] in "{`" or form.word_in(first) or form.label_in(first):
        return reply
    return f"{label}: {reply}"


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


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of the file. ``key`` identifies the ask, independently of the model."""

    key: str
    model: str
    step: str
    prompt: str
    text: str
    finish: Finish
    usage: Usage


class Recorder:
    """Wraps a model and appends every ask and reply to a file, as a line of JSON each.

    Errors are not recorded. The file contains the prompts and thus the text that is read, but never an API key.
    """

    def __init__(self, model: Model, path: Path | str) -> None:
        self._model = model
        self._path = Path(path)

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's reply, after it was written to the file."""
        reply = await self._model.complete(ask)
        line = encode(
            {
                "key": ask_key("", ask),
                "model": self.name,
                "step": ask.step,
                "prompt": ask.prompt,
                "text": reply.text,
                "finish": reply.finish,
                "usage": reply.usage,
            }
        )
        with self._path.open("ab") as file:
            file.write(line + b"\n")
        return reply


class Replay:
    """A model that replies from a file that a Recorder wrote.

    Equal asks get their recorded replies in order, and the last one again after that. An ask that was not recorded
    raises UsageError. ``name`` is that of the recorded model.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._replies: dict[str, deque[Reply]] = {}
        self.name = "replay"
        for recorded in _read(self._path):
            self.name = recorded.model
            reply = Reply(recorded.text, recorded.finish, recorded.usage, paid=False)
            self._replies.setdefault(recorded.key, deque()).append(reply)

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply that was recorded for this ask."""
        replies = self._replies.get(ask_key("", ask))
        if not replies:
            raise UsageError(
                f"{self._path} has no reply to this {ask.step} ask",
                hint="the prompts, the text or the plan have changed: record again",
            )
        return emit(ask, replies.popleft() if len(replies) > 1 else replies[0])


def _read(path: Path) -> list[Recorded]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"could not read the recording {path}: {error.strerror}") from error
    found = []
    for number, line in enumerate(lines[:-1], 1):  # a last line without a newline was cut off while writing
        try:
            found.append(decode_as(line, Recorded))
        except BadReplyError as error:
            raise UsageError(f"line {number} of {path} is not a recorded reply") from error
    return found
