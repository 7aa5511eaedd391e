"""Parse a chat completion, whole or as a stream of events, in the variants that servers send, and pass it on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readagent.core.model import Ask, Finish, Reply
from readagent.errors import BadReplyError, ConnectionFailedError, SlowReplyError
from readagent.models.refusal import Refusal, error_from, read_error, read_json
from readagent.models.wire import OversizedReplyError, decode

MAX_CHARACTERS = 2_000_000  # of the text of one reply
_MAX_TOKENS = 10_000_000  # a server that counts more in one call does not count tokens
_DONE = "[DONE]"
_FINISH: dict[str, Finish] = {
    "length": "length", "max_tokens": "length", "model_length": "length", "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "content_filter": "filtered", "safety": "filtered", "prohibited_content": "filtered", "blocklist": "filtered",
    "recitation": "filtered",
}  # fmt: skip
_APART = ("cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True)
class Completion:
    """A parsed reply. Token counts are None if the server did not send them, or not as counts.

    ``apart_tokens`` are those of the prompt that the server may have told apart from the others, since it had them
    cached: some count them among the others as well.
    """

    text: str
    finish: Finish
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cached_tokens: int = 0
    apart_tokens: int = 0


def read_completion(body: bytes, secret: str | None = None) -> Completion | Refusal:
    """Parse a response body. It may be an error in spite of the status. Raises BadReplyError if it is neither."""
    value = read_json(body, secret)
    if refusal := _refusal_in(value, secret):
        return refusal
    choice = _object(_first(_object(value).get("choices")))
    message = _object(choice.get("message"))
    if not message and _finish(choice.get("finish_reason")) not in ("refused", "filtered"):
        raise BadReplyError("the reply contains no message")
    text = _text(message.get("content"))
    if len(text) > MAX_CHARACTERS:
        raise _too_long()
    return _completion(text, choice.get("finish_reason"), message.get("refusal"), value)


async def read_stream(
    events: AsyncIterator[str], listen: Callable[[str], None], silence: float, secret: str | None = None
) -> Completion | Refusal:
    """Parse a stream of events, and pass each piece of text to ``listen`` as it arrives.

    Once the reply has begun, the next piece must arrive within ``silence`` seconds. An error that comes before the
    first piece is returned, a later one is raised.
    """
    stream = _Stream(listen, secret)
    broken: BadReplyError | None = None  # an event that is not JSON: the last one may have been cut off
    clock = asyncio.get_running_loop().time
    limit = asyncio.timeout(None)
    try:
        async with limit:
            async for event in events:
                if broken is not None:
                    raise broken
                try:
                    values = _values(event)
                except BadReplyError as error:
                    broken = error
                    continue
                if stream.read(values) and (limit.when() or 0.0) < clock() + silence:
                    limit.reschedule(clock() + 1.1 * silence)  # a little later, since moving it at every piece is slow
                if stream.ended or stream.refusal is not None:
                    break
    except TimeoutError as error:
        if not limit.expired():
            raise
        if stream.finish is None:
            hint = "a slow model may need longer pauses: set a longer `silence`"
            message = f"the reply stopped arriving: nothing for {silence:g} seconds"
            raise SlowReplyError(message, hint=hint) from error
    except ConnectionFailedError:
        if stream.finish is None:
            raise
    if broken is not None and not stream.began:
        raise broken
    return stream.result()


class _Stream:
    """What has arrived of a streamed reply."""

    def __init__(self, listen: Callable[[str], None], secret: str | None) -> None:
        self.finish: Any = None
        self.began = self.ended = False
        self.refusal: Refusal | None = None
        self._listen = listen
        self._secret = secret
        self._pieces: list[str] = []
        self._length = 0
        self._declined = False
        self._counted: dict[str, Any] = {}

    def read(self, values: Sequence[Any]) -> bool:
        """Take in the values of an event. Returns whether it was a part of the reply: text, or a thought."""
        return sum(self._read(value) for value in values) > 0

    def result(self) -> Completion | Refusal:
        """Return the reply, or the error in its place. Raises an error if the reply is not complete."""
        if self.refusal is not None:
            if self._pieces:
                raise error_from(self.refusal)
            return self.refusal
        if self.finish is None and not (self.ended and self._pieces):
            raise ConnectionFailedError("the stream ended before the reply was complete")
        return _completion("".join(self._pieces), self.finish, self._declined, self._counted)

    def _read(self, value: Any) -> bool:
        self.began = True
        if value == _DONE:
            self.ended = True
            return False
        self.refusal = self.refusal or _refusal_in(value, self._secret)
        fields = _object(value)
        self._counted = fields if isinstance(fields.get("usage"), dict) else self._counted
        choice = _object(_first(fields.get("choices")))
        delta = _object(choice.get("delta"))
        self.finish = choice.get("finish_reason") or self.finish
        self._declined = self._declined or bool(_text(delta.get("refusal")))
        piece = _text(delta.get("content"))
        if piece:
            self._length += len(piece)
            if self._length > MAX_CHARACTERS:
                raise _too_long()
            self._pieces.append(piece)
            self._listen(piece)
        return bool(piece) or any(_text(delta.get(name)) for name in (*_THOUGHTS, "refusal"))


def _values(event: str) -> list[Any]:
    """Return the values in the data of an event: one, or one for each line where a server ends events with one line."""
    lines = [line for line in event.split("\n") if line.strip()]
    if len(lines) > 1:
        try:
            return [decode(event)]
        except BadReplyError:
            pass
    return [_DONE if line.strip() == _DONE else decode(line) for line in lines]


def _completion(text: str, finish: Any, declined: Any, counted: Any) -> Completion:
    if str(finish).lower() == "error":
        raise BadReplyError("the server aborted the reply with an error")
    usage = _object(_object(counted).get("usage"))
    cached = _count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")) or 0
    apart = sum(_count(usage.get(name)) or 0 for name in _APART)
    return Completion(
        text,
        "refused" if declined else _finish(finish),
        _count(usage.get("prompt_tokens")) or None,  # no prompt has 0 tokens
        _count(usage.get("completion_tokens")) or (None if text else 0),
        cached,
        max(cached, apart),
    )


def _finish(reason: Any) -> Finish:
    """Return the finish for a reason such as "stop", "MAX_TOKENS" or "content_filter: SAFETY"."""
    return _FINISH.get(str(reason or "stop").partition(":")[0].strip().lower(), "stop")


def _refusal_in(value: Any, secret: str | None) -> Refusal | None:
    """Return the error that a response with status 200 describes, or None."""
    fields = _object(_first(value) if isinstance(value, list) else value)
    error = fields.get("error") or fields.get("errors") or _blocked(fields) or _base_response(fields)
    if not error and fields.get("object") == "error":  # FastChat: the body itself is the error
        error = fields
    if not error:
        return None
    code = str(_object(error).get("code"))
    status = int(code) if code.isascii() and code.isdecimal() and 400 <= int(code[:4]) < 600 else 200
    return read_error(status, error, {}, secret)


def _blocked(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return an error for a prompt that Gemini blocked: such a reply has no choices, and a reason elsewhere."""
    feedback = _object(fields.get("promptFeedback") or fields.get("prompt_feedback"))
    reason = feedback.get("blockReason") or feedback.get("block_reason")
    return {"message": f"the content filter blocked it: {reason}"} if reason and not fields.get("choices") else None


def _base_response(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the error that MiniMax sends next to the choices."""
    base = _object(fields.get("base_resp"))
    return base if base.get("status_code") else None


def _too_long() -> BadReplyError:
    return OversizedReplyError(f"the reply has more than {MAX_CHARACTERS:,} characters")


def _text(content: Any) -> str:
    """Return the text of a message: a string, or a list of parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(text for text in texts if isinstance(text, str))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value <= _MAX_TOKENS else None


def emit(ask: Ask, reply: Reply) -> Reply:
    """Send the whole text of a reply to the ask's listener, if there is one. Returns the reply."""
    if ask.listen is not None and reply.text:
        ask.listen(reply.text)
    return reply


class StreamListener:
    """The listener of an ask over several attempts at the same reply; it can be closed.

    If a later attempt starts after text was passed on, the ask's ``restart`` is called first. An ask without one
    receives only the text of the first attempt.
    """

    def __init__(self, ask: Ask) -> None:
        assert ask.listen is not None
        self._listen, self._restart = ask.listen, ask.restart
        self._begun = False
        self._open = True

    def restart(self) -> None:
        """Start a new attempt."""
        if not self._begun or not self._open:
            return
        self._begun = False
        if self._restart is None:
            self._open = False
        else:
            self._restart()

    def close(self) -> None:
        """Stop passing text on."""
        self._open = False

    def __call__(self, piece: str) -> None:
        if piece and self._open:
            self._begun = True
            self._listen(piece)


def wrap_listener(ask: Ask) -> tuple[Ask, StreamListener | None]:
    """Return the ask with its listener wrapped in a StreamListener, and the wrapper."""
    if ask.listen is None:
        return ask, None
    listener = StreamListener(ask)
    return replace(ask, listen=listener, restart=listener.restart), listener
