"""What is found out while reading is kept: the window of a server, the mode of a model, and the index of a long text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from one_pass_readers import able, unable
from readagent import Document, GistMemory, Library, Plan, ReadAgent, load
from readagent.core.model import Ask, Reply
from readagent.core.plan import Mode
from readagent.errors import ContextOverflowError, UnauthorizedError, UsageError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import EXAMPLES, Counting, prose

SILENT = {"/v1/models": {"object": "list", "data": [{"id": "skimmer", "object": "model"}]}}
STORY = load(EXAMPLES / "story.txt")


def test_an_unreported_window_is_learned_from_an_error(library: Library) -> None:
    window, story = 1200, Document.from_text(STORY.text[:9000])
    with LoopbackServer(window=window, routes=SILENT).in_thread() as server:
        with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
            assert agent.window() is None
            memory = agent.read(story)
            answer = agent.ask(memory, "Who is Irma Valk?")
            assert answer.text
            assert agent.window() == window
        asked = len(server.requests)
        with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
            assert agent.window() == window
            again = agent.read(story)
            assert agent.ask(again, "What happened to the barge?").text
        assert all(request.finished for request in server.requests[asked:]), "what was learnt was not made use of"


def test_a_model_with_a_tiny_window_is_refused_at_once() -> None:
    with LoopbackServer(window=400).in_thread() as server:
        with (
            ReadAgent("skimmer", base_url=server.base_url) as agent,
            pytest.raises(UsageError, match="a window of 400 tokens is too small to read with") as caught,
        ):
            agent.read(STORY)
        assert server.requests == []
    assert "the minimum is 512 tokens: use a model with a larger window" in caught.value.hint
    with (
        LoopbackServer(window=400, routes=SILENT).in_thread() as server,
        ReadAgent("skimmer", base_url=server.base_url) as agent,
        pytest.raises(ContextOverflowError, match="the model's window of 400 tokens is too small") as refused,
    ):
        agent.read(STORY)
    assert "512" in refused.value.hint


def test_a_memory_from_another_agent_is_merged_and_the_answer_names_its_pages(library: Library) -> None:
    document = STORY
    with ReadAgent(Skimmer()) as large:
        whole = large.read(document)
    with ReadAgent(Skimmer(), library=library, window=2000) as small:
        answer = small.ask(whole, "Who opened gate 14?")
        merged = small.recall(document.id)
    assert merged is not None
    assert len(merged.pages) < len(whole.pages)
    (kept,) = library.answers(document.id)
    assert kept.reading == merged.key
    assert set(answer.pages) <= set(range(len(whole.pages)))


PLAN = Plan(page_words=300, min_page_words=100, mode="auto")
TEXT = prose(560)  # 8,400 words: four windows
Answer = Callable[[Ask], str]


def reading(answer: Answer, library: Library, plan: Plan = PLAN, text: Document = TEXT) -> tuple[GistMemory, list[str]]:
    """Read a text in a process of its own, as it were, and return the steps that the model was asked."""
    model = ScriptedModel(answer)
    with ReadAgent(model, library=library, plan=plan) as agent:
        memory = agent.read(text)
    return memory, [ask.step for ask in model.asks]


def stopped(answer: Answer, library: Library, calls: int, plan: Plan = PLAN) -> list[str]:
    """Begin the same, and stop for good after so many replies; return the prompts that were answered."""
    answered: list[str] = []

    class Stopping(ScriptedModel):
        async def complete(self, ask: Ask) -> Reply:
            if len(answered) == calls:
                raise UnauthorizedError("the key is wrong")
            answered.append(ask.prompt)
            return await super().complete(ask)

    with ReadAgent(Stopping(answer), library=library, plan=plan, parallel=1) as agent, pytest.raises(UnauthorizedError):
        agent.read(TEXT)
    return answered


def modes(library: Library, text: Document = TEXT) -> list[Mode]:
    (row,) = library.readings(text.id)[:1]
    return [plan.mode for plan in library.plans(text.id, row.model, [row.prompts])]


@pytest.mark.parametrize(("answer", "mode"), [(able, "fast"), (unable, "paper")])
def test_a_memory_is_kept_in_the_mode_that_was_found_and_read_once(
    library: Library, answer: Answer, mode: Mode
) -> None:
    memory, steps = reading(answer, library)
    assert memory.plan.mode == mode
    assert steps
    assert modes(library) == [mode]
    again, asked = reading(answer, library)
    assert (again.pages, again.gists, asked) == (memory.pages, memory.gists, [])
    chosen, asked = reading(answer, library, replace(PLAN, mode=mode))
    assert (chosen.pages, asked) == (memory.pages, [])


@pytest.mark.parametrize(("answer", "mode", "calls"), [(able, "fast", 3), (unable, "paper", 2)])
def test_a_reading_that_stopped_goes_on_in_its_mode_and_pays_nothing_twice(
    library: Library, answer: Answer, mode: Mode, calls: int
) -> None:
    before = stopped(answer, library, calls)
    assert modes(library) == [mode]
    model = ScriptedModel(answer)
    with ReadAgent(model, library=library, plan=PLAN) as agent:
        memory = agent.read(TEXT)
    assert not {ask.prompt for ask in model.asks} & set(before)
    assert memory.plan.mode == mode
    with Library(":memory:") as other:
        straight, _ = reading(answer, other)
    assert (memory.pages, memory.gists) == (straight.pages, straight.gists)
    assert modes(library) == [mode]


@pytest.mark.parametrize(("answer", "mode"), [(able, "fast"), (unable, "paper")])
def test_a_text_grows_in_the_mode_it_was_read_in(library: Library, answer: Answer, mode: Mode) -> None:
    whole = prose(600)
    assert whole.text.startswith(TEXT.text)
    model = ScriptedModel(answer)
    with ReadAgent(model, library=library, plan=PLAN) as agent:
        memory = agent.read(TEXT)
        model.asks.clear()
        grown = agent.append(memory, whole)
    assert grown.plan.mode == mode
    assert ("read" in {ask.step for ask in model.asks}) is (mode == "fast")
    assert all(one.end == other.start for one, other in pairwise(grown.pages))
    assert grown.pages[-1].end == len(whole.text)


def test_a_model_that_failed_on_two_texts_is_not_tried_by_later_commands(library: Library) -> None:
    texts = [Document.from_text(f"Story {number}.\n\n{TEXT.text}") for number in range(4)]
    tried = ["read" in reading(unable, library, text=text)[1] for text in texts]
    assert tried == [True, True, False, False]


def test_an_index_is_made_while_reading_and_used_in_every_window(library: Library) -> None:
    plan = Plan(page_words=60, min_page_words=30, pauses="uniform", check=False, look_up="direct")
    text, model = prose(500), Counting()  # 7,500 words
    with ReadAgent(model, library=library, plan=plan, window=8192) as agent:
        memory = agent.read(text)
    assert sum(ask.step == "merge" for ask in model.asks) > 2
    for window, word in ((4096, 6001), (32_768, 3001)):
        later = Counting()
        with ReadAgent(later, library=library, plan=plan, window=window) as other:
            known = other.recall(text.id)
            assert known is not None
            assert known.pages == memory.pages
            answer = other.ask(known, f"What of w{word} and w{word + 1}?")
        assert "merge" not in {ask.step for ask in later.asks}
        assert "<Part 1, pages" in later.asks[0].prompt
        assert any(f"w{word} " in memory.page_text(page) for page in answer.pages)
