"""Warn if the gists of a memory are far longer than asked for."""

from __future__ import annotations

from readagent.core.gists.measure import Measure, length_in_words
from readagent.core.gists.sizes import asked_words
from readagent.core.memory import GistMemory
from readagent.core.words import count_words

_LONG = 1000  # words; for a shorter text it does not matter
_TOO_LONG = 1.5  # times the words asked for


def long_gists(memory: GistMemory) -> tuple[str, ...]:
    """Return a warning, with what to change, if a model made gists that are far longer than asked for."""
    whole = memory.whole
    plan = whole.plan
    if not plan.aim or length_in_words(whole.document.text) <= _LONG:
        return ()
    made = [
        (whole.page_text(page.number), gist.text)
        for page, gist in zip(whole.pages, whole.gists, strict=True)
        if gist.origin == "model"
    ]
    asked = words = 0
    for page, gist in made:
        measure = Measure.of(page)
        asked += asked_words(plan, count_words(page), measure.length(page))
        words += measure.length(gist)
    if words <= _TOO_LONG * asked:
        return ()
    return (
        f"the gists are {words / asked:.1f} times longer than asked for: the model does not keep to the length; "
        "limit the gists with `memory_words`, or use another model",
    )
