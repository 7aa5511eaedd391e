"""What may be exported for somebody who has not read all of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.asking.position import only_up_to
from readagent.core.memory import Gist, GistMemory
from readagent.core.words import count_words
from readagent.library.rows import KeptAnswer

_NOTE = "[no gist: it may tell what comes later]"
_NO_GIST = Gist(_NOTE, count_words(_NOTE))


def known_up_to(
    memory: GistMemory, answers: Sequence[KeptAnswer], up_to: int
) -> tuple[GistMemory, Sequence[KeptAnswer]]:
    """Return the pages before an offset, and the answers that knew no more of the text.

    A gist that may have been made with text after the offset in view is replaced by a note. The document stays as it
    is, so that what is exported has the same id.
    """
    if up_to >= len(memory.document.text):
        return memory, answers
    known, telling = only_up_to(memory, up_to)
    gists = tuple(
        _NO_GIST if page.number in telling else gist for page, gist in zip(known.pages, known.gists, strict=True)
    )
    fallbacks = [one for one in memory.trace.fallbacks if one.page is None or one.page < len(known.pages)]
    shown = replace(
        memory, pages=known.pages, gists=gists, finer=None, trace=replace(memory.trace, fallbacks=fallbacks)
    )
    return shown, [one for one in answers if one.up_to is not None and one.up_to <= up_to]
