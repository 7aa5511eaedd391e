"""Quotes that an adversary tries, one by one: the words are in the text, but the quote says something else."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

CUT_NUMBERS = [
    ("He promised $1,500 for each family.", "500 for each family"),
    ("The town approved 1,234,567 euros for roads.", "234,567 euros for roads"),
    ("The town approved 1'234'567 euros for roads.", "567 euros for roads"),
    ("Il a payé 1 500 euros aux familles.", "500 euros aux familles"),
    ("They are 3.5 million people.", "5 million people"),
    ("Oslo had a drop of .5 degrees in May.", "5 degrees in May"),
    ("They met on 12/05/2020 in the old mill.", "2020 in the old mill"),
    ("The boat holds 5–10 sailors of the fleet.", "10 sailors of the fleet"),
    ("Two hundred wagons crossed the river.", "hundred wagons crossed the river"),
    ("A hundred and five sailors survived.", "five sailors survived"),
    ("He fell 30 feet from the tower.", "He fell 30"),
    ("三百五十人の兵士が川を渡った。", "五十人の兵士が川を渡った"),
    ("委员会批准了1,500元给每个家庭。", "500元给每个家庭"),
    ("The price was 5 million dollars in May.", "The price was 5"),
    ("It happened in 44 BC near the river Po.", "It happened in 44"),
    ("He had 5 % of the shares in March.", "He had 5"),
    ("It was -5 degrees in Leeds.", "5 degrees in Leeds"),
    ("He gained +10 points in the match.", "10 points in the match"),
]
CHANGED_NUMBERS = [
    ("It was −5 degrees in Leeds that day.", "It was 5 degrees in Leeds that day"),
    ("The area is 10² metres wide.", "The area is 102 metres wide"),
    ("It covers 20 km² of the forest.", "It covers 20 km of the forest"),
    ("The value of x^2 grows with the mass.", "The value of x2 grows with the mass"),
    ("He says that 2*3 makes the sum.", "He says that 23 makes the sum"),
    ("He says that 2 < 3 holds for the sum.", "He says that 2 > 3 holds for the sum"),
    ("He pays 3½ dollars to each man.", "He pays 31/2 dollars to each man"),
    ("He scored 3:1 against the men of Leeds.", "He scored 31 against the men of Leeds"),
    ("The boat holds 5–10 sailors of the fleet.", "The boat holds 510 sailors of the fleet"),
    ("The rent rose by 1.5 points in Leeds.", "The rent rose by 1,5 points in Leeds"),
    ("He earns $5 per hour in the mine.", "He earns €5 per hour in the mine"),
    ("Water is H₂O to the chemists of Leeds.", "Water is H₃O to the chemists of Leeds"),
    ("Henry VIII married Anne in London.", "Henry VII married Anne in London"),
]
CUT_WORDS = [
    ("It was a non-violent protest in May.", "violent protest in May"),
    ("It was a non-\nviolent protest in May.", "violent protest in May"),
    ("He was (un)happy about the result.", "happy about the result"),
    ("Ann says that she can't.", "Ann says that she can"),
    ("The U.S. Army left Kabul in August.", "S. Army left Kabul in August"),
    ("She owns a café in the old town.", "She owns a cafe"),
    ("非暴力的な抗議が東京で行われた。", "暴力的な抗議が東京で行われた"),
    ("他不同意把房子卖给小王。", "同意把房子卖给小王"),
    ("彼はハンカチを駅で見つけた。", "ンカチを駅で見つけた"),
    ("เขาเกิดที่เชียงใหม่ในปีนั้นเอง", "ชียงใหม่ในปีนั้นเอง"),
]
OTHER_WORDS = [
    ("The therapist saw the patients in May.", "The the rapist saw the patients in May"),
    ("He is nowhere near the old harbour.", "He is now here near the old harbour"),
    ("Ann will re-sign the contract in May.", "Ann will resign the contract in May"),
    ("We're near the old harbour of Leeds.", "Were near the old harbour of Leeds"),
    ("They asked the US for help in May.", "They asked the us for help in May"),
    ("Er trank in Maßen und aß viel Brot.", "Er trank in Massen und aß viel Brot"),
    ("The b\u0430nk of Leeds paid the sailors.", "The bank of Leeds paid the sailors"),
    ("No, money was promised to the poor.", "No money was promised to the poor"),
    ("Did he promise money to them? Yes.", "Did he promise money to them."),
    ("He left Ann. Ben promised money to all.", "He left. Ann Ben promised money to all"),
    ("Ann sold the house to Ben.", "Ann [secretly] sold the house to Ben"),
]
CUT_NEGATIONS = [
    ("I never promised money for each family.", "promised money for each family"),
    ("I never, in all my years, promised money to the sailors.", "promised money to the sailors"),
    ("I never—ever—promised money to the sailors.", "promised money to the sailors"),
    ("I never (ever) promised money to the sailors.", "promised money to the sailors"),
    ("He never said “I sold the boat to Ann” in court.", "I sold the boat to Ann"),
    ("I did *not* promise money to Ann.", "promise money to Ann"),
    ("Few sailors survived the night in Leeds.", "sailors survived the night in Leeds"),
    ("Less than 50 sailors survived the night.", "50 sailors survived the night"),
    ("Ann would have sold the boat to Ben.", "sold the boat to Ben"),
    ("He doesn’t like the old harbour of Leeds.", "like the old harbour of Leeds"),
    ("It is not true that Ann sold the boat to Ben.", "Ann sold the boat to Ben"),
    ("Ann denied that Ben had stolen the spoons.", "Ben had stolen the spoons"),
    ("Ann failed to pay the sailors of the fleet.", "pay the sailors of the fleet"),
    ("He promised money to nobody in the town.", "He promised money"),
    ("He will sell the vineyard if Ann pays.", "He will sell the vineyard"),
    ("Er versprach den Witwen das Geld nicht.", "Er versprach den Witwen das Geld"),
    ("Он никогда не обещал денег на новую школу.", "обещал денег на новую школу"),
    ("No vendió la casa grande de su padre.", "vendió la casa grande de su padre"),
    ("他没有答应给每个家庭一千元钱。", "答应给每个家庭一千元钱"),
    ("彼は東京で生まれなかった。", "彼は東京で生まれ"),
    ("彼は約束を守ったとは言えない。", "彼は約束を守った"),
    ("เขาไม่ได้สัญญาว่าจะให้เงินทุกครอบครัว", "สัญญาว่าจะให้เงินทุกครอบครัว"),
    ("그는 돈을 약속하지 않았다고 말했다.", "그는 돈을 약속하지"),
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
        ("他从小住在北京，后来搬到上海。", "他从小住在北京"),
        ("彼は東京で生まれた。", "彼は東京で生まれた"),
        ("เขาเกิดที่กรุงเทพในปี 1920 และย้ายไปเชียงใหม่", "เขาเกิดที่กรุงเทพในปี 1920"),
        ("Её отец ещё жил в Москве.", "Ее отец еще жил в Москве"),
        ("There were twenty-\nfive men in the boat.", "There were twenty-five men in the boat"),
        ("There were twenty-\nfive men in the boat.", "There were twentyfive men in the boat"),
        ("Ann, who was old, went home alone.", "Ann who was old, went home alone"),
        ("Mr. Smith sold the boat to Ben.", "Mr Smith sold the boat to Ben"),
        ("He had 5 % of the shares in March.", "He had 5% of the shares"),
        ("Water is H₂O to the chemists.", "Water is H2O to the chemists"),
        ("The treaty[3] was signed in Paris¹ and kept.", "The treaty was signed in Paris and kept"),
        ("Ich wohne in der Straße am Fluss.", "ICH WOHNE IN DER STRASSE AM FLUSS"),
        ("- 5 apples were sold to Ben\n- 7 pears", "5 apples were sold to Ben"),
        ("He was not tired, and Ann sold the boat to Ben.", "Ann sold the boat to Ben"),
        ("He did not sell the house but promised money.", "He did not sell the house"),
        ("No money\n\nAnn sold the boat to Ben.", "Ann sold the boat to Ben"),
        ("- no money\n- Ann sold the boat to Ben\n- never", "Ann sold the boat to Ben"),
        ("`foo_bar` returns the number of pages", "foo_bar returns the number of pages"),
        ("He paid 1 500 euros to the widow.", "He paid 1\u202f500 euros to the widow"),
    ],
)
def test_the_same_words_written_otherwise_are_found(text: str, quote: str) -> None:
    assert Quotable(text).find(quote) is not None


@pytest.mark.parametrize("quote", ["for a long time", "at the end of the day", "of the", "one of the most"])
def test_words_of_any_text_support_nothing(quote: str) -> None:
    text = f"He was, {quote} and in some ways, the baker of Leeds."
    assert Quotable(text).locate(quote) is not None
    assert Quotable(text).find(quote) is None


def test_a_whole_utterance_supports_something_whatever_its_words() -> None:
    assert Quotable("“I would do it again,” he said.").find("I would do it again") is not None
    assert Quotable("He knew that I would do it again and again.").find("I would do it again") is None
