"""Outline: the chapters of a text, or the parts that its memory suggests, each with what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from readagent.core.document import heading_text, shortened
from readagent.core.escaping import escape_tags
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.entries import Entry, divide, entries_of, for_each, prompt, reply_words, shown
from readagent.core.overviews.ground import ground
from readagent.core.overviews.points import Point, Section
from readagent.core.overviews.write import condense
from readagent.core.rows import Rows
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.words import lead, sentences

_Part = tuple[str, list[Point], tuple[int, ...]]  # its title, what is said of it, and its pages
_CHAPTER, _PART = ("number", "what is in it"), ("title", "what is in it")
_CHAPTERS = 150  # chapters of a level, above which those one level up are taken, if there are several
_WORDS = 45  # of the reply, for each chapter
_TITLE = 70  # characters
_OWN = 1000  # characters of a chapter that its beginning is taken from


async def outline(memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point]) -> list[Section]:
    """Return the sections of these pages in order: chapters if there are any, parts otherwise."""
    chapters = _chapters(memory, numbers)
    if len(chapters) > 1:
        sections = await _described(chapters, memory, session)
    else:
        sections = await _parts(memory, session, numbers)
    grounded = await ground([point for one in sections for point in one.points], memory, session)
    rest, found = iter(grounded), []
    for section in sections:
        points = [next(rest) for _ in section.points]
        dropped += [one for one in points if one.state == "unsupported"]
        found.append(replace(section, points=tuple(one for one in points if one.state != "unsupported")))
    return found


def _chapters(memory: GistMemory, numbers: Sequence[int]) -> list[Section]:
    """Return the chapters that the headings of the text tell, of the finest level that gives a readable outline."""
    document = memory.document
    headings = [one for one in document.paragraphs if one.heading]
    levels = sorted({one.heading for one in headings})
    first, last = memory.pages[numbers[0]].start, memory.pages[numbers[-1]].end
    best: list[Section] = []
    for level in levels:
        chosen = [one for one in headings if one.heading <= level and first <= one.start < last]
        if len(chosen) > _CHAPTERS and len(best) > 1:
            break
        ends = [*(one.start for one in chosen[1:]), last]
        best = [
            Section(
                shortened(heading_text(document, one), _TITLE),
                memory.page_at(one.start), max(memory.page_at(one.start), memory.page_at(max(one.start, end - 1))),
                level=levels.index(one.heading) + 1, start=one.start, end=end,
            )
            for one, end in zip(chosen, ends, strict=True)
        ]  # fmt: skip
    return best


async def _described(chapters: Sequence[Section], memory: GistMemory, session: Session) -> list[Section]:
    """Return chapters with what is in them; as many at a time as fit one prompt and its reply."""
    most = max(1, reply_words(session.window) // _WORDS)
    groups: list[list[Section]] = []
    for chapter in chapters:
        group = [*(groups[-1] if groups else []), chapter]
        if groups and len(group) <= most and session.window.fits(_chapters_prompt(group, _pages(group, memory))):
            groups[-1] = group
        else:
            groups.append([chapter])
    found = await for_each(groups, lambda group: _describe(group, memory, session), session, "describing chapters")
    return [section for some in found for section in some]


def _pages(group: Sequence[Section], memory: GistMemory) -> list[Entry]:
    return entries_of(memory, {page for one in group for page in range(one.first, one.last + 1)})


def _chapters_prompt(group: Sequence[Section], entries: Sequence[Entry]) -> str:
    chapters = (f"{at}: {escape_tags(one.title)} (pages {one.first} to {one.last})" for at, one in enumerate(group, 1))
    notes = any(len(entry.pages) > 1 for entry in entries)
    return prompt("outline", memory=shown(entries), notes=notes, chapters="\n".join(chapters), form=Rows(_CHAPTER, ()))


async def _describe(group: Sequence[Section], memory: GistMemory, session: Session) -> list[Section]:
    entries = await condense(
        _pages(group, memory), session, lambda some: session.window.fits(_chapters_prompt(group, some))
    )
    allowed = {page for one in group for page in range(one.first, one.last + 1)}

    form = Rows(_CHAPTER, tuple(sorted(allowed)))

    def judge(reply: Reply) -> tuple[dict[int, list[Point]], str]:
        found: dict[int, list[Point]] = {}
        for row in form.parse(reply.text, cut=reply.finish == "length").rows:
            number = row.cells[0].strip(" .")
            if number.isdecimal() and 1 <= int(number) <= len(group):
                found.setdefault(int(number) - 1, []).extend(_points(row.cells[1], row.pages))
        return found, useless(reply) or ("" if found else "it has no line in this form")

    spans = tuple(f"{one.start}-{one.end}" for one in group)
    material = Material(memory=memory, opened=tuple(sorted(allowed)), kind="outline", words=_WORDS, statements=spans)
    ask = Ask("write", _chapters_prompt(group, entries), material=material, form=form)
    found, problem = await session.judged(ask, judge, _wanted(form))
    if problem:
        pages = range(group[0].first, group[-1].last + 1)
        session.fell_back(Fallback.on(pages, "outline", problem, "the beginning of each chapter's gist"))
    return [replace(one, points=tuple(found.get(at) or [_lead_of(one, memory)])) for at, one in enumerate(group)]


def _points(text: str, pages: tuple[int, ...]) -> list[Point]:
    return [Point(one, pages) for one in sentences(text) or [text] if any(map(str.isalnum, one))]


def _wanted(form: Rows) -> str:
    return f"Reply with lines in this form alone:\n{form.shown()}"


def _lead_of(chapter: Section, memory: GistMemory) -> Point:
    """Return the beginning of a chapter: of its first page's gist, or of its own text if it begins within a page."""
    if chapter.start is None or chapter.start <= memory.pages[chapter.first].start + 1:
        return _lead(memory, chapter.first)
    heading = memory.document.paragraph_at(chapter.start)
    own = memory.document.text[chapter.start if heading is None else heading.end : chapter.end]
    return (
        Point(lead(" ".join(own[:_OWN].split()), 30), (chapter.first,)) if own.strip() else _lead(memory, chapter.first)
    )


def _lead(memory: GistMemory, page: int) -> Point:
    return Point(lead(memory.gists[page].text, 30), (page,))


async def _parts(memory: GistMemory, session: Session, numbers: Sequence[int]) -> list[Section]:
    """Return parts as the model divides the text; after two useless replies, parts of equal length."""
    least, most = (1, 2) if len(numbers) < 4 else (3, max(3, min(12, len(numbers) // 2)))

    def filled(entries: Sequence[Entry]) -> str:
        notes = any(len(entry.pages) > 1 for entry in entries)
        return prompt(
            "outline", memory=shown(entries), notes=notes, chapters="", least=least, most=most,
            form=Rows(_PART, ()),
        )  # fmt: skip

    entries = await condense(entries_of(memory, set(numbers)), session, lambda some: session.window.fits(filled(some)))

    form = Rows(_PART, tuple(numbers))

    def judge(reply: Reply) -> tuple[list[Section], str]:
        rows = form.parse(reply.text, cut=reply.finish == "length").rows
        parts = [(row.cells[0], _points(row.cells[1], row.pages), row.pages) for row in rows if row.cells[1]]
        sections = _tiled(parts, numbers)
        return sections, useless(reply) or ("" if sections else "it has no line in this form")

    material = Material(memory=memory, opened=tuple(numbers), kind="outline", words=_WORDS)
    ask = Ask("write", filled(entries), material=material, form=form)
    sections, problem = await session.judged(ask, judge, _wanted(form))
    if problem:
        session.fell_back(Fallback("outline", problem, "parts of equal length", page=numbers[0]))
        equal = divide(memory, numbers, least)
        return [Section(f"Part {at}", part[0], part[-1], (_lead(memory, part[0]),)) for at, part in enumerate(equal, 1)]
    return sections


def _tiled(parts: Sequence[_Part], numbers: Sequence[int]) -> list[Section]:
    """Return parts in order without gaps: each ends where the next begins. Of those that begin together one stays."""
    starts: dict[int, _Part] = {}
    for part in sorted(parts, key=lambda one: one[2][0]):
        starts.setdefault(part[2][0], part)
    if not starts:
        return []
    firsts = [numbers[0], *sorted(starts)[1:]]
    ordered = [starts[first] for first in sorted(starts)]
    ends = [second - 1 for _, second in pairwise(firsts)] + [numbers[-1]]
    return [
        Section(shortened(title or f"Part {at}", _TITLE), first, last, _placed(points, range(first, last + 1)))
        for at, ((title, points, _), first, last) in enumerate(zip(ordered, firsts, ends, strict=True), 1)
    ]


def _placed(points: Sequence[Point], pages: Sequence[int]) -> tuple[Point, ...]:
    """Return the points of a part with those of their pages that are in it, or all of them."""
    return tuple(
        replace(one, pages=tuple(page for page in one.pages if page in pages) or tuple(pages)) for one in points
    )
