"""What exports say about the quotes of an answer: which are only near it, which are missing, what they support."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.question import Quote
from readagent.core.shelf.shelf_answer import ShelfAnswer
from readagent.library.rows import KeptAnswer


def heading(quotes: Sequence[Quote], found_in_text: bool) -> str:
    """Return the line above quotes that are only the passages nearest to an answer; empty for other quotes."""
    if not quotes:
        return ""
    if not found_in_text:
        return "Nearest passages:"
    return "Nearest passages, found for this answer:" if quotes[0].by_us else ""


def remarks(answer: KeptAnswer | ShelfAnswer) -> list[str]:
    """Return how many quotes of the model were dropped, and how many statements are supported."""
    lines = []
    if answer.false_quotes:
        dropped = f"{answer.false_quotes} quote{'s' if answer.false_quotes > 1 else ''}"
        lines.append(f"Unverified: dropped {dropped} not found in the text.")
    if answer.statements:
        count, all_of_them = len(answer.statements) - len(not_supported(answer)), len(answer.statements)
        how = {"rules": ", by rules only", "vectors": ", by rules and vectors only"}.get(answer.support.checked_by, "")
        lines.append(f"Checked{how}: {count} of {all_of_them} statement{'s' if all_of_them > 1 else ''} supported.")
    return lines


def not_supported(answer: KeptAnswer | ShelfAnswer) -> list[str]:
    """Return the statements that are not supported, each after its state."""
    return [f"{one.state}: {one.text}" for one in answer.statements if one.state != "supported"]


def notes(answer: KeptAnswer) -> list[str]:
    """Return the remarks, and the statements that are not supported."""
    return [*remarks(answer), *not_supported(answer)]


def citable(answer: KeptAnswer) -> list[Quote]:
    """Return the quotes that bear on a statement of the answer; a passage that we found must support it."""
    if not answer.found_in_text:
        return []
    if not answer.statements:  # it was not checked
        return [quote for quote in answer.quotes if not quote.by_us]
    supporting = {at for one in answer.statements if one.state == "supported" for at in one.quotes}
    about = {at for one in answer.statements if one.state == "quoted" for at in one.quotes}
    return [quote for at, quote in enumerate(answer.quotes) if at in supporting or (at in about and not quote.by_us)]
