"""As much of a memory as a budget allows, for the next turn of a conversation: gists, and the newest pages in full.

The newest pages get half of the budget. If the gists are too long for the rest, the oldest are cut to their first
words, and if that is not enough, left out. Both happen in steps, so that most of the text stays the same as it grows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from readagent.core.fitting import largest
from readagent.core.memory import GistMemory
from readagent.core.tags import escape_tags
from readagent.core.words import lead

Size = Callable[[str], int]
_CUT = 12  # words kept of a gist that is cut
_STEP = 4  # pages whose gists are cut, or left out, at a time


def context(memory: GistMemory, budget: int, size: Size) -> str:
    """Return the memory in the order of its pages, each under its tag. Its ``size`` is at most the budget."""
    first, newest = _newest(memory, budget, size)
    steps = range(0, first + _STEP, _STEP)

    def shown(cut: int, dropped: int) -> str:
        gists = (_gist(memory, number, number < cut) for number in range(dropped, first))
        return "\n\n".join(filter(None, chain(gists, [newest])))

    whole = largest(len(steps), lambda count: size(shown(steps[-count], 0)) <= budget)
    if whole:
        return shown(steps[-whole], 0)
    kept = largest(len(steps), lambda count: size(shown(first, min(first, steps[-count]))) <= budget)
    return shown(first, steps[-kept]) if kept else newest


def _gist(memory: GistMemory, number: int, cut: bool) -> str:
    gist = memory.gists[number]
    text = f"{lead(gist.text, _CUT).rstrip('. ')} …" if cut and gist.words > _CUT else gist.text
    return f"<Page {number}>\n{escape_tags(text)}"


def _newest(memory: GistMemory, budget: int, size: Size) -> tuple[int, str]:
    """Return the number of the first page that is shown in full, and the text of these pages.

    The last page is shown at least from some point on.
    """
    last = len(memory.pages) - 1
    room = budget if last <= 0 else budget // 2
    first, text = last + 1, ""
    while first > 0:
        page = f"<Page {first - 1}>\n{escape_tags(memory.page_text(first - 1).strip())}"
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
    return f"<Page {memory.pages[-1].number}>\n… {escape_tags(memory.document.text[start:].strip())}"
