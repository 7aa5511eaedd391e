"""Overviews of texts that grow, in small windows, and of long texts: what they cost and what they still find."""

from __future__ import annotations

from collections import Counter

import pytest

from planted import perfect, story
from readagent import AsyncReadAgent, Library
from readagent.core.plan import Plan
from readagent.testing import Habits, ScriptedModel, Skimmer
from sessions import run

PLAN = Plan(page_words=200, min_page_words=80)


def agent_of(model: object, window: int, library: Library | None = None) -> AsyncReadAgent:
    return AsyncReadAgent(model, window=window, plan=PLAN, library=library)  # type: ignore[arg-type]


def test_nobody_and_nothing_is_missed_in_a_tiny_window() -> None:
    document, names, events = story(8_000, 40)

    async def told() -> None:
        agent = agent_of(ScriptedModel(perfect), 1024)
        memory = await agent.read(document)
        people, timeline = await agent.people(memory), await agent.timeline(memory)
        assert {one.name for one in people} == set(names)
        assert [one.point.text for one in timeline] == events
        assert not people.trace.fallbacks
        assert not timeline.trace.fallbacks
        assert timeline.trace.words_read < 4 * memory.words()  # each prompt of 1,024 tokens explains itself

    run(told())


@pytest.mark.slow
def test_a_long_summary_in_a_tiny_window_is_even_and_reads_the_memory_little_more_than_once() -> None:
    document, _, _ = story(30_000, 150)

    async def told() -> None:
        agent = agent_of(Skimmer(Habits(gist_share=0.25)), 1024)
        memory = await agent.read(document)
        summary = await agent.summary(memory, words=3000)
        assert 0.4 * 3000 < len(summary.text.split()) < 1.7 * 3000
        quarters = Counter(4 * point.pages[0] // len(memory.pages) for point in summary.points)
        assert min(quarters[at] for at in range(4)) > 0.5 * max(quarters.values())
        assert not summary.trace.fallbacks
        assert summary.trace.words_read < 4 * memory.words()

    run(told())
