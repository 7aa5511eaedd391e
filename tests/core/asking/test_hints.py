"""Hints: shown if the plan asks for them; otherwise prompts do not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from readagent.core.asking.answer import answer_form
from readagent.core.form import Choice, Form, Text
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Ask, Hint, Hinter
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.errors import UsageError
from sessions import SMALL, make_session, prose, read_and_fit, run, sensible

WHO = Question("Who opened the gate?")


class Pointer:
    """A hinter that points to these pages and stores what it was asked."""

    def __init__(self, *pages: int) -> None:
        self.pages = pages
        self.asked: list[tuple[GistMemory, Question]] = []

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        self.asked.append((memory, question))
        return [Hint(page, 10.0 - place) for place, page in enumerate(self.pages)]


def make_memory(paragraphs: int = 16) -> GistMemory:
    return run(read_and_fit(prose(paragraphs), make_session()))


def asked(
    hinter: Hinter | None, question: Question = WHO, window: int | None = None, **plan: object
) -> tuple[Answer, list[Ask]]:
    session = replace(make_session(sensible, Plan(**plan), window), hinter=hinter)  # type: ignore[arg-type]
    return run(ask(make_memory(), question, session)), session.model.asks  # type: ignore[attr-defined]


@pytest.mark.parametrize("look_up", ["parallel", "sequential"])
def test_hints_are_added_to_the_prompt_and_gists_stay(look_up: str) -> None:
    _, plain = asked(None, look_up=look_up)
    _, hinted = asked(Pointer(3, 1), look_up=look_up, hints=True)
    assert "Page 3, Page 1." in hinted[0].prompt
    start = plain[0].prompt.index("</question>")
    assert hinted[0].prompt[:start] == plain[0].prompt[:start]
    assert hinted[0].prompt.endswith(plain[0].prompt[start + len("</question>") :])
    assert hinted[-1].prompt == plain[-1].prompt  # the answer is asked for in the same words


@pytest.mark.parametrize("question", [WHO])
@pytest.mark.parametrize("look_up", ["parallel", "sequential", "none"])
def test_prompts_without_hints_are_unchanged(question: Question, look_up: str) -> None:
    pointer = Pointer(2)
    _, plain = asked(None, question, look_up=look_up)
    for hinter, hints in ((pointer, False), (None, True), (Pointer(), True)):
        _, same = asked(hinter, question, look_up=look_up, hints=hints)
        assert [one.prompt for one in same] == [one.prompt for one in plain]
    assert not pointer.asked


def long_memory(pages: int = 60, plan: Plan = SMALL) -> GistMemory:
    """A memory with gists of several sentences, too long for a small window."""
    memory = run(read_and_fit(prose(pages * plan.page_words // 15), make_session(plan=plan)))
    gists = tuple(
        Gist(f"Gist {page.number} " + "of it all. So it went on and on, and so. " * 3, 33) for page in memory.pages
    )
    return replace(memory, gists=gists)


def test_gists_make_room_for_opened_pages_and_hinted_ones_stay_in_full() -> None:
    """All gists fit the prompt for look-up, but not next to the pages that are opened."""
    memory = long_memory(43, Plan(page_words=240, min_page_words=80))
    session = replace(make_session(sensible, Plan(max_pages=2), window=4096), hinter=Pointer(40, 7))
    answer = run(ask(memory, WHO, session))
    first, last = session.model.asks[0], session.model.asks[-1]  # type: ignore[attr-defined]
    assert {one.step for one in session.model.asks} == {"look_up", "respond"}  # type: ignore[attr-defined]
    assert "first: Page 40, Page 7." in first.prompt  # hints are on without being asked for
    assert answer.pages == (1, 0)
    assert memory.page_text(1).strip() in last.prompt
    assert memory.gists[40].text in last.prompt
    assert "…" in last.prompt
    assert session.window.fits(last.prompt)


def test_an_impossible_plan_is_refused() -> None:
    with pytest.raises(UsageError):
        Plan(memory_words=-1)


PAGES = Choice(("0", "1"), least=0, most=6, label="Pages")


def test_a_window_leaves_room_for_the_longest_prompt_around_a_memory() -> None:
    """320 tokens are reserved for templates; all optional parts must fit."""
    session = Session(make_session().model, make_session().prompts, Plan(nudge=True, by_importance=True), Window(2048))
    fill = session.prompts.fill
    around = fill("respond", memory="", question="", form=answer_form(Plan()), quotes=True)
    hints = ", ".join(f"Page {n}00" for n in range(6))
    hinted = fill("look_up", memory="", question="", form=PAGES, most=6, last=999, hints=hints, order=True, nudge=True)
    direct = fill("direct", memory="", question="", form=Form((Text(), PAGES)), most=6, last=999, hints=hints, order=True,
                  quotes=True, whole_text=True)  # fmt: skip
    assert len(around) / 3.5 < 320
    assert len(direct) / 3.5 < 320
    assert len(hinted) / 3.5 < 320
