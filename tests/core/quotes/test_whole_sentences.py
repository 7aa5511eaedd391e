"""An exact copy of whole sentences is always found, in any language, whatever is next to it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from readagent.core.quotes.quotable import Quotable
from readagent.core.words import sentences

EXAMPLES = Path(__file__).parents[3] / "examples"
SPACED = (
    "He signed the treaty in 1921.", "14 delegates read it then.", "Nobody paid the family!", "Did Reed pay?",
    "It is not true.", "-5 degrees were measured in May.", "“Never,” said Ann.", "The loss was (1,200) or 5!",
    "Allegedly, Reed paid.", "Er zahlte 3 Mio. Euro.", "Anna non vendette la casa.", "Он не продал дом Карла.",
    "Set x != 5 and run rm -rf /tmp.", "5 million people came.", "Half of them left…", "§ 4 gilt nicht.",
    "Hundred men came to Reed's house.", "Years passed, and no one came.", "उसने पैसे नहीं दिए थे।", "그는 가지 않았다.",
)  # fmt: skip
UNSPACED = (
    "彼は条約に署名した。", "14人の代表が読んだ。", "彼女は会議に出席しませんでした。", "2,400円を支払った！", "費用は1998。", "「行かない」と田中は言った。",
    "他没有签署贸易条约。", "2020年代表团来到北京。", "不是所有人都来了吗？", "−5度だった。", "非暴力的な抗議が行われた。", "三百五十人が川を渡った。",
)  # fmt: skip


def not_found(text: str, longest: int) -> list[str]:
    """Return the runs of whole sentences that are not found although they say something."""
    places, at = [], 0
    for sentence in sentences(text):
        at = text.index(sentence, at)
        places.append((at, at + len(sentence)))
        at += len(sentence)
    quotable, missing = Quotable(text), []
    for first, (start, _) in enumerate(places):
        for _, end in places[first : first + longest]:
            found = quotable.find(text[start:end])
            says_something = any(one.isalnum() for one in text[start:end])
            if found is None and says_something and not quotable.says_too_little(text[start:end]):
                missing.append(text[start:end])
    return missing


@pytest.mark.parametrize("pool", [SPACED, UNSPACED, SPACED + UNSPACED])
def test_every_run_of_sentences_of_random_texts(pool: tuple[str, ...]) -> None:
    dice = random.Random(17)
    for _ in range(25):
        some = dice.sample(pool, 9)
        text = "".join(
            one + dice.choice(["\n\n", "\n", "" if one[-1] in "。！？" else " ", "" if one[-1] in "。！？" else " "])
            for one in some
        )
        assert not_found(text, longest=3) == []


@pytest.mark.parametrize("name", ["story", "meeting"])
def test_every_run_of_sentences_of_an_example(name: str) -> None:
    assert not_found((EXAMPLES / f"{name}.txt").read_text("utf-8")[:12_000], longest=2) == []
