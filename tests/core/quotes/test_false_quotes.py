"""Quotes that an adversary tries, one by one: the words are in the text, but the quote says something else."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

CUT_NUMBERS = [
    ("He promised $1,500 for each family.", "500 for each family"),
    ("They are 3.5 million people.", "5 million people"),
    ("The boat holds 5–10 sailors of the fleet.", "10 sailors of the fleet"),
    ("Two hundred wagons crossed the river.", "hundred wagons crossed the river"),
    ("He fell 30 feet from the tower.", "He fell 30"),
    ("It was -5 degrees in Leeds.", "5 degrees in Leeds"),
]
CHANGED_NUMBERS = [
    ("It was −5 degrees in Leeds that day.", "It was 5 degrees in Leeds that day"),
    ("The area is 10² metres wide.", "The area is 102 metres wide"),
    ("He pays 3½ dollars to each man.", "He pays 31/2 dollars to each man"),
    ("The rent rose by 1.5 points in Leeds.", "The rent rose by 1,5 points in Leeds"),
    ("Henry VIII married Anne in London.", "Henry VII married Anne in London"),
]
CUT_WORDS = [
    ("It was a non-violent protest in May.", "violent protest in May"),
    ("Ann says that she can't.", "Ann says that she can"),
    ("She owns a café in the old town.", "She owns a cafe"),
    ("他不同意把房子卖给小王。", "同意把房子卖给小王"),
]
OTHER_WORDS = [
    ("The therapist saw the patients in May.", "The the rapist saw the patients in May"),
    ("We're near the old harbour of Leeds.", "Were near the old harbour of Leeds"),
    ("Er trank in Maßen und aß viel Brot.", "Er trank in Massen und aß viel Brot"),
    ("No, money was promised to the poor.", "No money was promised to the poor"),
    ("Did he promise money to them? Yes.", "Did he promise money to them."),
]
CUT_NEGATIONS = [
    ("I never promised money for each family.", "promised money for each family"),
    ("He never said “I sold the boat to Ann” in court.", "I sold the boat to Ann"),
    ("Less than 50 sailors survived the night.", "50 sailors survived the night"),
    ("Ann would have sold the boat to Ben.", "sold the boat to Ben"),
    ("It is not true that Ann sold the boat to Ben.", "Ann sold the boat to Ben"),
    ("He promised money to nobody in the town.", "He promised money"),
    ("He will sell the vineyard if Ann pays.", "He will sell the vineyard"),
    ("Er versprach den Witwen das Geld nicht.", "Er versprach den Witwen das Geld"),
    ("他没有答应给每个家庭一千元钱。", "答应给每个家庭一千元钱"),
    ("彼は東京で生まれなかった。", "彼は東京で生まれ"),
]


@pytest.mark.parametrize(("text", "quote"), [*CUT_NUMBERS, *CHANGED_NUMBERS, *CUT_WORDS, *OTHER_WORDS, *CUT_NEGATIONS])
def test_a_quote_that_says_something_else_is_not_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is None
    assert Quotable(f"It rained. {text} It rained.").find(f"“{quote}”") is None


@pytest.mark.parametrize(
    "text", sorted({text for text, _ in [*CUT_NUMBERS, *CHANGED_NUMBERS, *CUT_WORDS, *CUT_NEGATIONS]})
)
def test_the_whole_sentence_is_found(text: str) -> None:
    assert Quotable(f"It rained. {text} It rained.").find(text.rstrip(".。")) is not None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Ann was born in 1920 in Leeds.", "Ann was born in 1920"),
        ("彼は東京で生まれた。", "彼は東京で生まれた"),
        ("Её отец ещё жил в Москве.", "Ее отец еще жил в Москве"),
        ("There were twenty-\nfive men in the boat.", "There were twentyfive men in the boat"),
        ("Ann, who was old, went home alone.", "Ann who was old, went home alone"),
        ("He had 5 % of the shares in March.", "He had 5% of the shares"),
        ("The treaty[3] was signed in Paris¹ and kept.", "The treaty was signed in Paris and kept"),
        ("- 5 apples were sold to Ben\n- 7 pears", "5 apples were sold to Ben"),
        ("He was not tired, and Ann sold the boat to Ben.", "Ann sold the boat to Ben"),
        ("He paid 1 500 euros to the widow.", "He paid 1\u202f500 euros to the widow"),
    ],
)
def test_the_same_words_written_otherwise_are_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None


@pytest.mark.parametrize("quote", ["for a long time", "of the"])
def test_words_of_any_text_support_nothing(quote: str) -> None:
    text = f"He was, {quote} and in some ways, the baker of Leeds."
    assert Quotable(text).locate(quote) is not None
    assert Quotable(text).find(quote) is None


def test_a_whole_utterance_supports_something_whatever_its_words() -> None:
    assert Quotable("“I would do it again,” he said.").find("I would do it again") is not None
    assert Quotable("He knew that I would do it again and again.").find("I would do it again") is None
