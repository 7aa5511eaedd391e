"""Recorder and Replay: every ask and reply as a line of JSON, and a model that answers from such a file."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path

from readagent.core.model import Ask, Finish, Model, Reply
from readagent.core.trace import Usage
from readagent.errors import BadReplyError, UsageError
from readagent.models.cache import ask_key
from readagent.models.streaming import tell
from readagent.models.wire import decode_as, encode


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of the file; ``key`` stands for the whole ask, without the model."""

    key: str
    model: str
    step: str
    prompt: str
    text: str
    finish: Finish
    usage: Usage


class Recorder:
    """A model whose asks and replies are appended to a file. Errors are not recorded."""

    def __init__(self, model: Model, path: Path | str) -> None:
        self._model = model
        self._path = Path(path)

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """The model's reply, written down before it is handed out."""
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
    """A model that gives the recorded replies again; equal asks get theirs in turn, and then the last one again."""

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._replies: dict[str, deque[Reply]] = {}
        self.name = "replay"
        for recorded in _read(self._path):
            self.name = recorded.model
            reply = Reply(recorded.text, recorded.finish, recorded.usage, paid=False)
            self._replies.setdefault(recorded.key, deque()).append(reply)

    async def complete(self, ask: Ask) -> Reply:
        """The reply that was recorded for this ask."""
        replies = self._replies.get(ask_key("", ask))
        if not replies:
            raise UsageError(
                f"{self._path} holds no reply to this {ask.step} ask",
                hint="the prompts, the text or the plan have changed: record once more",
            )
        return tell(ask, replies.popleft() if len(replies) > 1 else replies[0])


def _read(path: Path) -> list[Recorded]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"the recording {path} cannot be read: {error.strerror}") from error
    found = []
    for number, line in enumerate(lines[:-1], 1):  # what has no line end was cut off while it was written
        try:
            found.append(decode_as(line, Recorded))
        except BadReplyError as error:
            raise UsageError(f"line {number} of {path} is not a recorded reply") from error
    return found
