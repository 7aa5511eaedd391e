"""Context control: no prompt exceeds the window, and a memory too long is merged until it fits."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.model import Ask
from readagent.core.plan import PRESETS
from readagent.core.reading import read
from readagent.core.window import Window, parts
from readagent.core.words import estimate_tokens
from readagent.errors import ContextOverflowError, UsageError
from sessions import EXAMPLES, SMALL, prose, read_and_fit, run, sensible, session

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))


def chatty(verdict: str) -> object:
    return lambda ask: verdict if ask.step == "merge" else sensible(ask)


def test_a_memory_that_fits_is_left_alone() -> None:
    who = session(plan=PRESETS["articles"], window=8192)
    mind = run(read_and_fit(STORY, who))
    assert "merge" not in who.trace.steps()
    assert mind.window is None


@pytest.mark.parametrize("verdict", ["no", "not sure", "yes", "garbage"])
def test_a_memory_too_long_is_merged_until_it_fits(verdict: str) -> None:
    who = session(chatty(verdict), SMALL, window=1024)  # type: ignore[arg-type]
    whole = run(read(STORY, who))
    merged = run(fit(whole, who))
    assert len(merged.pages) < len(whole.pages)
    assert estimate_tokens(merged.render()) < 768
    assert "".join(map(merged.page_text, range(len(merged.pages)))) == STORY.text
    assert [page.number for page in merged.pages] == list(range(len(merged.pages)))
    assert merged.window == 1024
    assert merged.key != whole.key
    assert all(who.window.fits(ask.prompt) for ask in who.model.asks)  # type: ignore[attr-defined]


def test_pages_that_begin_a_section_are_kept_apart_where_possible() -> None:
    document = prose(120)

    def sections(ask: Ask) -> str:
        if ask.step == "merge":
            return "yes" if "w300" in ask.material.passages[1].split()[0].lower() else "no"
        return sensible(ask)

    who = session(sections, SMALL, window=1024)
    whole = run(read(document, who))
    merged = run(fit(whole, who))
    assert len(merged.pages) < len(whole.pages)
    borders = {page.start for page in merged.pages}
    begins = [page.start for page in whole.pages if document.text[page.start :].lower().startswith("w300")]
    assert set(begins) <= borders


@pytest.mark.parametrize("verdict", ["not sure", "I am not sure.", "garbage"])
def test_pages_are_merged_where_the_model_does_not_say_that_a_section_begins(verdict: str) -> None:
    def merged(otherwise: str) -> list[int]:
        who = session(
            lambda ask: chapters(ask, otherwise) if ask.step == "merge" else sensible(ask), SMALL, window=1024
        )
        return [page.start for page in run(fit(run(read(document, who)), who)).pages]

    def chapters(ask: Ask, otherwise: str) -> str:
        return "yes" if "w300" in ask.material.passages[1].split()[0].lower() else otherwise

    document = prose(120)
    assert merged(verdict) == merged("no") != merged("yes")


def test_merged_pages_are_gisted_again_from_their_raw_text() -> None:
    who = session(plan=SMALL, window=1024)
    run(read_and_fit(STORY, who))
    merging = [ask for ask in who.model.asks if ask.step == "gist" and "at most" in ask.prompt]  # type: ignore[attr-defined]
    assert merging
    assert merging[0].material.passages[0] in STORY.text


def test_a_window_too_small_for_one_page_is_refused_with_what_would_fit() -> None:
    with pytest.raises(UsageError, match="cannot take a page of 3000 words") as error:
        run(read_and_fit(STORY, session(plan=PRESETS["books"], window=2048)))
    assert "at most" in error.value.hint
    with pytest.raises(UsageError, match="too small"):
        Window(100)


def test_a_window_is_learnt_from_an_overflow_and_always_gets_smaller() -> None:
    window = Window().learnt(ContextOverflowError("", asked=9000))
    assert window.tokens == 6750
    window = window.learnt(ContextOverflowError("", window=4096, asked=5000))
    assert window.tokens == 4096
    window = window.learnt(ContextOverflowError("", window=4096, asked=4000))
    assert window.tokens == 3000
    with pytest.raises(ContextOverflowError):
        Window(600).learnt(ContextOverflowError("", asked=4000))


@pytest.mark.parametrize("text", [STORY.text, "word " * 5000, "x" * 20000, "一" * 5000])
def test_parts_tile_a_text_and_fit(text: str) -> None:
    pieces = list(parts(text, 400))
    assert "".join(pieces) == text
    assert all(estimate_tokens(piece) <= 400 for piece in pieces)
