"""Parse a chat completion, whole or as a stream of events, tolerating the variants that servers send."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from readagent.core.model import Finish
from readagent.errors import BadReplyError, ConnectionFailedError
from readagent.models.failures import error_from, read_error
from readagent.models.wire import decode

_FINISH: dict[str, Finish] = {
    "length": "length", "max_tokens": "length", "model_length": "length", "max_output_tokens": "length",
    "content_filter": "refused", "refusal": "refused", "safety": "refused", "prohibited_content": "refused",
    "blocklist": "refused", "recitation": "refused",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Completion:
    """A parsed reply. Token counts are None if the server did not send them."""

    text: str
    finish: Finish
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cached_tokens: int = 0


def read_completion(body: bytes, secret: str | None = None) -> Completion:
    """Parse a response body. Raises BadReplyError if it is no completion, or the error that it describes."""
    value = _object(decode(body))
    _raise_error(value, secret)
    choice = _object(_first(value.get("choices")))
    message = _object(choice.get("message"))
    if not message:
        raise BadReplyError("the reply contains no message")
    return _completion(_text(message.get("content")), choice.get("finish_reason"), message.get("refusal"), value)


async def read_stream(
    lines: AsyncIterator[str], listen: Callable[[str], None], secret: str | None = None
) -> Completion:
    """Parse a stream of server-sent events, and pass each piece of text to ``listen`` as it arrives."""
    pieces: list[str] = []
    finish: Any = None
    refusal = ""
    counted: dict[str, Any] = {}
    ended = False
    async for line in lines:
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            ended = True
            break
        event = _object(decode(data))
        _raise_error(event, secret)
        counted = event if isinstance(event.get("usage"), dict) else counted
        choice = _object(_first(event.get("choices")))
        delta = _object(choice.get("delta"))
        if piece := _text(delta.get("content")):
            pieces.append(piece)
            listen(piece)
        refusal += _text(delta.get("refusal"))
        finish = choice.get("finish_reason") or finish
    if finish is None and not (ended and pieces):
        raise ConnectionFailedError("the stream ended before the reply was complete")
    return _completion("".join(pieces), finish, refusal, counted)


def _completion(text: str, finish: Any, refusal: Any, counted: dict[str, Any]) -> Completion:
    reason = str(finish or "stop").lower()
    if reason == "error":
        raise BadReplyError("the server aborted the reply with an error")
    usage = _object(counted.get("usage"))
    details = _object(usage.get("prompt_tokens_details"))
    return Completion(
        text,
        "refused" if refusal else _FINISH.get(reason, "stop"),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(details.get("cached_tokens")) or 0,
    )


def _raise_error(value: dict[str, Any], secret: str | None) -> None:
    error = value.get("error")
    if not error:
        return
    code = error.get("code") if isinstance(error, dict) else None
    status = int(code) if isinstance(code, int | str) and str(code).isdecimal() and len(str(code)) == 3 else 0
    refusal = read_error(status or 400, error, {}, secret)
    if status or refusal.overflow or refusal.no_model or refusal.code == "insufficient_quota":
        raise error_from(refusal)
    raise BadReplyError(f"the server replied with an error: {refusal.message or 'without a message'}")


def _text(content: Any) -> str:
    """Return the text of a message: a string, or a list of parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text") if isinstance(part, dict) else part) for part in content)
    return content if isinstance(content, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
