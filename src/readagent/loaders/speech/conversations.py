"""Conversations in JSON values, in the shapes that records of meetings and exports of chats have.

Known: lists of messages (role or speaker, content or text, a time), such lists within objects, ChatGPT's tree of
messages, LoCoMo's numbered sessions, and lists of any of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readagent.loaders.speech.timestamps import clock, moment

_SPEAKER = ("speaker", "role", "from", "sender", "author", "real_name", "user_name", "username", "user", "name")
_TEXT = ("content", "text", "value", "message", "body", "utterance", "msg", "parts", "transcript")
_TIME = ("timestamp", "time", "date", "datetime", "created_at", "create_time", "sent_at", "ts", "start", "start_time")
_LISTS = ("meeting_transcripts", "messages", "conversations", "conversation", "chat_messages", "turns", "utterances",
          "dialogue", "dialog", "transcript", "segments", "chats", "data")  # fmt: skip
_TITLE = ("title", "name", "topic", "subject")
_ROLES = {"user": "User", "assistant": "Assistant", "system": "System", "human": "Human", "gpt": "GPT", "tool": "Tool",
          "bot": "Bot", "model": "Model", "function": "Function", "ai": "AI", "developer": "Developer"}  # fmt: skip
_SESSION = re.compile(r"session_(\d+)")
_MOSTLY = 0.8  # of a list that must be messages
_FIRST = 20  # items of a list by which it is known
_MOST_DEPTH = 4  # objects within objects in which conversations are looked for


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody said, and when, in words for people; of a recording, from which second to which."""

    speaker: str
    text: str
    time: str = ""
    start: float = -1.0
    end: float = -1.0


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order; ``part`` is what this is one of: a meeting, a conversation, a session."""

    messages: tuple[Message, ...]
    title: str = ""
    part: str = "Conversation"
    inner: tuple[Conversation, ...] = ()


def conversations(value: object, depth: int = 0) -> list[Conversation]:
    """The conversations in a value; none where it holds none."""
    if depth > _MOST_DEPTH:
        return []
    if isinstance(value, list):
        messages = _messages(value)
        return [Conversation(messages)] if messages else _in_list(value, depth)
    return _in_object(value, depth) if isinstance(value, dict) else []


def _in_list(value: Sequence[object], depth: int) -> list[Conversation]:
    """The conversations of a list whose items have some; the first of them must."""
    objects = [item for item in value if isinstance(item, dict)]
    if len(objects) < _MOSTLY * len(value) or not any(conversations(item, depth + 1) for item in objects[:_FIRST]):
        return []
    return [one for item in objects for one in conversations(item, depth + 1)]


def _in_object(value: Mapping[str, object], depth: int) -> list[Conversation]:
    title = next((_sound(said) for key in _TITLE if isinstance(said := value.get(key), str)), "")
    if isinstance(tree := value.get("mapping"), dict):
        messages = tuple(_branch(tree, value.get("current_node")))
        return [Conversation(messages, title)] if messages else []
    if any(_SESSION.fullmatch(key) for key in value):
        return _sessions(value, title)
    for key in _LISTS:
        inner = value.get(key)
        messages = _messages(inner) if isinstance(inner, list) else ()
        if messages:
            return [Conversation(messages, title, "Meeting" if key == "meeting_transcripts" else "Conversation")]
    for key in _LISTS:
        if isinstance(inner := value.get(key), dict | list) and (found := conversations(inner, depth + 1)):
            return found
    return []


def _messages(items: Sequence[object]) -> tuple[Message, ...]:
    """The messages in a list, if that is what most of it is; those without text are left out."""
    objects = [item for item in items if isinstance(item, dict)]
    if not items or sum(1 for item in objects if _has_both(item)) < _MOSTLY * len(items):
        return ()
    return tuple(message for item in objects if (message := _message(item)).text)


def _has_both(item: Mapping[str, object]) -> bool:
    """Whether an object has what a message has: somebody or a time, and something said, even if that is nothing."""
    said = any(key in item and isinstance(item[key], str | list | dict | None) for key in _TEXT)
    timed = isinstance(item.get("start"), int | float) and isinstance(item.get("end"), int | float)
    return said and (timed or any(isinstance(item.get(key), str | dict) for key in _SPEAKER))


def _message(item: Mapping[str, object]) -> Message:
    within = item.get("message")
    if isinstance(within, dict) and not any(isinstance(item.get(key), str) for key in ("text", "content")):
        item = {**item, **within}
    text = next((said for key in _TEXT if (said := _said(item.get(key)))), "")
    if isinstance(photo := item.get("blip_caption"), str) and photo:
        text = f"{text} (photo: {photo})"
    speaker = next((who for key in ("user_profile", *_SPEAKER) if (who := _who(item.get(key)))), "")
    start, end = item.get("start"), item.get("end")
    if isinstance(start, int | float) and isinstance(end, int | float) and 0 <= start <= end < 1e7:
        return Message(speaker, text, clock(start), start, end)
    return Message(speaker, text, next((when for key in _TIME if (when := _when(item.get(key)))), ""))


def _said(content: object) -> str:
    """The text of a message: a string, or the texts of its parts; halves of surrogate pairs are replaced."""
    if isinstance(content, str):
        return _sound(content).strip()
    if isinstance(content, dict):
        return _said(content.get("parts") or content.get("text")) if len(content) < 100 else ""
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)]
    between = "" if any(isinstance(part, str) for part in content) else "\n\n"
    return _sound(between.join(part for part in parts if isinstance(part, str))).strip()


def _sound(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _who(speaker: object) -> str:
    if isinstance(speaker, dict):
        keys = ("display_name", "real_name", "name", "username", "role")
        return next((_who(said) for key in keys if isinstance(said := speaker.get(key), str) and said.strip()), "")
    name = " ".join(_sound(speaker).split()) if isinstance(speaker, str) else ""
    return _ROLES.get(name, name) if len(name) <= 200 else ""


def _when(time: object) -> str:
    if isinstance(time, bool):
        return ""
    if isinstance(time, str):
        words = " ".join(_sound(time).split())
        if re.fullmatch(r"\d{9,13}(?:\.\d+)?", words):
            return moment(float(words))
        iso = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)", words)
        return f"{iso[1]} {iso[2]}" if iso else (words if len(words) <= 40 else "")
    if isinstance(time, int | float):
        return moment(time) or (clock(time) if 0 <= time < 1e6 else "")
    return ""


def _branch(tree: Mapping[str, object], current: object) -> Iterator[Message]:
    """The messages that are shown last in ChatGPT's tree: from the current one up to the root, in order."""
    nodes = {key: node for key, node in tree.items() if isinstance(node, dict)}
    at = current if isinstance(current, str) and current in nodes else next(reversed(nodes), None)
    path: list[Mapping[str, object]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        path.append(nodes[at])
        at = nodes[at].get("parent")
    for node in reversed(path):
        message = node.get("message")
        if isinstance(message, dict) and message.get("weight") != 0 and (read := _message(message)).text:
            yield read


def _sessions(value: Mapping[str, object], title: str) -> list[Conversation]:
    """LoCoMo's sessions, in the order of their numbers, each with its date."""
    numbers = sorted(int(found[1]) for key in value if (found := _SESSION.fullmatch(key)))
    parts = []
    for number in numbers:
        items = value.get(f"session_{number}")
        day = _when(value.get(f"session_{number}_date_time"))
        messages = _messages(items) if isinstance(items, list) else ()
        if messages:
            dated = tuple(Message(one.speaker, one.text, one.time or day) for one in messages)
            parts.append(Conversation(dated, f"Session {number}" + (f", {day}" if day else ""), "Session"))
    return [Conversation((), title, inner=tuple(parts))] if parts else []
