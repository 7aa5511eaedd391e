"""Conversations in JSON or JSON lines: meeting records and chat exports. Other JSON is read as plain lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.code.parser import document_of
from readagent.loaders.formats import Options
from readagent.loaders.speech.conversations import Conversation, Message, conversations
from readagent.loaders.speech.subtitles import Cue, paragraphs
from readagent.loaders.text.decode import decode

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
    title = found[0].title if len(found) == 1 else ""
    return compose(_blocks(found, level=1), title=title)


def looks_like_chat(data: bytes, name: str = "") -> bool:
    """Whether these bytes are JSON, or JSON lines, with a conversation in it."""
    try:
        value = parse_json(decode(data, name)[0])
    except (LoadError, RecursionError):
        return False
    return bool(conversations(value[:_SAMPLE] if isinstance(value, list) else value))


def parse_json(text: str) -> object:
    """Return the value of a JSON text, or the list of values of JSON lines; None if it is neither."""
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


def _blocks(found: Sequence[Conversation], level: int) -> Iterator[Block]:
    """Yield the blocks, with a heading for each of several conversations; recordings are joined like subtitles."""
    for number, one in enumerate(found, start=1):
        if len(found) > 1:
            yield Block(one.title or f"{one.part} {number}", heading=level)
        yield from _blocks(one.inner, level + (len(found) > 1))
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
        yield Block(named, place=message.time, lines=lines)


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
