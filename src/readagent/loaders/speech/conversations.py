"""Find conversations in JSON values, in the formats of meeting records and chat exports.

Supported: lists of messages (role or speaker, content or text, a time), objects that contain such lists, ChatGPT's tree
of messages, LoCoMo's numbered sessions, and lists of any of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readagent.loaders.speech.timestamps import clock, date_time

_SPEAKER = ("speaker", "role", "from", "sender", "author", "real_name", "user_name", "username", "user", "name")
_TEXT = ("content", "text", "value", "message", "body", "utterance", "msg", "parts", "transcript")
_TIME = ("timestamp", "time", "date", "datetime", "created_at", "create_time", "sent_at", "ts", "start", "start_time")
_LISTS = ("meeting_transcripts", "messages", "conversations", "conversation", "chat_messages", "turns", "utterances",
          "dialogue", "dialog", "transcript", "segments", "chats", "data")  # fmt: skip
_TITLE = ("title", "name", "topic", "subject")
_ROLES = {"user": "User", "assistant": "Assistant", "system": "System", "human": "Human", "gpt": "GPT", "tool": "Tool",
          "bot": "Bot", "model": "Model", "function": "Function", "ai": "AI", "developer": "Developer"}  # fmt: skip
_SESSION = re.compile(r"session_(\d+)")
_MIN_MESSAGES = 0.8  # share of a list
_SAMPLE = 20  # items of a list that are examined
_MAX_DEPTH = 4  # of nested objects


@dataclass(frozen=True, slots=True)
class Message:
    """What someone said, and when; messages of a recording have a start and an end in seconds."""

    speaker: str
    text: str
    time: str = ""
    start: float = -1.0
    end: float = -1.0


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order; ``part`` is a label such as Meeting, Conversation or Session."""

    messages: tuple[Message, ...]
    title: str = ""
    part: str = "Conversation"
    inner: tuple[Conversation, ...] = ()


def conversations(value: object, depth: int = 0) -> list[Conversation]:
    """Return the conversations in a JSON value."""
    if depth > _MAX_DEPTH:
        return []
    if isinstance(value, list):
        messages = _messages(value)
        return [Conversation(messages)] if messages else _in_list(value, depth)
    return _in_object(value, depth) if isinstance(value, dict) else []


def _in_list(value: Sequence[object], depth: int) -> list[Conversation]:
    """Return the conversations in the items of a list; one of the first items must contain one."""
    objects = [item for item in value if isinstance(item, dict)]
    if len(objects) < _MIN_MESSAGES * len(value) or not any(
        conversations(item, depth + 1) for item in objects[:_SAMPLE]
    ):
        return []
    return [one for item in objects for one in conversations(item, depth + 1)]


def _in_object(value: Mapping[str, object], depth: int) -> list[Conversation]:
    title = next((_valid(said) for key in _TITLE if isinstance(said := value.get(key), str)), "")
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
    """Return the messages in a list if most of its items are messages; those without text are left out."""
    objects = [item for item in items if isinstance(item, dict)]
    if not items or sum(1 for item in objects if _is_message(item)) < _MIN_MESSAGES * len(items):
        return ()
    return tuple(message for item in objects if (message := _message(item)).text)


def _is_message(item: Mapping[str, object]) -> bool:
    """Whether an object has the fields of a message: a speaker or a time, and a text, even an empty one."""
    has_text = any(key in item and isinstance(item[key], str | list | dict | None) for key in _TEXT)
    timed = isinstance(item.get("start"), int | float) and isinstance(item.get("end"), int | float)
    return has_text and (timed or any(isinstance(item.get(key), str | dict) for key in _SPEAKER))


def _message(item: Mapping[str, object]) -> Message:
    inner = item.get("message")
    if isinstance(inner, dict) and not any(isinstance(item.get(key), str) for key in ("text", "content")):
        item = {**item, **inner}
    text = next((found for key in _TEXT if (found := _text(item.get(key)))), "")
    if isinstance(photo := item.get("blip_caption"), str) and photo:
        text = f"{text} (photo: {photo})"
    speaker = next((found for key in ("user_profile", *_SPEAKER) if (found := _speaker(item.get(key)))), "")
    start, end = item.get("start"), item.get("end")
    if isinstance(start, int | float) and isinstance(end, int | float) and 0 <= start <= end < 1e7:
        return Message(speaker, text, clock(start), start, end)
    return Message(speaker, text, next((found for key in _TIME if (found := _time(item.get(key)))), ""))


def _text(content: object) -> str:
    """Return the text of a message: a string, or the texts of its parts, without lone surrogates."""
    if isinstance(content, str):
        return _valid(content).strip()
    if isinstance(content, dict):
        return _text(content.get("parts") or content.get("text")) if len(content) < 100 else ""
    if not isinstance(content, list):
        return ""
    parts = [part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)]
    separator = "" if any(isinstance(part, str) for part in content) else "\n\n"
    return _valid(separator.join(part for part in parts if isinstance(part, str))).strip()


def _valid(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _speaker(speaker: object) -> str:
    if isinstance(speaker, dict):
        keys = ("display_name", "real_name", "name", "username", "role")
        return next((_speaker(said) for key in keys if isinstance(said := speaker.get(key), str) and said.strip()), "")
    name = " ".join(_valid(speaker).split()) if isinstance(speaker, str) else ""
    return _ROLES.get(name, name) if len(name) <= 200 else ""


def _time(time: object) -> str:
    if isinstance(time, bool):
        return ""
    if isinstance(time, str):
        words = " ".join(_valid(time).split())
        if re.fullmatch(r"\d{9,13}(?:\.\d+)?", words):
            return date_time(float(words))
        iso = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)", words)
        return f"{iso[1]} {iso[2]}" if iso else (words if len(words) <= 40 else "")
    if isinstance(time, int | float):
        return date_time(time) or (clock(time) if 0 <= time < 1e6 else "")
    return ""


def _branch(tree: Mapping[str, object], current: object) -> Iterator[Message]:
    """Yield the messages of the current branch of ChatGPT's tree, from the root to the current one."""
    nodes = {key: node for key, node in tree.items() if isinstance(node, dict)}
    key = current if isinstance(current, str) and current in nodes else next(reversed(nodes), None)
    path: list[Mapping[str, object]] = []
    seen: set[str] = set()
    while isinstance(key, str) and key in nodes and key not in seen:
        seen.add(key)
        path.append(nodes[key])
        key = nodes[key].get("parent")
    for node in reversed(path):
        message = node.get("message")
        if isinstance(message, dict) and message.get("weight") != 0 and (parsed := _message(message)).text:
            yield parsed


def _sessions(value: Mapping[str, object], title: str) -> list[Conversation]:
    """Return LoCoMo's sessions in the order of their numbers, each with its date."""
    numbers = sorted(int(found[1]) for key in value if (found := _SESSION.fullmatch(key)))
    parts = []
    for number in numbers:
        items = value.get(f"session_{number}")
        day = _time(value.get(f"session_{number}_date_time"))
        messages = _messages(items) if isinstance(items, list) else ()
        if messages:
            dated = tuple(Message(one.speaker, one.text, one.time or day) for one in messages)
            parts.append(Conversation(dated, f"Session {number}" + (f", {day}" if day else ""), "Session"))
    return [Conversation((), title, inner=tuple(parts))] if parts else []
