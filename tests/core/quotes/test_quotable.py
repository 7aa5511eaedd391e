"""Quotes: what is in a text is found at its place, and what is not is never found."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from readagent.core.quotes.quotable import LEAST_WORDS, Quotable

TEXT = (
    "He said: “It’s the   ﬁrst time,\nI think,” and went—slowly—to the har-\nbour. Nothing else was there.\n\n"
    "The *last* of it all -- a re\u0301sume\u0301, perhaps."
)


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("It’s the   ﬁrst time", "It’s the   ﬁrst time"),
        ('"It\'s the first time, I think," and went', "It’s the   ﬁrst time,\nI think,” and went"),
        ("went - slowly - to the harbour", "went—slowly—to the har-\nbour"),
        ("He said it's the first time", "He said: “It’s the   ﬁrst time"),
        ("he said: it's the finest", None),
        ("was there. The last of it", "was there.\n\nThe *last* of it"),
        ("it all—a résumé", "it all -- a re\u0301sume\u0301"),
        ("it all—a resume", None),
        ("nothing was there else", None),
        ("It is the first time", None),
        ("there nothing else was", None),
        ("othing else was there", None),
        ("", None),
        ("... … ...", None),
    ],
)
def test_only_white_space_and_marks_may_differ(quote: str, stands: str | None) -> None:
    found = Quotable(TEXT).locate(quote)
    assert (found and TEXT[found.start : found.end]) == stands


def test_only_the_given_range_is_searched() -> None:
    text = "Ann sold three boats. " * 3
    assert Quotable(text).find("Ann sold three", 5) is not None
    found = Quotable(text).find("Ann sold three", 5, 43)
    assert found is not None
    assert found.start == 22
    assert Quotable(text).find("Ann sold three", 5, 30) is None


def test_a_quote_is_found_wherever_it_is_in_a_long_text() -> None:
    """The text is searched in blocks; a quote may begin or end in any of them, and be broken at a line end."""
    for before in range(350, 450, 7):
        text = f"{'x' * (before % 60)} {'pine and oak ' * 30}{' ' * (before % 13)}The cap-\ntain’s café[12] sold “cider”. {'elm ' * 99}"
        found = Quotable(text).find("the captain's cafe\u0301 sold 'cider'")
        assert found is not None
        assert text[found.start : found.end] == "The cap-\ntain’s café[12] sold “cider"


def test_an_exact_quote_is_preferred_and_may_end_in_a_mark() -> None:
    text = "Ann sold the boat; to Ben. Ann sold the boat, to Ben. Nobody cared."
    found = Quotable(text).find("Ann sold the boat, to Ben.")
    assert found is not None
    assert found.exact
    assert text[found.start : found.end] == "Ann sold the boat, to Ben."


WORDS = st.lists(
    st.sampled_from("ash birch cedar elm fir hazel larch oak pine willow".split()), min_size=8, max_size=60
)


@given(WORDS, st.data())
def test_every_passage_is_found_with_any_white_space(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - LEAST_WORDS))
    end = data.draw(st.integers(start + LEAST_WORDS, len(words)))
    gaps = data.draw(
        st.lists(st.sampled_from([" ", "  ", "\n", " \u200b", "\u00a0"]), min_size=len(words), max_size=len(words))
    )
    quote = "".join(word + gap for word, gap in zip(words[start:end], gaps, strict=False)).strip()
    found = Quotable(text).locate(quote)
    assert found is not None
    assert text[found.start : found.end].split() == words[start:end]


@given(WORDS, st.data())
def test_a_planted_false_quote_is_never_found(words: list[str], data: st.DataObject) -> None:
    """One word is changed, left out or added, so that the sequence of words is not in the text."""
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - LEAST_WORDS - 1))
    quote = words[start : data.draw(st.integers(start + LEAST_WORDS + 1, len(words)))]
    at = data.draw(st.integers(1, len(quote) - 2))
    match data.draw(st.sampled_from(["change", "leave out", "put in"])):
        case "change":
            quote = [*quote[:at], "walnut", *quote[at + 1 :]]
        case "leave out":
            quote = [*quote[:at], *quote[at + 1 :]]
        case _:
            quote = [*quote[:at], "oak", *quote[at:]]
    said = " ".join(quote)
    assume(not re.search(rf"\b{said}\b", text))
    assert Quotable(text).locate(said) is None
    assert Quotable(text).locate(f'"{said.capitalize()}."') is None


@given(st.text(alphabet="ab1 .,-'\n[]2*²½ßé\u0301は。ไม", max_size=60), st.text(alphabet="ab1 .,-'²…は", max_size=30))
def test_any_text_and_quote_can_be_handled(text: str, quote: str) -> None:
    found = Quotable(text).find(quote)
    assert found is None or 0 <= found.start < found.end <= len(text)
