"""Quotes of texts in five languages, false and faithful ones, as many as wanted.

They are made without the code that checks quotes. A false quote is false by construction: the rows in ``sentences`` say
what makes it so, and a rule in ``falsify`` changes the words of a sentence into words that are not in the text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from .falsify import RULES, is_in, word_cut
from .rewrite import ONLY_QUOTES, SAME
from .sentences import LANGUAGES, Language

_PHRASE = re.compile(r"[^はがをにでのと、。]+[はがをにでのと、。]?")
_ELLIPSIS = "ellipsis for harmless words"


@dataclass(frozen=True, slots=True)
class Case:
    """A quote of a text. ``faithful`` is whether it says what the text says."""

    language: str
    kind: str
    text: str
    quote: str
    faithful: bool


def cases(seed: int) -> Iterator[Case]:
    """Yield cases without end, the same for the same seed: of one text in each language after the other."""
    for number in count():
        for language in LANGUAGES:
            yield from _cases_of(language, random.Random(f"{seed} {number} {language.code}"))


def _cases_of(language: Language, dice: random.Random) -> Iterator[Case]:
    slots = [_slots(language, dice) for _ in range(len(language.rows) + len(language.shortened))]
    written = [sentence.format(**slot) for (sentence, _), slot in zip(_templates(language), slots, strict=True)]
    text = _paragraphs(written, language, dice)
    for (_, false), slot, sentence in zip(language.rows, slots, written, strict=False):
        rest = text.replace(sentence, "\n")
        for kind, quote in false.items():
            if not _is_there(filled := quote.format(**slot), rest, language):
                yield Case(language.code, kind, text, filled, faithful=False)
    sentences = [one for one in written if len(_units(one, language)) >= 6]
    for kind, rule in RULES.items():
        if not language.spaced and rule is word_cut:  # nothing shows where a word begins
            continue
        for one, other in zip(dice.sample(sentences, 5), dice.sample(sentences, 5), strict=True):
            made = rule(_units(one, language), _units(other, language), language.words, dice) if one != other else []
            quote = (" " if language.spaced else "").join(made)
            if made and not _is_there(quote, text, language):
                yield Case(language.code, kind, text, quote, faithful=False)
    for (_, quote), slot in zip(language.shortened, slots[len(language.rows) :], strict=True):
        yield Case(language.code, _ELLIPSIS, text, quote.format(**slot), faithful=True)
    for kind, rewrite in SAME.items():
        for one in dice.sample(written, 8):
            changed = rewrite(one, dice)
            if changed == one and kind != "unchanged":
                continue
            yield Case(language.code, kind, text, changed, faithful=True)
            if kind not in ONLY_QUOTES:
                yield Case(language.code, f"{kind}, in the text", text.replace(one, changed), one, faithful=True)


def _templates(language: Language) -> list[tuple[str, object]]:
    return [*language.rows, *language.shortened]


def _slots(language: Language, dice: random.Random) -> dict[str, str]:
    people = dict(zip("ABC", dice.sample(language.people, 3), strict=True))
    n, k = sorted(dice.sample(range(2, 10), 2))
    return {**people, "P": dice.choice(language.places), "n": str(n), "k": str(k), "m": str(dice.randint(11, 59))}


def _paragraphs(sentences: Sequence[str], language: Language, dice: random.Random) -> str:
    shuffled = dice.sample(list(sentences), len(sentences))
    space = " " if language.spaced else ""
    return "\n\n".join(space.join(shuffled[at : at + 5]) for at in range(0, len(shuffled), 5))


def _units(sentence: str, language: Language) -> list[str]:
    return sentence.split() if language.spaced else _PHRASE.findall(sentence)


def _is_there(quote: str, text: str, language: Language) -> bool:
    if language.spaced:
        return is_in(quote, text)
    return quote.rstrip("。") in text
