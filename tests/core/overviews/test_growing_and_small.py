"""Overviews of texts that grow, in small windows, and of long texts: what they cost and what they still find."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from planted import perfect, story
from readagent import AsyncReadAgent, Library
from readagent.core.plan import Plan
from readagent.testing import Habits, ScriptedModel, Skimmer
from sessions import run

PLAN = Plan(page_words=200, min_page_words=80)


def agent_of(model: object, window: int, library: Library | None = None) -> AsyncReadAgent:
    return AsyncReadAgent(model, window=window, plan=PLAN, library=library)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "again"),
    [("people", {"collect": 1, "join": 15, "check": 1})],
)
def test_a_text_that_grew_is_paid_for_only_where_it_grew(tmp_path: Path, kind: str, again: dict[str, int]) -> None:
    document, _, _ = story(6_000, 80)
    more, _, _ = story(600, 3, seed=9)
    model = ScriptedModel(perfect) if kind != "summary" else Skimmer(Habits(gist_share=0.2))

    async def told() -> None:
        agent = agent_of(model, 1024, Library(tmp_path))
        memory = await agent.read(document)
        options = {"words": 300} if kind == "summary" else {}
        first = await getattr(agent, kind)(memory, **options)
        longer = await agent.append(memory, more.text)
        grown = await getattr(agent, kind)(longer, **options)
        whole = Counter(call.step for call in first.trace.calls)
        paid = Counter(call.step for call in grown.trace.calls if call.paid)
        assert {step: count for step, count in paid.items() if count > again.get(step, 0)} == {}, (whole, paid)
        reading = next(iter(again))
        assert paid[reading] < whole[reading] / 4

    run(told())


@pytest.mark.parametrize("window", [1024])
def test_nobody_and_nothing_is_missed_in_a_tiny_window(window: int) -> None:
    document, names, events = story(8_000, 40)

    async def told() -> None:
        agent = agent_of(ScriptedModel(perfect), window)
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
