"""Hints: shown when wanted, and not a letter of the prompt is changed when not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from readagent.core.asking.hints import narrowed, worth_telling
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Hint, Hinter
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.core.words import count_words
from readagent.errors import UsageError
from sessions import SMALL, prose, read_and_fit, run, sensible, session

WHO = Question("Who opened the gate?")


class Pointer:
    """A hinter that points to these pages, and keeps what it was asked."""

    def __init__(self, *pages: int) -> None:
        self.pages = pages
        self.asked: list[tuple[GistMemory, Question]] = []

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        self.asked.append((memory, question))
        return [Hint(page, 10.0 - place) for place, page in enumerate(self.pages)]


def memory(paragraphs: int = 16) -> GistMemory:
    return run(read_and_fit(prose(paragraphs), session()))


def asked(
    hinter: Hinter | None, question: Question = WHO, window: int | None = None, **plan: object
) -> tuple[Answer, list[Ask]]:
    who = replace(session(sensible, Plan(**plan), window), hinter=hinter)  # type: ignore[arg-type]
    return run(ask(memory(), question, who)), who.model.asks  # type: ignore[attr-defined]


@pytest.mark.parametrize("look_up", ["parallel", "sequential"])
def test_hints_stand_beside_the_gists_and_do_not_replace_them(look_up: str) -> None:
    _, plain = asked(None, look_up=look_up)
    _, hinted = asked(Pointer(3, 1), look_up=look_up, hints=True)
    assert "Page 3, Page 1." in hinted[0].prompt
    start = plain[0].prompt.index("</question>")
    assert hinted[0].prompt[:start] == plain[0].prompt[:start]
    assert hinted[0].prompt.endswith(plain[0].prompt[start + len("</question>") :])
    assert hinted[-1].prompt == plain[-1].prompt  # the answer is asked for in the same words


@pytest.mark.parametrize("question", [WHO, Question.choice("Who?", ["Ann", "Bob"]), Question.claim("Ann did.")])
@pytest.mark.parametrize("look_up", ["parallel", "sequential", "none"])
def test_prompts_are_the_same_to_the_letter_where_nothing_is_wanted(question: Question, look_up: str) -> None:
    pointer = Pointer(2)
    _, plain = asked(None, question, look_up=look_up)
    for hinter, hints in ((pointer, False), (None, True), (Pointer(), True)):
        _, same = asked(hinter, question, look_up=look_up, hints=hints)
        assert [one.prompt for one in same] == [one.prompt for one in plain]
    assert not pointer.asked


def test_what_is_open_is_not_hinted_at_again() -> None:
    who = replace(session(["Page 3", "STOP", "Yes."], Plan(look_up="sequential", hints=True)), hinter=Pointer(3, 0))
    run(ask(memory(), WHO, who))
    first, second, _ = (one.prompt for one in who.model.asks)  # type: ignore[attr-defined]
    assert "first: Page 3, Page 0." in first
    assert "first: Page 0." in second


def test_pages_far_behind_the_best_are_not_told() -> None:
    hints = [Hint(3, 2.0), Hint(1, 0.5), Hint(0, 0.3), Hint(2, -1.0)]
    assert worth_telling(hints, 6) == (3, 1)
    assert worth_telling(hints, 1) == (3,)
    assert worth_telling(hints, 6, opened=(3,)) == (1,)
    assert worth_telling([Hint(0, 0.0), Hint(1, 0.0)], 6) == worth_telling([], 6) == ()


def long_memory(pages: int = 60) -> GistMemory:
    """Pages and gists of several sentences, too many for a small window."""
    mind = run(read_and_fit(prose(4 * pages), session(plan=SMALL)))
    gists = tuple(
        Gist(f"Gist {page.number} " + "of it all. So it went on and on, and so. " * 3, 33) for page in mind.pages
    )
    return replace(mind, gists=gists)


def test_where_gists_do_not_fit_hints_say_which_are_shown_whole_and_nothing_is_merged() -> None:
    mind = long_memory()
    who = replace(session(sensible, Plan(hints=True), window=2048), hinter=Pointer(40, 7))
    answer = run(ask(mind, WHO, who))
    first = who.model.asks[0]  # type: ignore[attr-defined]
    assert {one.step for one in who.model.asks} == {"look_up", "respond"}  # type: ignore[attr-defined]
    shown = first.material.memory
    assert len(shown.pages) == len(mind.pages)
    assert shown.gists[40] == mind.gists[40]
    assert shown.gists[7] == mind.gists[7]
    assert shown.gists[20].text.endswith("…")
    assert shown.gists[20].words == count_words(shown.gists[20].text) < mind.gists[20].words
    assert answer.pages


def test_where_not_even_the_beginnings_fit_pages_are_merged_and_hints_are_for_the_merged_ones() -> None:
    mind, pointer = long_memory(200), Pointer(3)
    who = replace(session(sensible, Plan(hints=True), window=1024), hinter=pointer)
    run(ask(mind, WHO, who))
    assert "merge" in {one.step for one in who.model.asks}  # type: ignore[attr-defined]
    assert len(pointer.asked[0][0].pages) > len(pointer.asked[-1][0].pages)
    assert all(who.window.fits(one.prompt) for one in who.model.asks)  # type: ignore[attr-defined]


def test_narrowing_keeps_as_many_gists_whole_as_fit() -> None:
    mind = long_memory(20)
    hints = [Hint(page, 1.0) for page in (3, 5, 8, 2)]
    for room in (2000, 3000, 9000):
        short = narrowed(mind, hints, lambda one, room=room: len(one.render()) <= room)  # type: ignore[misc]
        if short is not None:
            assert len(short.render()) <= room
            whole = [page for page in (3, 5, 8, 2) if short.gists[page] == mind.gists[page]]
            assert whole == [3, 5, 8, 2][: len(whole)]
    assert narrowed(mind, hints, lambda one: False) is None


TEXT = (
    "The scale stood in Brenza. It was Anselm Roth who read 1,994 on it, and Mira Orsin wrote the number down in 1959.",
    "The rain fell. The clerk, a man called Anselm Roth, said that The scale was right, and I'm told 14 people agreed.",
)


def written(*gists: str) -> GistMemory:
    pages, at = [], 0
    for number, text in enumerate(TEXT):
        pages.append(Page(number, at, at + len(text) + 2, count_words(text)))
        at += len(text) + 2
    document = Document.from_text("".join(f"{text}\n\n" for text in TEXT))
    return GistMemory(document, tuple(pages), tuple(Gist(text, count_words(text)) for text in gists), Plan())


def test_a_plan_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError):
        Plan(memory_words=-1)


def test_a_window_leaves_room_for_the_longest_prompt_around_a_memory() -> None:
    """320 tokens are kept for templates; hints, quotes and what may be missing must find room in them."""
    who = Session(session().model, session().prompts, Plan(nudge=True, by_importance=True), Window(2048))
    fill = who.prompts.fill
    around = fill("respond", memory="", question="", quotes=True, may_ask=True)
    hints = ", ".join(f"Page {n}00" for n in range(6))
    hinted = fill("look_up", memory="", question="", most=6, last=999, hints=hints, order=True, nudge=True)
    assert len(around) / 3.5 < 320
    assert len(hinted) / 3.5 < 320
