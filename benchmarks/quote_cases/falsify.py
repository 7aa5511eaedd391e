"""False quotes of any sentence, made by a rule that changes what it says. Nothing here knows how quotes are matched."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Dice = random.Random
_TWINS = str.maketrans("aeopcxAEOPCXаеорсхАЕОРСХ", "аеорсхАЕОРСХaeopcxAEOPCX")  # letters that look alike
_LETTERS = re.compile(r"[^\W\d_]{6,}")


def word_changed(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    at = dice.choice(_long(words))
    choices = [word for word in (other[i] for i in _long(other)) if _core(word) not in map(_core, words)]
    return [*words[:at], dice.choice(choices), *words[at + 1 :]] if choices else []


def word_left_out(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    at = dice.randrange(1, len(words) - 1)
    return [*words[:at], *words[at + 1 :]]


def word_put_in(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    at = dice.randrange(1, len(words) - 1)
    return [*words[:at], dice.choice(extra), *words[at:]]


def words_swapped(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    at = dice.randrange(len(words) - 1)
    return [*words[:at], words[at + 1], words[at], *words[at + 2 :]]


def halves_joined(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    return [*words[: len(words) // 2], *other[len(other) // 2 :]]


def halves_joined_by_ellipsis(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    first, second = words[: max(4, len(words) // 2)], other[-max(4, len(other) // 2) :]
    return [*first, "...", *second]


def loose_words(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    chosen = sorted(dice.sample(range(len(words)), min(5, len(words))))
    return " ... ".join(words[at].strip(".,?!") for at in chosen).split(" ")


def number_changed(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    places = [at for at, word in enumerate(words) if re.search(r"\d", word)]
    if not places:
        return []
    at = dice.choice(places)
    digits = list(re.finditer(r"\d", words[at]))
    one = dice.choice(digits)
    new = str((int(one[0]) + dice.randint(1, 8)) % 10)
    changed = words[at][: one.start()] + new + words[at][one.end() :]
    return [*words[:at], changed, *words[at + 1 :]] if new != one[0] else []


def letters_like_others(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    places = [at for at, word in enumerate(words) if word.translate(_TWINS) != word and word.isalpha()]
    if not places:
        return []
    at = dice.choice(places)
    return [*words[:at], words[at].translate(_TWINS), *words[at + 1 :]]


def word_cut(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    places = [at for at, word in enumerate(words[:-4]) if _LETTERS.fullmatch(word)]
    if not places:
        return []
    at = dice.choice(places)
    return [words[at][dice.randint(1, 3) :], *words[at + 1 :]]


def words_in_reverse(words: list[str], other: list[str], extra: Sequence[str], dice: Dice) -> list[str]:
    half = len(words) // 2
    return [*words[half:], *words[:half]]


Rule = Callable[[list[str], list[str], Sequence[str], Dice], list[str]]
RULES: dict[str, Rule] = {
    "word changed": word_changed,
    "word left out": word_left_out,
    "word put in": word_put_in,
    "neighbouring words swapped": words_swapped,
    "halves of two sentences joined": halves_joined,
    "halves of two sentences joined by an ellipsis": halves_joined_by_ellipsis,
    "loose words joined by ellipses": loose_words,
    "number changed": number_changed,
    "letters of another script": letters_like_others,
    "letters cut from a word": word_cut,
    "halves of a sentence exchanged": words_in_reverse,
}


def is_in(quote: str, text: str) -> bool:
    """Return whether the words of a quote are in the text in a row, marks at their ends aside."""
    return f" {_plain(quote)} " in f" {_plain(text)} "


def _plain(text: str) -> str:
    return " ".join(filter(None, map(_core, text.split())))


def _core(word: str) -> str:
    return word.strip(".,;:!?\"'“”„«»¿()—-#*_。、？「」").lower()


def _long(words: list[str]) -> list[int]:
    return [at for at, word in enumerate(words) if len(word) > 3] or [0]
