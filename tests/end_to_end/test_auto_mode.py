"""The default mode through an agent and its library: what is read is kept, resumed and grown in the mode it began in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from one_pass_readers import able, unable
from readagent import Document, GistMemory, Library, Plan, ReadAgent
from readagent.core.model import Ask, Reply
from readagent.core.plan import Mode
from readagent.errors import UnauthorizedError
from readagent.testing.scripted import ScriptedModel
from sessions import prose

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


@pytest.mark.parametrize(
    ("answer", "mode", "calls"),
    [(able, "fast", 3), (unable, "paper", 2)],
)
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
