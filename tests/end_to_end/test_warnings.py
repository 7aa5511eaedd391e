"""A reading that is of little use says so, tiny windows have no lasting effect, and what failed attempts cost is known."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from itertools import count

import pytest

from readagent import Document, Library, Plan, ReadAgent, load
from readagent.core.model import Ask, Reply
from readagent.errors import ContextOverflowError
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import EXAMPLES, TWO_STEPS, sensible

STORY = load(EXAMPLES / "story.txt")
SHORT = Document.from_text(STORY.text[:9000])


def copying(ask: Ask) -> str:
    """Reply like a model that drops nothing."""
    return ask.material.passages[0] if ask.step == "gist" else sensible(ask)


def test_a_sensible_reading_has_no_warnings() -> None:
    for window in (None, 2000):
        with ReadAgent(Skimmer(), window=window) as agent:
            assert agent.read(STORY).warnings == ()


def nearly_copying(ask: Ask) -> str:
    """Reply like a model that changes a word here and there, and drops nothing."""
    return copying(ask).replace(" the ", " this ") if ask.step == "gist" else sensible(ask)


def test_gists_as_long_as_the_text_are_a_warning() -> None:
    with ReadAgent(ScriptedModel(nearly_copying)) as agent:
        (warning,) = agent.read(STORY).warnings
    assert warning == (
        "the gists have 6,978 words, and the text has 6,980; use another model, or limit the gists with `memory_words`"
    )


def test_copies_of_long_pages_are_no_gists_and_a_warning() -> None:
    with ReadAgent(ScriptedModel(copying), plan=TWO_STEPS) as agent:
        memory = agent.read(STORY)
    (warning,) = memory.warnings
    long = sum(page.words > 200 for page in memory.pages)
    assert warning == f"{long} of {len(memory.pages)} pages have no gist but their opening sentences; use another model"
    assert {one.reason for one in memory.trace.fallbacks} == {"it was a copy of the passage"}
    for words, warned in ((300, True), (190, False)):
        short = Document.from_text(" ".join(STORY.text.split()[:words]))
        with ReadAgent(ScriptedModel(copying)) as agent:
            assert bool(agent.read(short).warnings) is warned


def test_a_table_whose_gists_are_as_long_as_its_pages_is_a_warning() -> None:
    """It has few words, since they are long, but far more tokens than a page."""
    row = "2024-03-01T00:00:00Z,ST{0},15.{0},13.{0},1041.59448,14.2{0}6,X"
    rows = (row.format(n, hashlib.sha256(n.to_bytes(2, "big")).hexdigest()) for n in range(500))
    with ReadAgent(ScriptedModel(copying), window=8192) as agent:
        warnings = agent.read(Document.from_text("\n".join(rows))).warnings
    assert any("words, and the text has 500; use another model" in warning for warning in warnings)


def cut_after_page(number: int) -> Callable[[Ask], str | Reply]:
    """Reply like a server whose window has no room for the gists of later pages, or of their parts."""
    pages = 0

    def reply(ask: Ask) -> str | Reply:
        nonlocal pages
        if ask.step != "gist":
            return sensible(ask)
        pages += 1
        return sensible(ask) if pages <= number else Reply("The", "length")

    return reply


def test_a_third_of_the_pages_without_a_gist_is_a_warning_that_names_the_cause() -> None:
    def lost(number: int, reply: Callable[[Ask], str | Reply]) -> tuple[str, ...]:
        with ReadAgent(ScriptedModel(reply), plan=Plan(page_words=600), parallel=1) as agent:
            memory = agent.read(STORY)
        assert len(memory.leads) == len(memory.pages) - number
        return memory.warnings

    (warning,) = lost(9, cut_after_page(9))
    assert re.match(r"5 of 14 pages have no gist but their opening sentences; .*larger window.*`window`", warning)
    made = count()
    (warning,) = lost(9, lambda ask: "" if ask.step == "gist" and next(made) >= 9 else sensible(ask))
    assert warning == "5 of 14 pages have no gist but their opening sentences; use another model"
    made = count()
    assert lost(11, lambda ask: "" if ask.step == "gist" and next(made) >= 11 else sensible(ask)) == ()


@pytest.mark.slow
def test_pages_of_a_few_words_are_a_warning() -> None:
    with ReadAgent(Skimmer(), window=512) as agent:
        memory = agent.read(SHORT)
    (warning,) = memory.warnings
    assert warning.startswith("the window of 512 tokens is too small; use a model with a larger one, or give the real")
    assert "`window`" in warning
    with ReadAgent(Skimmer(), plan=Plan(page_words=50)) as agent:
        assert agent.read(SHORT).warnings == ()  # the user wants small pages


def test_what_attempts_before_an_overflow_cost_is_in_the_trace(library: Library) -> None:
    """The pages were kept before the overflow, so the last attempt finds them in the library."""
    overflow = iter([ContextOverflowError("too long", window=1500)])

    def reply(ask: Ask) -> str | Exception:
        return next(overflow, "not sure") if ask.step == "merge" else sensible(ask)

    model = ScriptedModel(reply)
    with ReadAgent(
        model, library=library, plan=Plan(page_words=200, min_page_words=80, look_up="direct"), window=1600
    ) as agent:
        memory = agent.read(STORY)
    steps = memory.trace.steps()
    assert steps["paginate"] > 20
    assert sum(call.paid for call in memory.trace.calls) == len(model.asks) - 1  # the overflow had no reply
    assert memory.trace.paid.prompt_tokens > 20_000


@pytest.mark.slow
def test_sizes_that_a_tiny_window_forced_are_not_used_with_a_larger_one(library: Library) -> None:
    with ReadAgent(Skimmer(), library=library, window=512) as agent:
        tiny = agent.read(SHORT)
    with ReadAgent(Skimmer(), library=library, window=8192) as agent:
        usual = agent.read(SHORT)
    assert (tiny.finer or tiny).plan.page_words < 100
    assert usual.plan.page_words == 600
    with ReadAgent(Skimmer(), library=library, window=512) as agent:
        again = agent.read(SHORT)
    assert again.pages == tiny.pages
