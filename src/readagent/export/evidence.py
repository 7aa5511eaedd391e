"""What exports show: evidence for an answer, and what somebody may see who has not read all of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.asking.position import only_up_to
from readagent.core.memory import Gist, GistMemory
from readagent.core.question import Quote
from readagent.core.shelf.shelf_answer import ShelfAnswer
from readagent.core.words import count_words
from readagent.library.rows import KeptAnswer


def heading(quotes: Sequence[Quote], found_in_text: bool) -> str:
    """Return the line above quotes that are only the passages nearest to an answer; empty for other quotes."""
    if not quotes:
        return ""
    if not found_in_text:
        return "Nearest passages:"
    return "Nearest passages, found for this answer:" if quotes[0].by_us else ""


def about_false_quotes(number: int, where: str = "the text") -> str:
    """Return that quotes of the model were not in a text; empty if there are none."""
    said = "The model's quote was" if number == 1 else f"{number:,} quotes of the model were"
    return f"{said} not in {where}." if number else ""


def remarks(answer: KeptAnswer | ShelfAnswer) -> list[str]:
    """Return how many quotes of the model were dropped, and how many statements are supported."""
    lines = []
    if answer.false_quotes:
        lines.append(about_false_quotes(answer.false_quotes))
    if answer.statements:
        count, all_of_them = len(answer.statements) - len(not_supported(answer)), len(answer.statements)
        how = {"rules": ", by rules only"}.get(answer.support.checked_by, "")
        lines.append(f"Checked{how}: {count} of {all_of_them} statement{'s' if all_of_them > 1 else ''} supported.")
    return lines


def not_supported(answer: KeptAnswer | ShelfAnswer) -> list[str]:
    """Return the statements that are not supported, each after its state."""
    return [f"{one.state}: {one.text}" for one in answer.statements if one.state != "supported"]


def notes(answer: KeptAnswer) -> list[str]:
    """Return the remarks, and the statements that are not supported."""
    return [*remarks(answer), *not_supported(answer)]


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
