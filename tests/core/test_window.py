"""Windows: the smallest one, the window after an overflow, and texts cut to fit."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.core.plan import PRESETS
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window, parts
from readagent.errors import ContextOverflowError, UsageError
from sessions import EXAMPLES, make_session, read_and_fit, run

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))


def test_a_window_too_small_for_one_page_is_refused_with_what_would_fit() -> None:
    with pytest.raises(UsageError, match="cannot take a page of 3000 words") as error:
        run(read_and_fit(STORY, make_session(plan=PRESETS["books"], window=2048)))
    assert "at most" in error.value.hint
    with pytest.raises(UsageError, match="too small"):
        Window(100)


@pytest.mark.parametrize("refused", [8300, 9000, 11_000])
def test_a_window_that_a_server_does_not_name_does_not_depend_on_which_prompt_was_refused(refused: int) -> None:
    learnt = Window().after_overflow(ContextOverflowError("", asked=refused, accepted=5000))
    assert learnt.tokens == 8192
    assert learnt.after_overflow(ContextOverflowError("", asked=refused)).tokens == 6144


def test_an_overflow_always_makes_the_window_smaller() -> None:
    window = Window().after_overflow(ContextOverflowError("", asked=9000))
    assert window.tokens == 8192
    window = window.after_overflow(ContextOverflowError("", window=4096, asked=5000))
    assert window.tokens == 4096
    window = window.after_overflow(ContextOverflowError("", window=4096, asked=4000))
    assert window.tokens == 3072
    with pytest.raises(ContextOverflowError):
        Window(512).after_overflow(ContextOverflowError("", asked=4000))


@pytest.mark.parametrize("text", [STORY.text, "word " * 5000, "x" * 20000, "一" * 5000])
def test_parts_tile_a_text_and_fit(text: str) -> None:
    pieces = list(parts(text, 400, estimate_tokens))
    assert "".join(pieces) == text
    assert all(estimate_tokens(piece) <= 400 for piece in pieces)
