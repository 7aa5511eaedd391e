"""As much of a memory as a budget allows, for the next turn of a conversation: gists, and the newest pages in full.

The newest pages get half of the budget, or a third if passages are wanted; these get a third too, under their pages. If
the gists are too long for the rest, the oldest are cut to their first words, and if that is not enough, left out. Both
happen in steps, so that most of the text stays the same as it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from readagent.core.chat import INDENT
from readagent.core.escaping import escape_tags
from readagent.core.memory import GistMemory
from readagent.core.window import largest
from readagent.core.words import lead

Size = Callable[[str], int]
Span = tuple[int, int]
_CUT = 12  # words kept of a gist that is cut
_STEP = 4  # pages whose gists are cut, or left out, at a time


def context(memory: GistMemory, budget: int, size: Size, wanted: Sequence[Span] = ()) -> str:
    """Return the memory in the order of its pages, each under its tag. Its ``size`` is at most the budget.

    ``wanted`` are passages of the text that are shown as they are, the most important first, as many as fit.
    """
    first, newest = _newest(memory, budget // (3 if wanted else 2), budget, size)
    passages = _passages(memory, first, newest, wanted, budget // 3, size)
    steps = range(0, first + _STEP, _STEP)

    def shown(cut: int, dropped: int) -> str:
        pages = (
            _page(memory, number, number < cut, number < dropped, passages.get(number, "")) for number in range(first)
        )
        begun = f"<Page {first}>\n{passages[first]}" if first in passages else ""
        return "\n\n".join(filter(None, (*pages, begun, newest)))

    whole = largest(len(steps), lambda count: size(shown(steps[-count], 0)) <= budget)
    if whole:
        return shown(steps[-whole], 0)
    kept = largest(len(steps), lambda count: size(shown(first, min(first, steps[-count]))) <= budget)
    return shown(first, steps[-kept]) if kept else newest


def _page(memory: GistMemory, number: int, cut: bool, dropped: bool, passages: str) -> str:
    """Return the gist of a page, cut or dropped, and the passages that are shown of it; "" if there is nothing."""
    gist = memory.gists[number]
    if gist.origin == "verbatim":
        gist = replace(gist, text=_shown(memory.page_text(number)))
    text = f"{lead(gist.text, _CUT).rstrip('. ')} …" if cut and gist.words > _CUT else gist.text
    shown = "\n\n".join(filter(None, ("" if dropped else escape_tags(text), passages)))
    return f"<Page {number}>\n{shown}" if shown else ""


def _passages(
    memory: GistMemory, first: int, newest: str, wanted: Sequence[Span], room: int, size: Size
) -> Mapping[int, str]:
    """Return the wanted passages that fit, by the page that they begin on, as far as the newest text has them not.

    The newest text is all of the pages from the ``first`` one on, or the end of the last page.
    """
    cut = newest.startswith(f"<Page {first}>\n… ")
    end = memory.pages[first].end if cut else memory.pages[first].start if first < len(memory.pages) else 0
    wanted = [span for span in wanted if escape_tags(memory.document.text[slice(*span)].strip()) not in newest]
    chosen: set[Span] = set()
    for span in wanted:
        if span[0] < end and size(_quoted(memory, chosen | {span})) <= room:
            chosen.add(span)
    numbers = {span: memory.page_at(span[0]) for span in chosen}
    return {
        number: _quoted(memory, {span for span in chosen if numbers[span] == number}) for number in numbers.values()
    }


def _quoted(memory: GistMemory, spans: set[Span]) -> str:
    """Return passages of the text in order."""
    texts = (memory.document.text[start:end].strip() for start, end in sorted(spans))
    return "\n\n".join(f"… {escape_tags(text)}" for text in texts)


def _newest(memory: GistMemory, share: int, budget: int, size: Size) -> tuple[int, str]:
    """Return the number of the first page that is shown in full, and the text of these pages.

    They have at most their ``share`` of the budget. The last page is shown at least from some point on.
    """
    last = len(memory.pages) - 1
    room = budget if last <= 0 else share
    first, text = last + 1, ""
    while first > 0:
        page = f"<Page {first - 1}>\n{escape_tags(_shown(memory.page_text(first - 1)))}"
        more = f"{page}\n\n{text}" if text else page
        if size(more) > room:
            break
        first, text = first - 1, more
    if last >= 0 and first > last:
        return last, _end_of(memory, room, size)
    return first, text


def _end_of(memory: GistMemory, room: int, size: Size) -> str:
    """Return the end of the last page that fits: from a paragraph or a word on; "" if nothing fits."""
    page, document = memory.pages[-1], memory.document
    starts = [one.start for one in document.paragraphs if page.start < one.start < page.end]
    kept = largest(len(starts), lambda count: size(_from(memory, starts[-count])) <= room)
    if kept:
        return _from(memory, starts[-kept])
    begin = starts[-1] if starts else page.start
    offsets = range(begin, len(document.text))
    kept = largest(len(offsets), lambda count: size(_from(memory, offsets[-count])) <= room)
    if not kept:
        return ""
    space = document.text.find(" ", offsets[-kept]) + 1
    return _from(memory, space or offsets[-kept])


def _from(memory: GistMemory, start: int) -> str:
    """Return the end of the last page. If that begins inside a turn, it is indented on a line of its own."""
    text, document = _shown(memory.document.text[start:]), memory.document
    paragraph = document.paragraph_at(start)
    inside = any(one.place for one in document.paragraphs) and not (
        paragraph is not None and paragraph.start == start and paragraph.place
    )
    gap = f"\n{INDENT}" if inside else ""
    return f"<Page {memory.pages[-1].number}>\n… {gap}{escape_tags(text.strip() if inside else text)}"


def _shown(text: str) -> str:
    """Return a part of the text without blank lines around it; its first line stays indented."""
    return text.strip("\r\n").rstrip()
