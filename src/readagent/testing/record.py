"""Recorder and Replay: write the replies of a model to a file, and reply from such a file."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path

from readagent.core.model import Ask, Finish, Model, Reply
from readagent.core.trace import Usage
from readagent.errors import BadReplyError, UsageError
from readagent.models.cache import ask_key
from readagent.models.streaming import emit
from readagent.models.wire import decode_as, encode


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
