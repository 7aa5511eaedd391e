"""The mode `auto`: the first window shows whether a model can read in one pass; if not, two steps read the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from one_pass_readers import able, unable
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.pages.page_form import Pages
from readagent.core.plan import Plan
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.errors import ServerFaultError
from readagent.testing.scripted import ScriptedModel
from sessions import make_session, prose, run, sensible

AUTO = Plan(page_words=60, min_page_words=20, mode="auto")
LONG = prose(280)  # 4,200 words: two windows
SHORT = prose(9)  # 135 words: one window
TWO_STEPS = "two steps: where each page ends, then its gist"
Answer = Callable[[Ask], str | Reply | Exception]


def session_of(answer: Answer, plan: Plan = AUTO, window: int | None = None) -> Session:
    return make_session(answer, plan, window)


def tiled(document: Document, session: Session) -> GistMemory:
    memory = run(read(document, session))
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == document.text
    assert all(20 <= page.words <= 60 for page in memory.pages[:-1])
    assert all(gist.origin in ("model", "verbatim") for gist in memory.gists)
    return memory


def asked(session: Session) -> list[str]:
    assert isinstance(session.model, ScriptedModel)
    return [ask.step for ask in session.model.asks]


def in_mode(mode: str, answer: Answer, document: Document) -> tuple[GistMemory, Session]:
    session = session_of(answer, replace(AUTO, mode=mode))  # type: ignore[arg-type]
    return tiled(document, session), session


@pytest.mark.parametrize("document", [SHORT, LONG], ids=["one window", "several"])
def test_a_model_that_can_reads_in_one_pass_for_the_words_of_one_pass(document: Document) -> None:
    session = session_of(able)
    memory = tiled(document, session)
    fast, other = in_mode("fast", able, document)
    assert memory.plan.mode == "fast"
    assert (memory.pages, memory.gists) == (fast.pages, fast.gists)
    assert session.trace.words_read == other.trace.words_read
    assert sorted(asked(session)) == sorted(asked(other))
    assert not session.trace.fallbacks


def test_a_model_that_cannot_reads_in_two_steps_for_one_window_more() -> None:
    session = session_of(unable)
    memory = tiled(LONG, session)
    paper, other = in_mode("paper", unable, LONG)
    assert memory.plan.mode == "paper"
    assert (memory.pages, memory.gists) == (paper.pages, paper.gists)
    steps = asked(session)
    assert steps[:2] == ["read", "read"]  # the second is the reminder
    assert "read" not in steps[2:]
    assert session.trace.words_read - other.trace.words_read == sum(
        call.prompt_words for call in session.trace.calls if call.step == "read"
    )
    assert session.trace.fallbacks == [Fallback("mode", "it named no page", TWO_STEPS)]


def failing_after(first: int, answer: Answer = unable) -> Answer:
    """Return a model that reads in one pass so many times, and then no more."""
    seen: list[str] = []

    def reply(ask: Ask) -> str | Reply | Exception:
        if ask.step == "read":
            seen.append(ask.prompt)
        return able(ask) if len(seen) <= first else answer(ask)

    return reply


def test_a_model_that_fails_later_gets_even_pages_there_and_two_steps_for_the_next_text() -> None:
    session = session_of(failing_after(1))
    memory = tiled(prose(560), session)
    assert memory.plan.mode == "fast"
    assert [(one.step, one.taken) for one in session.trace.fallbacks] == [
        ("read", "pages of even length, and each gist requested separately")
    ] * 3
    again = tiled(prose(40), session)
    assert again.plan.mode == "paper"


GERMAN = "Die Fähre kam zu spät, und niemand hat sich darüber gewundert, denn das war immer so."
ENGLISH = Document.from_text(
    "\n\n".join(
        f"The ferry of day {day} was late again, and nobody on the island wondered why it was late that day."
        for day in range(300)
    )
)


def in_german(ask: Ask) -> str:
    if not isinstance(ask.form, Pages):
        return sensible(ask)
    return "\n".join(f"<{label}> {GERMAN}" for label in ask.form.labels if label % 57 == 0)


def one_long_page(ask: Ask) -> str:
    return f"<{ask.form.labels[-1]}> The ferry was late." if isinstance(ask.form, Pages) else sensible(ask)


@pytest.mark.parametrize("answer", [in_german, one_long_page])
def test_pages_that_cannot_be_used_are_no_pages(answer: Answer) -> None:
    session = session_of(answer, replace(AUTO, page_words=100, min_page_words=40))
    memory = run(read(ENGLISH, session))
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == ENGLISH.text
    assert memory.plan.mode == "paper"
    (fallback,) = [one for one in session.trace.fallbacks if one.step == "mode"]
    assert fallback.reason.endswith("words were on pages that can be used")
    assert not any(GERMAN[:20] in gist.text for gist in memory.gists)


TALES = [
    "The miller of Oldbrook sold the grain that the baker had paid for, and when the baker came with his cart the miller"
    " hid under the wheel until evening and swore that thieves had been there.",
    "Captain Ferris sailed the brig Swallow into the harbour of Lisbon with a torn mainsail, and her crew drank Madeira"
    " for a week while the carpenter looked for canvas.",
    "Professor Quill dissolved the yellow powder in vinegar, wrote the colour of the vapour into her notebook, and"
    " opened the laboratory windows before the students began to cough.",
    "Grandmother Ilse planted twelve cherry trees along the railway embankment, and the stationmaster watered them each"
    " morning because he had once broken her fence.",
    "The lawyer Benedek found the missing testament in a violin case, between two concert programmes, and read it aloud"
    " to the quarrelling cousins in the parlour.",
    "At the glacier the mountaineers lost their compass, followed a raven to the shepherd's hut, and paid for the"
    " mutton with a silver watch.",
]
STORY = Document.from_text("\n\n".join(f"{tale} {tale.upper()}" for tale in TALES * 3))


def one_page_late(ask: Ask) -> str:
    """Give every page the gist of the one before it."""
    if not isinstance(ask.form, Pages):
        return sensible(ask)
    words = " ".join(ask.material.passages).split()
    ends = [label for at, label in enumerate(ask.form.labels) if at % 2]
    starts = [0, 0, *ends]
    return "\n".join(f"<{end}> {' '.join(words[start : start + 20])}" for start, end in zip(starts, ends, strict=False))


def test_a_model_that_gives_gists_one_page_late_reads_in_two_steps() -> None:
    session = session_of(one_page_late, replace(AUTO, page_words=100, min_page_words=40))
    memory = run(read(STORY, session))
    assert asked(session)[:2] == ["read", "read"]
    assert memory.plan.mode == "paper"
    (fallback,) = [one for one in session.trace.fallbacks if one.step == "mode"]
    assert fallback.reason == "most of its shortened pages were about other pages"
    assert session.modes.found == "paper"


@pytest.mark.parametrize("failure", [Reply("", "filtered"), Reply("", "refused"), ServerFaultError("HTTP 500")])
def test_a_refused_window_says_nothing_about_other_texts(failure: Reply | Exception) -> None:
    answer = failing_after(0, lambda ask: failure if ask.step == "read" and "w301 " in ask.prompt else able(ask))
    session = session_of(answer)
    assert tiled(prose(40), session).plan.mode == "paper"
    assert session.modes.found is None
    assert tiled(SHORT, session).plan.mode == "fast"


@pytest.mark.parametrize("change", [{"show_previous": True}, {"pauses": "uniform"}])
def test_what_one_pass_does_not_have_is_read_in_two_steps(change: dict[str, object]) -> None:
    session = session_of(able, replace(AUTO, **change))  # type: ignore[arg-type]
    memory = run(read(LONG, session))
    assert memory.plan.mode == "paper"
    assert "read" not in asked(session)
    assert not session.trace.fallbacks
