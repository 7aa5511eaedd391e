"""Tokens are estimated close to what real tokenizers count, and closer once a server has reported some counts.

The counts were made with tiktoken and tokenizers, from the files of these models; the texts are our own.
"""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.tokens import TokenCounter, TokenEstimate, estimate_tokens, family_of, fewest_tokens
from sessions import EXAMPLES

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
NOISE = b"".join(hashlib.sha256(bytes([i])).digest() for i in range(75))
MODELS = ("gpt-4", "gpt-4o", "qwen3:8b", "llama-3.1-8b")
FERRY = {
    "German": "Die Fähre legte erst gegen Abend an, weil der Nebel über dem Fluss nicht weichen wollte. Am Ufer warteten "
    "drei Händler mit ihren Kisten, und der alte Fährmann zählte schweigend die Münzen. Niemand wusste, ob die Brücke "
    "im Frühjahr noch stehen würde, aber alle sprachen davon, als wäre sie längst gebaut. Nur die Tochter des Müllers "
    "fragte, wer die Steine bezahlen sollte. ",
    "Russian": "Паром причалил только к вечеру, потому что туман над рекой не хотел рассеиваться. На берегу ждали три "
    "торговца со своими ящиками, и старый паромщик молча считал монеты. Никто не знал, будет ли мост ещё стоять весной, "
    "но все говорили о нём так, словно он давно построен. Только дочь мельника спросила, кто заплатит за камни. ",
    "Hindi": "नाव शाम को ही किनारे लगी, क्योंकि नदी के ऊपर का कोहरा हटने का नाम नहीं ले रहा था। किनारे पर तीन व्यापारी अपने संदूकों के "
    "साथ खड़े थे और बूढ़ा मल्लाह चुपचाप सिक्के गिन रहा था। ",
}


def numbers(first: int, last: int) -> str:
    rows = range(first, last)
    return json.dumps([{"id": i, "x": i * 37 % 1009 / 8, "y": [i * i % 9973, i * 7919 % 65536]} for i in rows])


def csv(first: int, last: int) -> str:
    rows = (
        f"2024-{i % 12 + 1:02}-{i % 28 + 1:02},{i * 31 % 977 / 4:.2f},{i * 57 % 991 / 4:.2f},{i * 99991 % 1000003}"
        for i in range(first, last)
    )
    return "\n".join(["date,open,close,volume", *rows])


def hex_dump() -> str:
    pairs = (" ".join(NOISE[i + j : i + j + 2].hex() for j in range(0, 16, 2)) for i in range(0, 1200, 16))
    return "\n".join(f"{16 * i:08x}: {line}" for i, line in enumerate(pairs))


TABLE = "\n".join(" ".join(f"{(i * 7 + j * 13) % 1009 / 7:9.3f}" for j in range(6)) for i in range(80))
TEXTS = {
    "English": STORY,
    **{language: 4 * text for language, text in FERRY.items()},
    "JSON": numbers(0, 120),
    "hex": hex_dump(),
    "base64": base64.b64encode(NOISE).decode(),
}
COUNTED = {
    "English": (8781, 8657, 8837, 8781), "German": (441, 357, 441, 441), "Russian": (605, 381, 442, 410),
    "Hindi": (688, 234, 652, 373), "JSON": (2963, 2963, 3940, 2963), "hex": (2324, 2323, 3282, 2324),
    "base64": (2302, 2181, 2377, 2295),
}  # fmt: skip


@pytest.mark.parametrize("kind", COUNTED)
def test_estimates_are_near_the_counts_of_real_tokenizers(kind: str) -> None:
    text = TEXTS[kind]
    for model, real in zip(MODELS, COUNTED[kind], strict=True):
        assert 0.9 <= TokenCounter(model).count(text) / real <= 1.5, model
    assert 0.9 <= estimate_tokens(text) / max(COUNTED[kind]) <= 1.5, "a model that is not known"


FEWEST = {  # of seven tokenizers
    "தமிழ் மொழி பழமையானது " * 450: 2251,
    "1234567890" * 1200: 4000,
    "x" * 40_000: 5000,
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。" * 100: 2700,
    "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით. " * 100: 2002,
    "Все люди рождаются свободными и равными в своем достоинстве и правах. " * 100: 1701,
    ("-" * 78 + "\n") * 200: 200,
    " " * 20_000: 157,
}


def test_no_tokenizer_has_far_fewer_tokens_than_the_fewest() -> None:
    for text, fewest in FEWEST.items():
        assert 0.75 * fewest_tokens(text) <= fewest, text[:20]
    assert fewest_tokens(STORY) > 5000


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-mini", "o200k"),
        ("gpt-4-turbo", "cl100k"),
        ("Qwen/Qwen3-8B", "qwen"),
        ("ollama/llama3.1:8b", "llama3"),
        ("deepseek-r1-distill-qwen-7b", "qwen"),
        ("deepseek-chat", "deepseek"),
        ("gemini-2.5-flash", "gemma"),
        ("mistral-small-latest", "mistral"),
    ],
)
def test_the_tokenizer_is_known_from_the_name_of_the_model(model: str, family: str) -> None:
    assert family_of(model) == family


TEXT = st.text(st.one_of(st.characters(), st.sampled_from("aeT9 0\n.,-{}é한字😀")), max_size=300)
FACTORS = st.dictionaries(st.sampled_from(["words", "digits", "marks", "cjk"]), st.floats(0.2, 5.0))


@given(TEXT, TEXT, FACTORS)
def test_a_longer_text_never_has_fewer_tokens_and_parts_add_up(one: str, other: str, factors: dict[str, float]) -> None:
    count = TokenEstimate("default", factors).count
    assert count(one) <= count(one + other)
    assert abs(count(one) + count(other) - count(one + other)) <= 3


def learnt(model: str, texts: list[str], share: float, template: int = 0) -> TokenCounter:
    """Return a counter to which a server reported this share of our first estimate."""
    counter = TokenCounter(model)
    first = counter.snapshot()
    for text in texts:
        counter.learn(text, int(share * first.count(text)) + template)
    return counter


@pytest.mark.parametrize("share", [0.6, 0.8, 1.3, 2.0, 6.0])
@pytest.mark.parametrize("template", [0, 25])
def test_after_three_counts_estimates_are_a_little_above_them(share: float, template: int) -> None:
    parts = [STORY[i : i + 6000] for i in range(0, 24000, 6000)]
    counter = learnt("my-model", parts[:3], share, template)
    real = share * estimate_tokens(parts[3])
    assert 0.97 <= counter.count(parts[3]) / real <= 1.10


def test_counts_of_prose_do_not_change_the_estimate_for_numbers() -> None:
    counter = learnt("my-model", [STORY[i : i + 6000] for i in range(0, 18000, 6000)], 0.6)
    text = TABLE
    assert 0.9 <= counter.count(text) / estimate_tokens(text) <= 1.1
    for rows in (0, 80, 160):
        counter.learn(csv(rows, rows + 80), int(1.3 * estimate_tokens(csv(rows, rows + 80))))
    assert 1.0 <= counter.count(csv(300, 400)) / (1.3 * estimate_tokens(csv(300, 400))) <= 1.08
    assert 1.0 <= counter.count(STORY[18000:24000]) / (0.6 * estimate_tokens(STORY[18000:24000])) <= 1.08


@pytest.mark.parametrize("tokens", [0, -5, 3, 10**30])
def test_nonsense_counts_are_ignored(tokens: int) -> None:
    counter = TokenCounter("gpt-4o")
    for _ in range(5):
        counter.learn(STORY[:6000], tokens)
    assert counter.counted == ()
    assert counter.count(STORY) == TokenCounter("gpt-4o").count(STORY)


def test_an_estimate_is_raised_at_once_and_lowered_after_three_counts() -> None:
    assert learnt("my-model", [STORY[:6000]], 1.5).count(STORY) > 1.4 * estimate_tokens(STORY)
    assert learnt("my-model", [STORY[:6000]], 0.5).count(STORY) == estimate_tokens(STORY)
