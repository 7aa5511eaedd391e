"""A memory too long for the window is merged until it fits, and no prompt exceeds the window."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask
from readagent.core.plan import PRESETS, Plan
from readagent.core.reading import read
from readagent.core.tokens import estimate_tokens
from sessions import EXAMPLES, SMALL, make_session, prose, read_and_fit, run, sensible

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))


def chatty(verdict: str) -> object:
    return lambda ask: verdict if ask.step == "merge" else sensible(ask)


def test_a_memory_that_fits_is_not_merged() -> None:
    session = make_session(plan=PRESETS["articles"], window=8192)
    memory = run(read_and_fit(STORY, session))
    assert "merge" not in session.trace.steps()
    assert memory.window is None


@pytest.mark.parametrize("verdict", ["no", "not sure", "yes", "garbage"])
def test_a_memory_too_long_is_merged_until_it_fits(verdict: str) -> None:
    session = make_session(chatty(verdict), SMALL, window=1024)  # type: ignore[arg-type]
    whole = run(read(STORY, session))
    merged = run(fit(whole, session))
    assert len(merged.pages) < len(whole.pages)
    assert estimate_tokens(merged.render()) < 768
    assert "".join(map(merged.page_text, range(len(merged.pages)))) == STORY.text
    assert [page.number for page in merged.pages] == list(range(len(merged.pages)))
    assert merged.window == 1024
    assert merged.key != whole.key
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]


def test_pages_that_begin_a_section_are_kept_apart_where_possible() -> None:
    document = prose(120)

    def sections(ask: Ask) -> str:
        if ask.step == "merge":
            return "yes" if "w300" in ask.material.passages[1].split()[0].lower() else "no"
        return sensible(ask)

    session = make_session(sections, SMALL, window=1024)
    whole = run(read(document, session))
    merged = run(fit(whole, session))
    assert len(merged.pages) < len(whole.pages)
    borders = {page.start for page in merged.pages}
    begins = [page.start for page in whole.pages if document.text[page.start :].lower().startswith("w300")]
    assert set(begins) <= borders


def test_merged_pages_are_gisted_again_from_their_raw_text() -> None:
    session = make_session(plan=SMALL, window=1024)
    run(read_and_fit(STORY, session))
    merging = [ask for ask in session.model.asks if ask.step == "gist" and "at most" in ask.prompt]  # type: ignore[attr-defined]
    assert merging
    assert merging[0].material.passages[0] in STORY.text


@pytest.mark.parametrize(
    ("verdict", "merged"), [("not sure", (2, 3)), ("no", (2, 3)), ("garbage", (2, 3)), ("yes", (0, 1))]
)
def test_pages_are_merged_unless_the_model_is_sure_that_a_section_begins(verdict: str, merged: tuple[int, int]) -> None:
    """The verdict is about the last page; all others begin sections. If every page does, the first two are merged."""
    document = prose(4, 40)
    pages = tuple(Page(n, one.start, one.end, 40) for n, one in enumerate(document.paragraphs))
    gists = tuple(Gist(" ".join(document.text[page.start : page.end].split()[:20]), 20) for page in pages)
    memory = GistMemory(document, pages, gists, SMALL)

    def sections(ask: Ask) -> str:
        last = ask.step == "merge" and ask.material.passages[1].startswith("W120 ")
        return sensible(ask) if ask.step != "merge" else verdict if last else "yes"

    fitted = run(fit(memory, make_session(sections, Plan(memory_words=70))))
    first, last = merged
    assert [(page.start, page.end) for page in fitted.pages if page.words == 80] == [
        (pages[first].start, pages[last].end)
    ]
    assert len(fitted.pages) == 3


def test_pages_with_a_gist_by_the_user_are_merged_last() -> None:
    document = prose(4, 40)
    pages = tuple(Page(n, one.start, one.end, 40) for n, one in enumerate(document.paragraphs))
    texts = [" ".join(document.text[page.start : page.end].split()[:20]) for page in pages]
    gists = tuple(Gist(text, 20, "user" if number < 2 else "model") for number, text in enumerate(texts))
    no = make_session(lambda ask: "no" if ask.step == "merge" else sensible(ask), Plan(memory_words=70))
    fitted = run(fit(GistMemory(document, pages, gists, SMALL), no))
    assert [(page.start, page.end) for page in fitted.pages if page.words == 80] == [(pages[2].start, pages[3].end)]
    assert [gist.origin for gist in fitted.gists[:2]] == ["user", "user"]
