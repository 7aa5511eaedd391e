"""Conversations in JSON or JSON lines: meeting records and chat exports. Other JSON is read as plain lines."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.code import document_of
from readagent.loaders.formats import Options
from readagent.loaders.speech.subtitles import Cue, paragraphs
from readagent.loaders.speech.turns import clock, date_time
from readagent.loaders.text.decode import decode

_SPEAKER = (
    "speaker",
    "role",
    "from",
    "sender",
    "sender_name",
    "author",
    "real_name",
    "user_name",
    "username",
    "user",
    "name",
)
_TEXT = ("content", "text", "value", "message", "body", "utterance", "msg", "parts", "transcript")
_TIME = ("timestamp", "time", "date", "datetime", "created_at", "create_time", "sent_at", "ts", "timestamp_ms", "start",
         "start_time")  # fmt: skip
_LISTS = ("meeting_transcripts", "messages", "conversations", "conversation", "chat_messages", "turns", "utterances",
          "dialogue", "dialog", "transcript", "segments", "chats", "data")  # fmt: skip
_TITLE = ("title", "name", "topic", "subject")
_FILES = ("photos", "videos", "audio_files", "files", "gifs", "sticker")  # of Facebook
_ROLES = {"user": "User", "assistant": "Assistant", "system": "System", "human": "Human", "gpt": "GPT", "tool": "Tool",
          "bot": "Bot", "model": "Model", "function": "Function", "ai": "AI", "developer": "Developer"}  # fmt: skip
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)")
_BYTES = re.compile(r"(?<!\\)(?:\\u00[89a-fA-F][0-9a-fA-F])+")  # of UTF-8, each written as a character
_MIN_MESSAGES = 0.8  # share of a list
_TRIED = 20  # items of a list that are examined
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
    """Messages in order."""

    messages: tuple[Message, ...]
    title: str = ""


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
        conversations(item, depth + 1) for item in objects[:_TRIED]
    ):
        return []
    return [one for item in objects for one in conversations(item, depth + 1)]


def _in_object(value: Mapping[str, object], depth: int) -> list[Conversation]:
    title = next((_valid(said) for key in _TITLE if isinstance(said := value.get(key), str)), "")
    if isinstance(tree := value.get("mapping"), dict):
        messages = tuple(_branch(tree, value.get("current_node")))
        return [Conversation(messages, title)] if messages else []
    for key in _LISTS:
        inner = value.get(key)
        messages = _messages(inner) if isinstance(inner, list) else ()
        if messages:
            return [Conversation(messages, title)]
    for key in _LISTS:
        if isinstance(inner := value.get(key), dict | list) and (found := conversations(inner, depth + 1)):
            return found
    return []


def _messages(items: Sequence[object]) -> tuple[Message, ...]:
    """Return the messages in a list if most of its items are messages; those without text are left out."""
    objects = [item for item in items if isinstance(item, dict)]
    if not items or sum(1 for item in objects if _is_message(item)) < _MIN_MESSAGES * len(items):
        return ()
    return in_order(tuple(message for item in objects if (message := message_in(item)).text))


def in_order(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages of a program that exports the newest first, such as Facebook, from the oldest on."""
    times = [message.time for message in messages if _ISO.match(message.time)]
    falling = sum(after < before for before, after in itertools.pairwise(times))
    rising = sum(after > before for before, after in itertools.pairwise(times))
    return messages[::-1] if falling > rising else messages


def _is_message(item: Mapping[str, object]) -> bool:
    """Whether an object has the fields of a message: a speaker or a time, and a text, even an empty one.

    Facebook gives pictures none.
    """
    has_text = "timestamp_ms" in item or any(
        key in item and isinstance(item[key], str | list | dict | None) for key in _TEXT
    )
    timed = isinstance(item.get("start"), int | float) and isinstance(item.get("end"), int | float)
    return has_text and (timed or any(isinstance(item.get(key), str | dict) for key in _SPEAKER))


def message_in(item: Mapping[str, object]) -> Message:
    """Return the message in a JSON object, whatever its fields are called."""
    inner = item.get("message")
    if isinstance(inner, dict) and not any(isinstance(item.get(key), str) for key in ("text", "content")):
        item = {**item, **inner}
    text = next((found for key in _TEXT if (found := _text(item.get(key)))), "")
    if "timestamp_ms" in item:
        text = " ".join(filter(None, [text, *(one for one in _shared(item) if one not in text)]))
    speaker = next((found for key in ("user_profile", *_SPEAKER) if (found := speaker_in(item.get(key)))), "")
    start, end = item.get("start"), item.get("end")
    if isinstance(start, int | float) and isinstance(end, int | float) and 0 <= start <= end < 1e7:
        return Message(speaker, text, clock(start), start, end)
    return Message(speaker, text, next((found for key in _TIME if (found := _time(item.get(key)))), ""))


def _shared(item: Mapping[str, object]) -> Iterator[str]:
    """Yield what is shared in a message of Facebook: a text and its address, and the names of files."""
    if isinstance(share := item.get("share"), dict):
        yield from (_text(share.get(key)) for key in ("share_text", "link"))
    for files in map(item.get, _FILES):
        for one in files if isinstance(files, list) else [files]:
            if isinstance(one, dict) and (uri := _text(one.get("uri"))):
                yield f"(file: {uri.rpartition('/')[2]})"


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


def speaker_in(speaker: object) -> str:
    """Return the name of a speaker, which is a string or an object with one."""
    if isinstance(speaker, dict):
        keys = ("display_name", "real_name", "name", "username", "role")
        return next(
            (speaker_in(said) for key in keys if isinstance(said := speaker.get(key), str) and said.strip()), ""
        )
    name = " ".join(_valid(speaker).split()) if isinstance(speaker, str) else ""
    return _ROLES.get(name, name) if len(name) <= 200 else ""


def _time(time: object) -> str:
    if isinstance(time, bool):
        return ""
    if isinstance(time, str):
        words = " ".join(_valid(time).split())
        if re.fullmatch(r"\d{9,13}(?:\.\d+)?", words):
            return date_time(float(words))
        iso = _ISO.match(words)
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
        if isinstance(message, dict) and message.get("weight") != 0 and (parsed := message_in(message)).text:
            yield parsed


_SAMPLE = 50  # items of a list that are examined
_MAX_INVALID = 0.1  # share of invalid lines in JSON lines
_FENCE = re.compile(r"^```[^\n]*\n.*?(?:^```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_BLANKS = re.compile(r"\n[ \t]*\n\s*")


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a conversation as a document, each message a paragraph with its time; any other JSON as its lines."""
    text, _ = decode(data, name)
    try:
        value = parse_json(text)
    except RecursionError:
        raise LoadError(f"{name} is nested too deeply", hint='read it as plain text: `format="text"`') from None
    found = conversations(value)
    if not found:
        return document_of(text, "JSON")
    return document_with(found)


def document_with(found: Sequence[Conversation]) -> Document:
    """Return conversations as one document; those without messages are left out."""
    found = [one for one in found if one.messages]
    return compose(_blocks(found), title=found[0].title if len(found) == 1 else "")


def looks_like_chat(data: bytes, name: str = "") -> bool:
    """Whether these bytes are JSON, or JSON lines, with a conversation in it."""
    try:
        value = parse_json(decode(data, name)[0])
    except (LoadError, RecursionError):
        return False
    return bool(conversations(value[:_SAMPLE] if isinstance(value, list) else value))


def parse_json(text: str) -> object:
    """Return the value of a JSON text, or the list of values of JSON lines; None if it is neither."""
    if '"sender_name"' in text:
        text = _BYTES.sub(_decoded, text)
    try:
        return json.loads(text)
    except ValueError:
        pass
    found: list[object] = []
    invalid = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except ValueError:
            invalid += 1
            if invalid > 3 + _MAX_INVALID * (len(found) + invalid):
                return None
    return found if found and invalid <= max(1, _MAX_INVALID * len(found)) else None


def _decoded(found: re.Match[str]) -> str:
    """Return what Facebook wrote as the bytes of UTF-8; what is not UTF-8 stays as it is."""
    try:
        return bytes.fromhex(found[0].replace("\\u00", "")).decode()
    except ValueError:
        return found[0]


def _blocks(found: Sequence[Conversation]) -> Iterator[Block]:
    """Yield the blocks, with a heading for each of several conversations; recordings are joined like subtitles."""
    for number, one in enumerate(found, start=1):
        if len(found) > 1:
            yield Block(one.title or f"Conversation {number}", heading=1)
        if all(message.end >= 0 for message in one.messages):
            yield from paragraphs(
                Cue(message.start, message.end, (message.text,), message.speaker) for message in one.messages
            )
        else:
            for message in one.messages:
                yield from _message_blocks(message)


def _message_blocks(message: Message) -> Iterator[Block]:
    """Yield a message as "Speaker: text", followed by its further paragraphs."""
    parts = list(_paragraphs(message.text))
    for index, (part, lines) in enumerate(parts):
        named = f"{message.speaker}: {part}" if index == 0 and message.speaker else part
        yield Block(named, place=message.time, lines=lines, speaker=message.speaker)


def _paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the paragraphs of a message, and whether each keeps its lines."""
    start = 0
    text = text.replace("\r\n", "\n")
    for fence in _FENCE.finditer(text) if "```" in text else ():
        yield from _plain_paragraphs(text[start : fence.start()])
        yield fence.group().strip("\n"), True
        start = fence.end()
    yield from _plain_paragraphs(text[start:])


def _plain_paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    for part in _BLANKS.split(text.strip()):
        if part.strip():
            yield part, "\n" in part.strip()
