"""Numbers of paragraphs as people see them: ``Article 2``, ``2.1``, ``(b)``, ``iv.``; lists count as Word does."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass

BULLETS = "-–·"  # of the outer list, of a list in it, and of all deeper ones
_BULLET = "bullet"
_MOST = 780  # higher numbers are not written with letters
_REFERENCE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
             "twelve": "twelfth"}  # fmt: skip
_ALPHABETS = {
    "lowerLetter": string.ascii_lowercase,
    "russianLower": "абвгдежзиклмнопрстуфхцчшщэюя",
    "ganada": "가나다라마바사아자차카타파하",
}
_CHINESE = frozenset({
    "chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting", "taiwaneseCounting",
    "taiwaneseCountingThousand",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a list: its label, in which ``%1`` is the number of the first level, and how it counts.

    ``form`` is a number format as Word names it. ``restart`` is the depth, from 0, up to which an item of a level above
    lets this one start again. ``legal`` writes all numbers of the label in digits.
    """

    text: str
    form: str = "decimal"
    start: int = 1
    restart: int = 9
    legal: bool = False
    after: str = " "

    def is_bullet(self) -> bool:
        """Whether all items have the same mark."""
        return self.form == _BULLET


class Counter:
    """Counts the items of one list."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def label(self, levels: Mapping[int, Level], depth: int, start: int | None = None) -> str:
        """Return what stands before the next item at this depth, from 0; it may begin with a number of its own."""
        level, numbers = levels[depth], self._numbers
        after = numbers[depth] + 1 if depth in numbers else level.start
        numbers[depth] = after if start is None else start
        for deeper in [one for one in numbers if one > depth and one in levels and depth < levels[one].restart]:
            del numbers[deeper]
        if level.is_bullet():
            return f"{BULLETS[min(depth, 2)]} "

        def shown(reference: re.Match[str]) -> str:
            at = int(reference[1]) - 1
            above = levels.get(at, _NONE)
            return numbered(numbers.get(at, above.start), "decimal" if level.legal else above.form)

        label = _REFERENCE.sub(shown, level.text)
        return f"{label}{level.after}" if label.strip() else ""


_NONE = Level("", "none")


def numbered(number: int, form: str) -> str:
    """Return a number as Word writes it in a format; in digits, if the format is not known or does not go so far."""
    if form.startswith("upper"):
        return numbered(number, f"lower{form[5:]}").upper()
    if form == "russianUpper":
        return numbered(number, "russianLower").upper()
    alphabet = _ALPHABETS.get(form)
    if alphabet and 0 < number <= _MOST:
        return alphabet[(number - 1) % len(alphabet)] * ((number - 1) // len(alphabet) + 1)
    if form == "lowerRoman" and 0 < number < 4000:
        return _roman(number)
    if form in ("cardinalText", "ordinalText") and 0 < number < 100:
        return _in_words(number, ordinal=form == "ordinalText")
    if form in _CHINESE and 0 < number < 100:
        return _chinese(number)
    if form == "decimalEnclosedCircle" and 0 < number <= 20:
        return chr(ord("①") + number - 1)
    if form == "ordinal":
        last = number % 10 if number % 100 not in (11, 12, 13) else 0
        return f"{number}{('th', 'st', 'nd', 'rd')[last] if last < 4 else 'th'}"
    if form == "decimalZero":
        return f"{number:02}"
    return "" if form in ("none", _BULLET) else str(number)


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        written += letters * (number // value)
        number %= value
    return written


def _in_words(number: int, *, ordinal: bool) -> str:
    tens, ones = divmod(number, 10)
    words = [_WORDS[number]] if number < 20 else [_TENS[tens - 2], *([_WORDS[ones]] if ones else [])]
    if ordinal:
        last = words[-1]
        words[-1] = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last.removesuffix('t')}th")
    return "-".join(words).capitalize()


def _chinese(number: int) -> str:
    digits = "〇一二三四五六七八九"
    tens, ones = divmod(number, 10)
    return f"{digits[tens] if tens > 1 else ''}{'十' if tens else ''}{digits[ones] if ones else ''}"
