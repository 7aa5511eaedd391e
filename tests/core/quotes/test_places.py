"""Quotes are found by their words and numbers, whatever is between them; a changed word or number is not."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

CHANGED = [
    ("He promised $1,500 for each family.", "500 for each family"),
    ("They are 3.5 million people.", "5 million people"),
    ("The boat holds 5–10 sailors of the fleet.", "10 sailors of the fleet"),
    ("It was -5 degrees in Leeds.", "5 degrees in Leeds"),
    ("It was −5 degrees in Leeds that day.", "It was 5 degrees in Leeds that day"),
    ("The area is 10² metres wide.", "The area is 102 metres wide"),
    ("He pays 3½ dollars to each man.", "He pays 31/2 dollars to each man"),
    ("The rent rose by 1.5 points in Leeds.", "The rent rose by 1,5 points in Leeds"),
    ("On page 6, 500 copies were printed.", "On page 6,500 copies were printed"),
    ("Henry VIII married Anne in London.", "Henry VII married Anne in London"),
    ("Run pip install -U readagent here.", "Run pip install -u readagent here"),
    ("Nov 18 host sshd[244]: session opened", "Nov 18 host sshd[245]: session opened"),
    ("Nov 18 host sshd[244]: session opened", "sshd[24]: session opened"),
    ("She owns a café in the old town.", "She owns a cafe"),
    ("Ann sold the boat to Ben.", "Ann sold [12] boat to Ben"),
]
SAME = [
    ("Ann was born in 1920 in Leeds.", "Ann was born in 1920"),
    ("彼は東京で生まれた。", "彼は東京で生まれた"),
    ("Её отец ещё жил в Москве.", "Ее отец еще жил в Москве"),
    ("There were twenty-\nfive men in the boat.", "There were twentyfive men in the boat"),
    ("Ann, who was old, went home alone.", "Ann who was old, went home alone"),
    ("He had 5 % of the shares in March.", "He had 5% of the shares"),
    ("The treaty[3] was signed in Paris¹ and kept.", "The treaty was signed in Paris and kept"),
    ("The treaty[3] was signed in Paris.", "The treaty[3] was signed"),
    ("Nov 18 host sshd[244]: session opened", "sshd[244]: session opened"),
    ("Run pip install -U readagent here.", "pip install -U readagent"),
    ("- 5 apples were sold to Ben\n- 7 pears", "5 apples were sold to Ben"),
    ("He paid 1 500 euros to the widow.", "He paid 1\u202f500 euros to the widow"),
    ("He paid the family -and Ann too- in gold.", "He paid the family — and Ann too — in gold"),
    ("The *very* old **family house** burned.", "The very old family house burned"),
    ("Ann (born in Leeds) sold the boat.", "Ann, born in Leeds, sold the boat"),
    ("The captain of the old ship sold all his salt.", "... of the old ship sold all …"),
    ("The captain of the old ship sold all his salt.", "[T]he captain of the old ship"),
    ("The captain of the old ship sold all his salt.", "The captain [Ann] of the old ship [...] all his salt"),
    ("I… I don’t know what happened to her.", "I... I don't know what happened"),
]


@pytest.mark.parametrize(("text", "quote"), CHANGED)
def test_a_changed_word_or_number_is_not_found(text: str, quote: str) -> None:
    assert Quotable(f"It rained. {text} It rained.").find(f"“{quote}”") is None
    assert Quotable(f"It rained. {text} It rained.").find(text) is not None


@pytest.mark.parametrize(("text", "quote"), SAME)
def test_the_same_words_written_otherwise_are_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None


SENTENCE = "The captain of the old ship sold all his salt and pepper to the merchants of Leeds."


@pytest.mark.parametrize("mark", ["...", "[...]", "[and mate]"])
def test_pieces_are_found_in_order(mark: str) -> None:
    text = f"It was May. {SENTENCE} Nobody cared."
    found = Quotable(text).find(f"The captain {mark} to the merchants of Leeds.")
    assert found is not None
    assert [text[start:end] for start, end in found.spans] == ["The captain", "to the merchants of Leeds"]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (SENTENCE, "to the merchants of Leeds ... The captain of the old ship"),
        (SENTENCE, "The captain of the old ship ... to the merchants of York"),
        (SENTENCE, "The captain ... the ... Leeds"),  # loose words
        (f"{SENTENCE} {'It rained and rained. ' * 60}Ben mended the boat.", f"{SENTENCE} ... Ben mended the boat."),
    ],
)
def test_pieces_in_another_order_or_far_apart_are_not_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is None


def test_few_words_that_are_in_many_places_prove_nothing() -> None:
    text = "He was, for a long time, the baker of Leeds. " * 5
    for quote in ("for a long time", "of Leeds"):
        assert Quotable(text).locate(quote) is not None
        assert Quotable(text).find(quote) is None
        assert Quotable(text).says_too_little(quote)
