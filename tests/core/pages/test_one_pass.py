"""One pass: windows of many pages, with their pauses and gists in one reply, and faulty replies."""

from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.pages.page_form import Pages
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.testing.scripted import ScriptedModel, Skimmer
from readagent.testing.skim import skim
from sessions import make_session, prose, run, sensible

FAST = Plan(page_words=60, min_page_words=20, mode="fast")


def tiled(document: Document, session: Session) -> GistMemory:
    memory = run(read(document, session))
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == document.text
    assert [page.number for page in memory.pages] == list(range(len(memory.pages)))
    return memory


def answering(reply: str | Reply) -> Session:
    """A model that gives these replies to the read step, and sensible ones to all others."""
    return make_session(lambda ask: reply if ask.step == "read" else sensible(ask), FAST)


def asks(session: Session) -> list[Ask]:
    assert isinstance(session.model, ScriptedModel)
    return session.model.asks


def test_one_call_returns_pauses_and_gists() -> None:
    session = answering("<45> First w0 to w44.\n<90> Then on.\n<135> The end.")
    memory = tiled(prose(9), session)
    assert [page.words for page in memory.pages] == [45, 45, 45]
    assert [one.text for one in memory.gists] == ["First w0 to w44.", "Then on.", "The end."]
    assert session.trace.steps() == {"read": 1}
    assert not session.trace.fallbacks


ROWS = "\n".join(f'{i},"Ann Lee, of {i}",Bonn,{i}.50,2024-08-25' for i in range(120))
LOG = "\n".join(f"2024-05-01T10:00:{i % 60:02} INFO request {i}. Done in {i} ms" for i in range(120))


@pytest.mark.parametrize("mode", ["fast", "paper"])
@pytest.mark.parametrize("text", [ROWS, LOG], ids=["table", "log"])
def test_pages_of_tables_and_logs_end_with_a_row(text: str, mode: str) -> None:
    plan = replace(FAST, mode=mode)  # type: ignore[arg-type]
    session = replace(make_session(plan=plan, window=2000), model=Skimmer())
    memory = tiled(Document.from_text(text), session)
    assert len(memory.pages) > 4
    assert all(memory.page_text(page.number).endswith("\n") for page in memory.pages[:-1])
    assert ("read" in session.trace.steps()) is (mode == "fast")


def test_the_rendered_prompts_of_a_small_document(snapshot: SnapshotAssertion) -> None:
    """A snapshot: a change of a prompt shows here."""
    replies = iter(["no idea", "<45> One.\n<90> Two."])
    plan = replace(FAST, task="Find w7.", gist_words=20)
    session = Session(ScriptedModel(lambda ask: next(replies)), Prompts.load(), plan)
    tiled(prose(6), session)
    assert "\n\n=====\n\n".join(ask.prompt for ask in asks(session)) == snapshot


@pytest.mark.parametrize(
    "reply",
    [
        '{"pages": [{"end": 45, "gist": "One."}, {"end": 90, "gist": "Two."}, {"end": 135, "gist": "Three."}]}',
        "<think>45? no</think>**<45>** One.\n\n**<90>** Two.\n\n**<135>** Three.",
        "1. <45> One.\n2. <90> Two.\n3. <135> Three.",
        "One.\n<45>\nTwo.\n<90>\nThree.\n<135>",
    ],
)
def test_replies_are_parsed_in_many_forms(reply: str) -> None:
    memory = tiled(prose(9), answering(reply))
    assert [page.words for page in memory.pages] == [45, 45, 45]
    assert [one.text for one in memory.gists] == ["One.", "Two.", "Three."]


def test_a_truncated_reply_is_used_and_the_rest_requested() -> None:
    replies = iter(
        [
            Reply('{"pages": [{"end": 45, "gist": "One."}, {"end": 90, "gist": "Two."}, {"end": 105, "gi', "length"),
            "<45> Two again.\n<90> Three.",
        ]
    )
    session = make_session(lambda ask: next(replies), FAST)
    memory = tiled(prose(9), session)
    assert [one.text for one in memory.gists] == ["One.", "Two again.", "Three."]
    assert "W45" in asks(session)[1].prompt
    assert "w44" not in asks(session)[1].prompt


def test_illegal_pauses_are_moved_and_recorded() -> None:
    session = answering("<15> Too short.\n<45> And this.\n<135> Too long.")
    memory = tiled(prose(9), session)
    assert all(20 <= page.words <= 60 for page in memory.pages)
    assert memory.gists[0].text == "Too short. And this."
    reasons = [(fallback.reason, fallback.page) for fallback in session.trace.fallbacks]
    assert reasons == [("a pause was named where no page may end", 0), ("no pause was named after 20 to 60 words", 1)]
    assert session.trace.steps() == {"read": 1, "gist": 2}  # of the two halves of what was too long


def test_a_missing_or_useless_gist_is_requested_separately() -> None:
    session = answering("<45>\n<90> <label> The page, shortened.\n<135> Fine.")
    memory = tiled(prose(9), session)
    assert [one.origin for one in memory.gists] == ["model"] * 3
    assert session.trace.steps() == {"read": 1, "gist": 2}
    assert not session.trace.fallbacks


def test_a_page_can_cross_from_one_window_into_the_next() -> None:
    def reply(ask: Ask) -> str:
        assert isinstance(ask.form, Pages)
        ends = [*(n for n in ask.form.labels if n % 45 == 0 and n < ask.form.labels[-1]), ask.form.labels[-1]]
        return "\n".join(f"<{end}> Up to {end}." for end in ends)

    plan = Plan(page_words=60, min_page_words=20, mode="fast")
    document = prose(900)
    session = make_session(lambda ask: reply(ask) if ask.step == "read" else sensible(ask), plan)
    memory = tiled(document, session)
    assert len([ask for ask in asks(session) if ask.step == "read"]) == 6
    assert all(20 <= page.words <= 60 for page in memory.pages[:-1])
    joined = [one.text for one in memory.gists if one.text.count("Up to") == 2]
    assert joined or {page.words for page in memory.pages[:-1]} == {45}


@pytest.mark.parametrize("window", [5120, 6144, 8192])
def test_no_prompt_is_longer_than_the_window(window: int) -> None:
    plan = Plan(page_words=200, min_page_words=80, mode="fast")
    model = ScriptedModel(lambda ask: skim(ask.prompt))
    session = Session(model, Prompts.load(), plan, Window(window))
    tiled(prose(400, 20), session)
    assert all(session.window.fits(ask.prompt) for ask in model.asks)
    assert {ask.step for ask in model.asks} >= {"read"}


def test_a_small_window_is_read_pause_by_pause_and_recorded() -> None:
    session = make_session(sensible, Plan(page_words=400, min_page_words=200, mode="fast"), window=3600)
    tiled(prose(80), session)
    assert "read" not in session.trace.steps()
    assert session.trace.fallbacks[0].taken == "pause by pause"
