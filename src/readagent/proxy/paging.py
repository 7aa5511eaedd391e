"""Put texts away in pages: long texts of a message, and whole messages that are no longer recent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from readagent.core.chat import INDENT, spoken_in
from readagent.core.window import parts
from readagent.core.words import paragraph_starts, sentence_ends
from readagent.proxy.chat import INSTRUCTIONS, TOOL_RESULTS, Count, Message, is_picture, role_of

_BLANK = 40  # characters; more white space than this before a text is no part of its first paragraph
_REACH = 8  # characters for each token; more are not needed to find the start and the end of a text


def pages_of(text: str, limit: int, count: Count) -> list[str]:
    """Return the text in pieces of at most ``limit`` tokens that end with a paragraph, or else with a sentence.

    A longer text that begins in the same way has the same first pages.
    """
    pages, size, kept = list[str](), 0, list[str]()
    for piece in _pieces(text, limit, count):
        tokens = count(piece)
        if kept and size + tokens > limit:
            pages.append("".join(kept))
            size, kept = 0, []
        kept.append(piece)
        size += tokens
    pages.append("".join(kept))
    return [page.strip() for page in pages if page.strip()]


def _pieces(text: str, limit: int, count: Count) -> Iterator[str]:
    """Yield the paragraphs of a text, and parts of those that are too long."""
    for start, end in pairwise([*paragraph_starts(text), len(text)]):
        yield from parts(text[start:end], limit, count)


def split_ends(text: str, limit: int, count: Count) -> tuple[str, str, str]:
    """Return the start, the middle and the end of a long text; start and end have at most ``limit`` tokens.

    Both are whole paragraphs, or whole sentences, where one fits: an instruction usually stands there.
    """
    reach = _REACH * limit
    first = _taken(_sentences(text[:reach], limit, count), limit, count)
    rest = text[first:]
    last = _taken(_sentences(rest[-reach:], limit, count)[::-1], limit, count)
    return text[:first].strip(), rest[: len(rest) - last].strip(), rest[len(rest) - last :].strip()


def _sentences(text: str, limit: int, count: Count) -> list[str]:
    """Return the paragraphs of a text, and the sentences of those that are longer than the limit."""
    blank = len(text) - len(text.lstrip())
    found, text = ([text[:blank]], text[blank:]) if blank > _BLANK else ([], text)
    for start, end in pairwise([*paragraph_starts(text), len(text)]):
        paragraph = text[start:end]
        cuts = [] if count(paragraph) <= limit else sentence_ends(paragraph, 0, len(paragraph))
        for begin, stop in pairwise([0, *cuts, len(paragraph)]):
            found += parts(paragraph[begin:stop], limit, count)
    return found


def _taken(pieces: list[str], limit: int, count: Count) -> int:
    """Return how many characters the first pieces have that are at most ``limit`` tokens together; never all pieces."""
    tokens = size = 0
    for piece in pieces[:-1]:
        tokens += count(piece)
        if tokens > limit:
            break
        size += len(piece)
    return size


_ROLES = ("user", "assistant", *TOOL_RESULTS, *INSTRUCTIONS)
IN_THE_RECORD = "[What stood here is in the record, on"  # these pages
_NOTHING = "[Here was nothing but white space.]"
_NOBODY = "Somebody"  # says what has no role
_SAID_ELSEWHERE = ("refusal", "reasoning_content", "reasoning")  # instead of a content


def _between(text: str, first: str, last: str) -> str:
    """Return a text without its first and its last paragraph, where these are no longer than what is kept of it.

    An instruction usually stands there: the pages of a text are the same whatever is asked about it, and whether that
    stands before it or after it.
    """
    text = text.strip()
    starts = [*paragraph_starts(text), len(text)]
    begin = starts[1] if len(starts) > 2 and len(text[: starts[1]].strip()) <= len(first) else 0
    stop = starts[-2] if len(starts) > 2 and len(text[starts[-2] :].strip()) <= len(last) else len(text)
    return text[begin:stop].strip() if begin < stop else ""


@dataclass(frozen=True, slots=True)
class PagedText:
    """A page: its text, and which turns of the conversation it is from."""

    text: str
    label: str


class Record:
    """The pages of a conversation, in the order in which they were put away. They have at most ``limit`` tokens."""

    def __init__(self, limit: int, count: Count) -> None:
        self.pages = list[PagedText]()
        self._limit, self._count = limit, count

    def put(self, text: str, turn: int, end: int) -> str:
        """Put a text away. Return what is shown instead: its start and end, of ``end`` tokens each, and where it is."""
        first, middle, last = split_ends(text, end, self._count)
        middle = _between(text, first, last) or middle
        begin = len(self.pages)
        label = f"turn {turn}" if turn else "the instructions"
        self.pages += (PagedText(page, label) for page in pages_of(middle, self._limit, self._count))
        stop = len(self.pages) - 1
        pages = f"page {begin}" if begin == stop else f"pages {begin} to {stop}"
        where = _NOTHING if stop < begin else f"{IN_THE_RECORD} {pages}.]"
        return "\n\n".join(filter(None, (first, where, last)))

    def file(self, units: Sequence[tuple[Sequence[Message], int]]) -> None:
        """Make pages of messages that belong together, with the turn of each; what is longer than a page is cut."""
        kept, size = list[tuple[str, int]](), 0
        for messages, turn in units:
            text = "\n\n".join(filter(None, map(as_text, messages)))
            tokens = self._count(text)
            if kept and size + tokens > self._limit:
                self.pages.append(_paged(kept))
                kept, size = [], 0
            if tokens > self._limit:
                *whole, text = pages_of(text, self._limit, self._count) or [""]
                self.pages += (PagedText(page, f"turn {turn}") for page in whole)
                tokens = self._count(text)
            if text:
                kept.append((text, turn))
                size += tokens
        if kept:
            self.pages.append(_paged(kept))


def _paged(kept: Sequence[tuple[str, int]]) -> PagedText:
    first, last = kept[0][1], kept[-1][1]
    label = f"turn {first}" if first == last else f"turns {first} to {last}"
    return PagedText("\n\n".join(text for text, _ in kept), label)


def as_text(message: Message) -> str:
    """Return a message as a page has it: "User: …", its further lines indented, so that none looks like another one."""
    spoken = spoken_in(_in_known_form(message))
    if spoken is None:
        return ""
    speaker, text = spoken
    return f"{speaker}: " + text.replace("\n", f"\n{INDENT}")


def _in_known_form(message: Message) -> Message:
    """Return a message whose role, content and calls of tools are of the usual kinds, whatever they were."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [] if content is None else [content]
    said = [_part(part) for part in parts]
    calls = [_call(one) for one in _list(message.get("tool_calls"))]
    if message.get("function_call"):
        calls.append(message["function_call"])
    elsewhere = [message[name] for name in _SAID_ELSEWHERE if message.get(name)]
    if not any(said) and not calls:
        said += (_part(one) for one in elsewhere)
    role, name = role_of(message), message.get("name")
    if role not in _ROLES:
        role, name = "user", name or role.capitalize() or _NOBODY
    return {"role": role, "name": name, "content": said, "tool_calls": calls}


def _part(part: Any) -> Any:
    if isinstance(part, str) or is_picture(part):
        return part
    kinds = ("text", "refusal", "content", "input")
    known = isinstance(part, Mapping) and any(isinstance(part.get(kind), str | list | Mapping) for kind in kinds)
    return part if known else json.dumps(part, ensure_ascii=False)


def _call(call: Any) -> Any:
    custom = call.get("custom") if isinstance(call, Mapping) else None
    return {"name": custom.get("name"), "arguments": custom.get("input")} if isinstance(custom, Mapping) else call


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
