"""The turns of a conversation: who said what, where it is in the text, and the memory without one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.brief import short_repr
from readagent.core.document import Document, Paragraph
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.patterns import lazy_pattern
from readagent.core.trace import Trace
from readagent.core.words import count_words, lead
from readagent.errors import UsageError

_OPENING = 60  # words of a page that take the place of its gist
_BLANKS = lazy_pattern(r"\n[ \t]*\n\s*")
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
    """Return a turn as a document: "Speaker: text", with the paragraphs of the text.

    The first of them has a place, "turn 3", which shows where a turn begins.
    """
    pieces = [piece.strip() for piece in _BLANKS.split(text.strip())]
    if not any(pieces):
        raise UsageError("a turn must have some text")
    name = " ".join(speaker.replace(":", " ").split())[:_NAME]
    if name:
        pieces[0] = f"{name}: {pieces[0]}"
    paragraphs, at = [], 0
    for index, piece in enumerate(pieces):
        end = at + len(piece) + (2 if index + 1 < len(pieces) else 0)
        paragraphs.append(Paragraph(index, at, end, place="" if index else _place(number), lines="\n" in piece))
        at = end
    return Document("\n\n".join(pieces), tuple(paragraphs))


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
    whole = text[start:end].strip()
    named = _NAMED.match(whole)
    speaker, said = (named[1], whole[named.end() :]) if named else ("", whole)
    return Spoken(number, speaker, said, start, end)


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
