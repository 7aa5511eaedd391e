"""Whatever is appended, pinned or replied, closed pages never change, and pinned gists are on their pages."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.test_reading import PLANS, TEXTS
from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Span
from readagent.core.model import Ask
from readagent.core.pages.growing import closed_pages, extend, grow
from readagent.core.plan import Plan
from readagent.core.words import count_words
from readagent.library import Library
from readagent.testing.scripted import ScriptedModel
from sessions import make_session, prose, run, sensible


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(["read", "live", "wait"])), max_size=6), PLANS, st.randoms())
def test_closed_pages_never_change(pieces: list[tuple[str, str]], plan: Plan, dice: object) -> None:
    def pick(ask: Ask) -> str:
        return f"<{dice.choice(ask.choice.values)}>" if ask.step == "paginate" else sensible(ask)  # type: ignore[attr-defined,union-attr]

    memory = GistMemory(Document("", ()), (), (), plan)
    for text, how in pieces:
        document = memory.document.appended(text)
        if not count_words(document.text):
            continue
        session, before = make_session(pick, plan), memory
        memory = extend(memory, document) if how == "wait" else run(grow(memory, document, session, live=how == "live"))
        stay = len(closed_pages(before))
        assert memory.pages[:stay] == before.pages[:stay]
        assert memory.gists[:stay] == before.gists[:stay]
        assert document.text.startswith(before.document.text)
        assert "".join(memory.page_text(page.number) for page in memory.pages) == document.text
        assert [page.number for page in memory.pages] == list(range(len(memory.pages)))
        assert sum(page.words for page in memory.pages) == count_words(document.text)
        assert "".join(document.text[one.start : one.end] for one in document.paragraphs) == document.text
        if plan.pauses == "model":
            assert all(
                plan.min_page_words <= page.words <= plan.page_words
                for page in closed_pages(memory)[len(closed_pages(before)) :]
            )


DOCUMENT = prose(40)
PINNED_PLANS = (
    Plan(page_words=60, min_page_words=20),
    Plan(page_words=40, min_page_words=31),
    Plan(page_words=90, min_page_words=30, pauses="uniform"),
    Plan(page_words=60, min_page_words=20, show_previous=True),
)
STEPS = st.one_of(
    st.tuples(st.just("read"), st.integers(0, len(PINNED_PLANS) - 1), st.sampled_from([None, 1000, 1400])),
    st.tuples(st.sampled_from(["write", "pin", "unpin"]), st.integers(0, 50), st.none()),
)


def agrees(memory: GistMemory, pinned: dict[Span, Gist]) -> None:
    """Check that pages tile the text, pinned pages have their gists, and no page crosses a pinned one before merging."""
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == memory.document.text
    for page, shown in zip(memory.pages, memory.gists, strict=True):
        assert pinned.get((page.start, page.end), shown) == shown
        if memory.window is None:
            assert not any(
                page.start < end and page.end > start and (page.start < start or page.end > end)
                for start, end in pinned
            )


def overlapping(one: Span, other: Span) -> bool:
    return one[0] < other[1] and one[1] > other[0]


async def life(steps: list[tuple[str, int, int | None]], library: Library) -> None:
    """Do these steps as a user would, and check everything in the library after each."""
    expected: dict[Span, Gist] = {}
    for step, number, window in [("read", 0, None), *steps]:
        if step == "read":
            async with AsyncReadAgent(ScriptedModel(sensible), library=library, window=window) as agent:
                agrees(await agent.read(DOCUMENT, plan=PINNED_PLANS[number]), expected)
                recalled = await agent.recall(DOCUMENT.id)
                assert recalled is not None
                agrees(recalled, expected)
        else:
            memory = library.memory(DOCUMENT.id)
            assert memory is not None
            chosen = number % len(memory.pages)
            span = memory.pages[chosen].start, memory.pages[chosen].end
            if step == "unpin":
                memory = library.unpin(memory, [chosen])
                expected.pop(span, None)
            else:
                own = Gist(f"Mine {number}", 2, "user") if step == "write" else memory.gists[chosen]
                memory = library.pin(memory, {chosen: own})
                expected = {other: kept for other, kept in expected.items() if not overlapping(span, other)}
                expected[span] = own
            assert library.memory(DOCUMENT.id) == memory
        assert library.pinned(DOCUMENT.id) == expected
        kept = [library.memory(DOCUMENT.id, key=row.key) for row in library.readings(DOCUMENT.id)]
        for one in (memory for memory in kept if memory is not None):
            agrees(one, expected)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(STEPS, max_size=8))
def test_pinned_gists_survive_any_sequence_of_steps(steps: list[tuple[str, int, int | None]]) -> None:
    with TemporaryDirectory() as home, Library(Path(home)) as library:
        run(life(steps, library))
