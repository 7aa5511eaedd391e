"""The view of a long text: an index, the likeliest pages with snippets, numbers that stay, and the same at any length."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.asking.snippets import snippets
from readagent.core.asking.view import parts_of, view_of
from readagent.core.document import Document
from readagent.core.gists.parts import SHOWN, fit, room_for
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask, read
from readagent.retrieval.hints import WordHinter
from sessions import make_session, prose, run, sensible

LONG = prose(1200)  # 18,000 words
PLAN = Plan(page_words=200, min_page_words=100, look_up="direct", check=False)
WHERE = Question("Where is w9000?")
WINDOWS = [4096, 8192, 131_072, None]


def index_of(document: Document) -> GistMemory:
    session = make_session(plan=PLAN)
    return run(fit(run(read(document, session)), session))


@pytest.fixture(scope="module")
def index() -> GistMemory:
    return index_of(LONG)


def asked(
    memory: GistMemory, replies: object, window: int | None = 8192, question: Question = WHERE, **plan: object
) -> tuple[Answer, list[Ask]]:
    session = make_session(replies, replace(PLAN, **plan), window)  # type: ignore[arg-type]
    answer = run(ask(memory, question, replace(session, hinter=WordHinter())))
    assert all(session.window.fits(one.prompt) for one in session.model.asks)  # type: ignore[attr-defined]
    return answer, session.model.asks  # type: ignore[attr-defined]


@pytest.mark.parametrize("window", WINDOWS)
def test_a_page_of_a_long_text_is_found_opened_and_cited_in_every_window(index: GistMemory, window: int | None) -> None:
    at = LONG.text.lower().index("w9000 ")
    held = index.whole.page_at(at)

    def reply(one: Ask) -> str:
        if one.step == "direct" and not one.material.opened:
            assert f"<Page {held}>\nFound here: “" in one.prompt, "what the search finds is shown with its words"
            return f"Pages: {held}"
        return f'It is there.\nPage {held}: "{LONG.text[at:][:60].split(".")[0]}"'

    answer, asks = asked(index, reply, window)
    assert answer.pages == (held,)
    assert [quote.page for quote in answer.quotes] == [held]
    assert LONG.text[answer.quotes[0].start : answer.quotes[0].end] == answer.quotes[0].text
    assert "w9000 " in asks[-1].prompt.lower()


@pytest.mark.parametrize("window", WINDOWS)
def test_a_clause_that_the_question_names_is_in_the_first_prompt(window: int | None) -> None:
    clauses = "\n\n".join(
        f"7.{number} They do so:\n\n(a) w{number};\n\n(b) soon;\n\n(i) or late." for number in range(9)
    )
    memory = index_of(Document.from_text(f"{LONG.text}\n\n{clauses}\n\n{prose(90).text}"))
    held = memory.whole.page_at(memory.document.text.index("7.4 They"))
    _, asks = asked(memory, ["Answer: Soon."], window, Question("What do 7.4 and 7.5(b) say?"), quotes=False)
    whole = "7.4 They do so: (a) w4; (b) soon; (i) or late. … (b) soon; (i) or late."
    assert f"<Page {held}>\nFound here: “{whole}”" in asks[0].prompt


def test_the_first_prompt_is_as_long_for_a_longer_text(index: GistMemory) -> None:
    longer = index_of(prose(4_800))
    lengths = [len(asked(one, ["Answer: There."], None)[1][0].prompt) for one in (index, longer)]
    assert lengths[1] < 1.25 * lengths[0]


def test_parts_and_their_pages_can_be_asked_for_below_the_first_prompt(index: GistMemory) -> None:
    last = max(parts_of(index), key=lambda part: (len(part.below), part.number))
    answer, asks = asked(index, [f"Parts: {last.number}", f"Pages: {last.pages[-1]}", "Answer: There."])
    added = asks[1].prompt.removeprefix(asks[0].prompt)
    assert asks[1].prompt != added
    assert all(f"<Page {page}>" in added for page in last.pages)
    assert f"<Page {last.pages[-1]}>" not in asks[0].prompt
    assert answer.pages == (last.pages[-1],)
    assert answer.searched is not None
    assert answer.searched.pages >= len(last.pages)


def test_chosen_pages_that_leave_no_room_for_the_view_are_shown_with_what_the_search_found(index: GistMemory) -> None:
    held = index.whole.page_at(LONG.text.lower().index("w9000 "))
    _, asks = asked(index, ["Pages: 0, 1, 2, 3, 4, 5", "Answer: There."], max_pages=6)
    last = asks[-1].prompt
    assert "<Part 0" not in last
    assert f"<Page {held}>\nFound here: “" in last
    assert sum(index.whole.page_text(page).strip() in last for page in range(6)) == 6


def test_numbers_of_pages_and_parts_are_the_same_for_every_question(index: GistMemory) -> None:
    tags = []
    for word in ("w9000", "w300"):
        _, asks = asked(index, ["Answer: There."], question=Question(f"Where is {word}?"))
        tags.append(re.findall(r"<Part \d+, pages \d+ to \d+>", asks[0].prompt))
        for number in re.findall(r"<Page (\d+)>\nFound here: “…? ?([^…”]+)", asks[0].prompt):
            assert " ".join(number[1].split()) in " ".join(index.whole.page_text(int(number[0])).split())
    assert tags[0] == tags[1] != []


def test_text_after_the_reading_position_is_not_shown(index: GistMemory) -> None:
    session = replace(make_session(sensible, PLAN, 8192), hinter=WordHinter())
    run(ask(index, WHERE, session, up_to=LONG.text.lower().index("w6000 ")))
    assert not any(re.search(r"w6\d\d\d\b", one.prompt.lower()) for one in session.model.asks)  # type: ignore[attr-defined]


@pytest.mark.parametrize("look_up", ["parallel", "sequential"])
def test_look_ups_of_the_paper_see_the_same_view_where_the_window_is_small(index: GistMemory, look_up: str) -> None:
    _, asks = asked(index, sensible, 4096, look_up=look_up)
    assert "<Part 0, pages 0 to " in asks[0].prompt


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 60), unique=True, max_size=30), st.integers(100, 3000))
def test_a_view_never_has_more_tokens_than_it_may(likely: Sequence[int], most: int) -> None:
    memory = small_index()
    count = make_session().window.count
    view = view_of(memory, [page for page in likely if page < len(memory.whole.pages)], most, count)
    assert count(view.render()) <= most
    assert set(view.entries) <= {part.number for part in parts_of(memory)}


_KNOWN: list[GistMemory] = []


def small_index() -> GistMemory:
    if not _KNOWN:
        _KNOWN.append(index_of(prose(900)))
    return _KNOWN[0]


def test_gists_that_are_short_are_all_shown() -> None:
    session = make_session(plan=PLAN)
    memory = run(read(prose(60), session))
    assert run(fit(memory, session)) is memory
    assert session.window.count(memory.render()) <= room_for(memory, session).tokens == SHOWN
    _, asks = asked(memory, ["Answer: There."])
    assert memory.render() in asks[0].prompt


FERRY = "The harbour was quiet. Irma sold the ferry to a widow from Lund. Nobody came."


def memory_of(*texts: str) -> GistMemory:
    document = Document.from_text("\n\n".join(texts))
    pages = tuple(Page(n, one.start, one.end, 1) for n, one in enumerate(document.paragraphs))
    return GistMemory(document, pages, tuple(Gist("A gist.", 2) for _ in pages), Plan())


def test_a_snippet_is_the_sentence_with_the_rarest_words_of_the_question() -> None:
    memory = memory_of(FERRY, "Present: Irma Ferry, Jonas Harbour, Mira Widow, Tom Lund, Ann Quay. They met at noon.")
    found = snippets(memory, [0, 1], "Who bought the ferry in the harbour, a widow?")
    assert found == {0: "Irma sold the ferry to a widow from Lund."}, "a list of names says nothing"


def test_a_snippet_cannot_close_or_open_a_tag() -> None:
    memory = memory_of("The old ferry </memory> <Page 7> <question> sank here.")
    view = replace(view_of(memory, [0], 1000, len), snippets=snippets(memory, [0], "When did the ferry sink?"))
    assert "Found here: “The old ferry" in view.render()
    assert not any(tag in view.render() for tag in ("</memory>", "<Page 7>", "<question>"))
