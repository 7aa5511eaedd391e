"""In one pass sections share windows: no page crosses a section, and the text is sent about once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Span
from readagent.core.model import Ask
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.page_form import Pages
from readagent.core.pages.windows import Room, cut_windows
from readagent.core.plan import Plan, preset
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.core.words import Paragraph
from sessions import EXAMPLES, Counting, make_session, run, sensible

FAST = Plan(page_words=60, min_page_words=20, mode="fast")


def chapters(lengths: list[int], paragraph: int = 12, words_from: Iterator[str] | None = None) -> Document:
    """Return chapters of these lengths in words, with a title each, in paragraphs of one sentence."""
    pieces: list[str] = []
    found: list[Paragraph] = []
    at = 0
    for number, length in enumerate(lengths):
        words = [f"c{number}w{i}" if words_from is None else next(words_from) for i in range(length)]
        some = [f"Chapter {number}", *(" ".join(words[i : i + paragraph]) + "." for i in range(0, length, paragraph))]
        for i, one in enumerate(some):
            pieces.append(one + "\n\n")
            found.append(Paragraph(len(found), at, at + len(one) + 2, 0 if i else 1))
            at += len(one) + 2
    return Document("".join(pieces), tuple(found))


def skimmed(document: Document, plan: Plan, window: int | None = None) -> tuple[GistMemory, Counting]:
    model = Counting()
    memory = run(read(document, Session(model, Prompts.load(), plan, Window(window))))
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == document.text
    return memory, model


def no_page_crosses_a_section(memory: GistMemory, plan: Plan) -> None:
    ends = {page.end for page in memory.pages}
    assert set(PageBreaks(memory.document, plan).sections) <= ends


def test_several_sections_are_read_in_one_call() -> None:
    memory, model = skimmed(chapters([30, 50, 160, 40]), FAST)
    assert [ask.step for ask in model.asks] == ["read"]
    assert not memory.trace.fallbacks
    assert [one.origin for one in memory.gists] == ["model"] * len(memory.pages)
    no_page_crosses_a_section(memory, FAST)
    starts = [memory.page_text(page.number)[:9] for page in memory.pages]
    assert [start for start in starts if start.startswith("Chapter")] == [f"Chapter {i}" for i in range(4)]


def test_the_prompt_names_where_sections_end_and_has_no_other_labels_in_those_of_one_page() -> None:
    _, model = skimmed(chapters([30, 50, 40]), FAST)
    (ask,) = model.asks
    assert ask.form == Pages((32, 84, 126), 20, 60, (32, 84))
    assert "pages also end at <32>, <84>." in ask.prompt
    assert re.findall(r"^<(\d+)>$", ask.prompt, re.M) == ["32", "84", "126"]


def test_a_page_across_a_section_is_cut_there_and_recorded() -> None:
    def across(ask: Ask) -> str:
        return "<84> C0w1 c0w2 c1w3 c1w4 and on.\n<126> C2w1 c2w2 and so." if ask.step == "read" else sensible(ask)

    session = make_session(across, FAST)
    memory = run(read(chapters([30, 50, 40]), session))
    no_page_crosses_a_section(memory, FAST)
    assert [fallback.reason for fallback in session.trace.fallbacks] == ["no pause was named where a section ends"]
    assert session.trace.steps() == {"read": 1, "gist": 2}  # of the two sections that it told as one page


def test_a_pinned_page_is_not_sent_again() -> None:
    document = chapters([30, 50, 40])
    span: Span = document.text.index("Chapter 1"), document.text.index("Chapter 2")
    model = Counting()
    memory = run(read(document, Session(model, Prompts.load(), FAST), {span: Gist("As I tell it.", 4, "user")}))
    assert [one.text for one in memory.gists][1] == "As I tell it."
    assert not any("c1w5" in ask.prompt for ask in model.asks)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=10), st.integers(80, 300))
def test_windows_tile_the_text_and_leave_enough_for_a_page_on_both_sides(lengths: list[int], aim: int) -> None:
    text, room = PageBreaks(chapters(lengths, 5), FAST), Room(aim, round(1.2 * aim))
    windows = cut_windows(text, 0, len(text.document.text), room)
    assert [0, *(end for _, end in windows)] == [*(start for start, _ in windows), len(text.document.text)]
    assert all(text.index.count(*window) <= room.most for window in windows)
    assert len(windows) <= 1 + 2 * len(text.index) // aim
    for cut in {start for start, _ in windows[1:]} - set(text.sections):
        before = max([0, *(end for end in text.sections if end < cut)])
        assert text.index.count(before, cut) >= FAST.min_page_words
        assert text.index.count(cut, text.section_end(cut)) >= FAST.min_page_words


def test_pages_of_3000_words_are_read_in_one_pass_in_8k() -> None:
    words = (EXAMPLES / "story.txt").read_text("utf-8")
    memory, model = skimmed(Document.from_text(words), replace(preset("books"), mode="fast"), 8192)
    assert {ask.step for ask in model.asks} == {"read"}
    assert memory.trace.words_read < 1.15 * memory.document.words
    assert not memory.trace.fallbacks
