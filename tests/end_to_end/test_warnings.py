"""A reading that is of little use says so, tiny windows have no lasting effect, and what failed attempts cost is known."""

from __future__ import annotations

import hashlib

from readagent import Document, Library, Plan, ReadAgent, load
from readagent.core.model import Ask
from readagent.errors import ContextOverflowError
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import EXAMPLES, sensible

STORY = load(EXAMPLES / "story.txt")


def copying(ask: Ask) -> str:
    """Reply like a model that drops nothing."""
    return ask.material.passages[0] if ask.step == "gist" else sensible(ask)


def test_a_sensible_reading_has_no_warnings() -> None:
    for window in (None, 2000, 8192):
        with ReadAgent(Skimmer(), window=window) as agent:
            assert agent.read(STORY).warnings == ()


def test_gists_as_long_as_the_text_are_a_warning() -> None:
    with ReadAgent(ScriptedModel(copying)) as agent:
        (warning,) = agent.read(STORY).warnings
    assert warning == (
        "the gists have 6,980 words, and the text has 6,980; use another model, or limit the gists with --memory-words"
    )
    for words, warned in ((300, True), (190, False)):
        short = Document.from_text(" ".join(STORY.text.split()[:words]))
        with ReadAgent(ScriptedModel(copying)) as agent:
            assert bool(agent.read(short).warnings) is warned


def test_pages_of_a_few_words_are_a_warning() -> None:
    with ReadAgent(Skimmer(), window=512) as agent:
        memory = agent.read(STORY)
    (warning,) = memory.warnings
    assert warning.startswith("the window of 512 tokens is too small; use a model with a larger one, or give the real")
    assert "--window" in warning
    with ReadAgent(Skimmer(), plan=Plan(page_words=50)) as agent:
        assert agent.read(STORY).warnings == ()  # the user wants small pages


def test_pages_of_a_few_long_words_are_no_reason_for_a_warning() -> None:
    rows = "\n".join(hashlib.sha256(i.to_bytes(2, "big")).hexdigest() for i in range(600))
    with ReadAgent(Skimmer(), window=8192) as agent:
        memory = agent.read(Document.from_text(rows))
    whole = memory.finer or memory
    assert whole.full_words / len(whole.pages) < 60
    assert memory.warnings == ()


def test_sizes_that_a_tiny_window_forced_are_not_used_with_a_larger_one(library: Library) -> None:
    with ReadAgent(Skimmer(), library=library, window=512) as agent:
        tiny = agent.read(STORY)
    with ReadAgent(Skimmer(), library=library, window=8192) as agent:
        usual = agent.read(STORY)
    assert (tiny.finer or tiny).plan.page_words < 100
    assert usual.plan.page_words == 600
    assert len(usual.pages) == 15
    with ReadAgent(Skimmer(), library=library, window=512) as agent:
        again = agent.read(STORY)
    assert again.pages == tiny.pages


def test_what_attempts_before_an_overflow_cost_is_in_the_trace(library: Library) -> None:
    """The pages were kept before the overflow, so the last attempt finds them in the library."""
    overflow = iter([ContextOverflowError("too long", window=1500)])

    def reply(ask: Ask) -> str | Exception:
        return next(overflow, "not sure") if ask.step == "merge" else sensible(ask)

    model = ScriptedModel(reply)
    with ReadAgent(model, library=library, plan=Plan(page_words=200, min_page_words=80), window=1600) as agent:
        memory = agent.read(STORY)
    assert memory.window == 1500
    steps = memory.trace.steps()
    assert steps["paginate"] > 20
    assert sum(call.paid for call in memory.trace.calls) == len(model.asks) - 1  # the overflow had no reply
    assert memory.trace.paid.prompt_tokens > 20_000


def test_the_cost_of_merging_is_in_the_trace_of_a_memory_that_was_read_before(library: Library) -> None:
    plan = Plan(page_words=200, min_page_words=80)
    with ReadAgent(Skimmer(), library=library, plan=plan) as agent:
        agent.read(STORY)
    with ReadAgent(Skimmer(), library=library, plan=plan, window=1400) as agent:
        merged = agent.read(STORY)
        assert merged.window == 1400
        assert merged.trace.steps()["merge"] > 0
        assert agent.read(STORY).trace.calls == []


def test_what_an_answer_cost_before_an_overflow_is_in_its_trace() -> None:
    left = 2

    def reply(ask: Ask) -> str | Exception:
        nonlocal left
        if ask.step == "respond" and (left := left - 1) > 0:
            return ContextOverflowError("too long", window=200_000)
        return sensible(ask)

    with ReadAgent(ScriptedModel(reply), plan=Plan(page_words=300, min_page_words=100)) as agent:
        answer = agent.ask(agent.read(STORY), "Who is Irma Valk?")
    assert answer.trace.steps() == {"look_up": 2, "respond": 1}
    assert [call.paid for call in answer.trace.calls if call.step == "look_up"] == [True, False]
