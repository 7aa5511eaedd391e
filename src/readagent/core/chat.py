"""The turns of a conversation: who said what, where it is in the text, and the messages of chat servers for them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from readagent.core.document import Document
from readagent.core.escaping import short_repr
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.patterns import lazy_pattern
from readagent.core.trace import Trace
from readagent.core.words import Paragraph, count_words, lead
from readagent.errors import UsageError

_OPENING = 60  # words of a page that take the place of its gist
INDENT = "  "  # before every line of a turn but its first, so that none of them looks like another turn
_NAME = 80  # characters of a speaker's name
_NAMED = lazy_pattern(rf"([^\n:]{{1,{_NAME}}}): ")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn of a conversation: its number, counted from 1, who said it, what was said, and where it is in the text."""

    number: int
    speaker: str
    text: str
    start: int
    end: int

    __repr__ = short_repr


def said(speaker: str, text: str, number: int) -> Document:
    """Return a turn as a document: "Speaker: text", its further lines indented, with the paragraphs of the text.

    The first of them has a place, "turn 3", which shows where a turn begins. Without a speaker, every line is indented.
    """
    first, *rest = without_blank_ends(text).splitlines(keepends=True) or [""]
    if not first:
        raise UsageError("a turn must have some text")
    name = " ".join(speaker.replace(":", " ").split())[:_NAME].strip()
    lines = [
        f"{name}: {first}" if name else INDENT + first,
        *(line if _is_blank(line) else INDENT + line for line in rest),
    ]
    paragraphs, at, before = list[Paragraph](), 0, ""
    for line in lines:
        if not before or (_is_blank(before) and not _is_blank(line)):
            place = "" if paragraphs else _place(number)
            paragraphs.append(Paragraph(len(paragraphs), at, at, place=place))
        at, before = at + len(line), line
        paragraphs[-1] = replace(paragraphs[-1], end=at)
    whole = "".join(lines)
    return Document(whole, tuple(replace(one, lines=_has_rows(whole[one.start : one.end])) for one in paragraphs))


def without_blank_ends(text: str) -> str:
    """Return the text without blank lines before it and white space after it."""
    return "".join(dropwhile(_is_blank, text.rstrip().splitlines(keepends=True)))


def _is_blank(line: str) -> bool:
    return not line.strip()


def _has_rows(paragraph: str) -> bool:
    return len(paragraph.strip().splitlines()) > 1


def _place(number: int) -> str:
    return f"turn {number}"


def turns_of(document: Document) -> list[Spoken]:
    """Return the turns of a conversation in order.

    Turns that an older version added have no place; they are recognised by the name that they begin with.
    """
    paragraphs = document.paragraphs
    unmarked = next((index for index, one in enumerate(paragraphs) if one.place), len(paragraphs))
    starts = [
        one.start
        for index, one in enumerate(paragraphs)
        if index == 0 or one.place or (index < unmarked and _NAMED.match(document.text, one.start))
    ]
    spans = zip(starts, [*starts, len(document.text)][1:], strict=True)
    return [_turn(document.text, number, start, end) for number, (start, end) in enumerate(spans, start=1)]


def _turn(text: str, number: int, start: int, end: int) -> Spoken:
    whole = text[start:end].rstrip()
    named = None if whole.startswith(INDENT) else _NAMED.match(whole)
    speaker, said = (named[1], whole[named.end() :]) if named else ("", whole.removeprefix(INDENT))
    first, *rest = said.splitlines(keepends=True) or [""]
    if all(_is_blank(line) or line.startswith(INDENT) for line in rest):  # older versions did not indent them
        rest = [line if _is_blank(line) else line.removeprefix(INDENT) for line in rest]
    return Spoken(number, speaker, first + "".join(rest), start, end)


def touched_pages(memory: GistMemory, turn: Spoken) -> list[int]:
    """Return the numbers of the pages that have a part of a turn."""
    return [page.number for page in memory.pages if page.start < turn.end and turn.start < page.end]


def without_turn(memory: GistMemory, turn: Spoken) -> GistMemory:
    """Return the memory of the conversation as if a turn had not been said.

    The pages that it was on get their opening sentences as gist, or, if the page is its own gist, what is left of it.
    """
    size = turn.end - turn.start

    def moved(offset: int) -> int:
        return offset if offset <= turn.start else max(turn.start, offset - size)

    old = memory.document
    text = old.text[: turn.start] + old.text[turn.end :]
    left = [one for one in old.paragraphs if not turn.start <= one.start < turn.end]
    shifted = (replace(one, index=index, start=moved(one.start), end=moved(one.end)) for index, one in enumerate(left))
    document = _numbered(replace(old, text=text, paragraphs=tuple(shifted)))
    touched = set(touched_pages(memory, turn))
    pages, gists = list[Page](), list[Gist]()
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        start, end = pages[-1].end if pages else 0, moved(page.end)
        body = text[start:end]
        if not body.strip():
            pages[-1:] = [replace(one, end=end) for one in pages[-1:]]
            continue
        if page.number in touched:
            own = body.strip()
            gist = Gist(own, count_words(own), "verbatim") if gist.origin == "verbatim" else _opening(own)
        pages.append(Page(len(pages), start, end, count_words(body) if page.number in touched else page.words))
        gists.append(gist)
    return replace(memory, document=document, pages=tuple(pages), gists=tuple(gists), trace=Trace(keep_text=False))


def _opening(text: str) -> Gist:
    opening = lead(text, _OPENING)
    return Gist(opening, count_words(opening), "lead")


def _numbered(document: Document) -> Document:
    """Return the document with the numbers of its turns in their places."""
    places = {turn.start: _place(turn.number) for turn in turns_of(document)}
    paragraphs = (replace(one, place=places.get(one.start, "")) for one in document.paragraphs)
    return replace(document, paragraphs=tuple(paragraphs))


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
