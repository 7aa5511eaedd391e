"""Conversations kept as JSON or as JSON lines: records of meetings, exports of chats. Other JSON is read as text."""

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

_ENOUGH = 50  # items of a list that show what it is
_BROKEN = 0.1  # of the lines of JSON that may be broken
_FENCE = re.compile(r"^```[^\n]*\n.*?(?:^```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_BLANKS = re.compile(r"\n[ \t]*\n\s*")


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a conversation, each message a paragraph with its time; of any other JSON, its lines."""
    text, _ = decode(data, name)
    try:
        value = values(text)
    except RecursionError:
        raise LoadError(f"{name} is nested too deeply to be read", hint="read it as text, with format text") from None
    found = conversations(value)
    if not found:
        return document_of(text, "JSON")
    title = found[0].title if len(found) == 1 else ""
    return compose(_blocks(found, level=1), title=title)


def looks_like_chat(data: bytes, name: str = "") -> bool:
    """Whether these bytes are JSON, or lines of it, that holds a conversation."""
    try:
        value = values(decode(data, name)[0])
    except (LoadError, RecursionError):
        return False
    return bool(conversations(value[:_ENOUGH] if isinstance(value, list) else value))


def values(text: str) -> object:
    """The value in a text of JSON, or the list of those on its lines; None where it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    found: list[object] = []
    broken = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except ValueError:
            broken += 1
            if broken > 3 + _BROKEN * (len(found) + broken):
                return None
    return found if found and broken <= max(1, _BROKEN * len(found)) else None


def _blocks(found: Sequence[Conversation], level: int) -> Iterator[Block]:
    """Each conversation under a heading where there are several; what was recorded is joined as subtitles are."""
    for number, one in enumerate(found, start=1):
        if len(found) > 1:
            yield Block(one.title or f"{one.part} {number}", heading=level)
        yield from _blocks(one.inner, level + (len(found) > 1))
        if all(message.end >= 0 for message in one.messages):
            yield from paragraphs(Cue(said.start, said.end, (said.text,), said.speaker) for said in one.messages)
        else:
            for message in one.messages:
                yield from _said(message)


def _said(message: Message) -> Iterator[Block]:
    """A message as "Speaker: text", and its further paragraphs; what is made of lines keeps them."""
    pieces = list(_pieces(message.text))
    for index, (piece, lines) in enumerate(pieces):
        named = f"{message.speaker}: {piece}" if index == 0 and message.speaker else piece
        yield Block(named, place=message.time, lines=lines)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The paragraphs of a message, and whether each is made of lines."""
    start = 0
    text = text.replace("\r\n", "\n")
    for fence in _FENCE.finditer(text) if "```" in text else ():
        yield from _plain_pieces(text[start : fence.start()])
        yield fence.group().strip("\n"), True
        start = fence.end()
    yield from _plain_pieces(text[start:])


def _plain_pieces(text: str) -> Iterator[tuple[str, bool]]:
    for piece in _BLANKS.split(text.strip()):
        if piece.strip():
            yield piece, "\n" in piece.strip()
