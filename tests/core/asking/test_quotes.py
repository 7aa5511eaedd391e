"""Quotes: what is in a text is found at its place, and what is not is never found."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from readagent.core.asking.quotes import LEAST_WORDS, Quotable

TEXT = (
    "He said: “It’s the   ﬁrst time,\nI think,” and went—slowly—to the har-\nbour. Nothing else was there.\n\n"
    "The *last* of it all -- a re\u0301sume\u0301, perhaps."
)


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("It’s the   ﬁrst time", "It’s the   ﬁrst time"),
        ("\"It's the first time, I think,\" and went", "It’s the   ﬁrst time,\nI think,” and went"),
        ("went - slowly - to the harbour", "went—slowly—to the har-\nbour"),
        ("he said: it's the first", None),
        ("He said... nothing else was there", "He said: “It’s the   ﬁrst time,\nI think,” and went—slowly—to the har-\nbour. Nothing else was there"),
        ("nothing else […] a résumé", "Nothing else was there.\n\nThe *last* of it all -- a re\u0301sume\u0301"),
        ("was there. The last of it", "was there.\n\nThe *last* of it"),
        ("it all—a résumé", "it all -- a re\u0301sume\u0301"),
        ("nothing was there else", None),
        ("It is the first time", None),
        ("there nothing else was", None),
        ("nothing else ... he said", None),
        ("othing else was there", None),
        ("Nothing else", None),
        ("", None),
        ("... … ...", None),
    ],
)  # fmt: skip
def test_only_white_space_and_marks_may_differ(quote: str, stands: str | None) -> None:
    found = Quotable(TEXT).find(quote)
    assert (found and TEXT[found.start : found.end]) == stands


def test_only_the_given_range_is_searched() -> None:
    text = "one two three four. " * 3
    assert Quotable(text).find("one two three", 5) is not None
    found = Quotable(text).find("one two three", 5, 39)
    assert found is not None
    assert found.start == 20
    assert Quotable(text).find("one two three", 5, 30) is None


@pytest.mark.parametrize("far", [1900, 2100])
@pytest.mark.parametrize("mark", ["...", "…", "[...]", "(…)", ". . ."])
def test_an_ellipsis_stands_for_two_thousand_characters_at_most(far: int, mark: str) -> None:
    text = f"the first words {'x' * far} the last words"
    found = Quotable(text).find(f"the first words {mark} the last words")
    assert (found and (found.start, found.end)) == ((0, len(text)) if far < 2000 else None)


def test_each_ellipsis_reaches_on_from_the_words_before_it() -> None:
    gap = "x" * 1500
    text = f"one two {gap} three four {gap} five six"
    assert Quotable(text).find("one two ... three four ... five six") is not None
    assert Quotable(text).find("one two ... five six") is None
    again = f"one two {gap} {gap} one two {gap} five six"
    found = Quotable(again).find("one two ... five six")
    assert found is not None
    assert found.start == again.rindex("one two")


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
    found = Quotable(text).find(quote)
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
    assert Quotable(text).find(said) is None
    assert Quotable(text).find(f'"{said.capitalize()}."') is None
