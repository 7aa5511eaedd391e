"""Messages in the form of chat servers, ``{"role": "user", "content": "…"}``: read them, and write turns as such."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from readagent.core.turns import Spoken, without_blank_ends
from readagent.errors import UsageError

Message = Mapping[str, Any]
ASSISTANT = "Assistant"
USER = "User"

_SPEAKERS = {"user": USER, "human": USER, "assistant": ASSISTANT, "ai": ASSISTANT, "tool": "Tool", "function": "Tool"}
_INSTRUCTIONS = ("system", "developer")
_OF_THE_USER = ("", "user", "you", "human", "me")
_NOT_TEXT = {"image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
             "video": "video", "file": "file", "input_file": "file", "document": "file"}  # fmt: skip


def spoken_in(message: Message) -> tuple[str, str] | None:
    """Return the speaker and the text of a message; None for instructions, and if nothing is said.

    Calls of tools are written as text, and a picture or a file as ``[image]`` or ``[file]``.
    """
    if not isinstance(message, Mapping) or "role" not in message:
        raise UsageError("a message needs a role", hint='for example {"role": "user", "content": "Hello"}')
    role = str(message["role"]).lower()
    if role in _INSTRUCTIONS:
        return None
    if role not in _SPEAKERS:
        raise UsageError(f"unknown role {role!r}", hint="use user, assistant, tool, system or developer")
    pieces = [_content(message.get("content")), *(_call(one) for one in message.get("tool_calls") or ())]
    text = "\n\n".join(filter(None, pieces))
    name = str(message.get("name") or "")
    speaker = f"Tool {name}".strip() if _SPEAKERS[role] == "Tool" else name or _SPEAKERS[role]
    return (speaker, text) if text else None


def _content(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return without_blank_ends(content)
    if not isinstance(content, Sequence):
        raise UsageError("the content of a message is a text or a list of parts")
    return "\n\n".join(filter(None, map(_part, content)))


def _part(part: object) -> str:
    if isinstance(part, str):
        return without_blank_ends(part)
    if not isinstance(part, Mapping):
        raise UsageError("a part of a message is a text or a mapping", hint='for example {"type": "text", "text": "…"}')
    kind = str(part.get("type", "text"))
    if kind == "tool_use":
        return _called(str(part.get("name", "")), part.get("input"))
    if kind == "tool_result":
        return _content(part.get("content"))
    if kind in _NOT_TEXT:
        return f"[{_NOT_TEXT[kind]}]"
    text = part.get("text") or part.get("refusal")
    if not isinstance(text, str) or "thinking" in kind or "reasoning" in kind:
        return ""
    return without_blank_ends(text)


def _call(call: object) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else {}
    return _called(str(function.get("name", "")), function.get("arguments"))


def _called(name: str, arguments: object) -> str:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return f"(calls {name} {given})"


def as_message(turn: Spoken, assistant: str = ASSISTANT) -> dict[str, str]:
    """Return a turn as a message: what ``assistant`` said is the assistant's, all else the user's, with other names."""
    if turn.speaker.casefold() == assistant.casefold():
        return {"role": "assistant", "content": turn.text}
    named = turn.speaker.casefold() not in _OF_THE_USER
    return {"role": "user", "content": f"{turn.speaker}: {turn.text}" if named else turn.text}
