"""Parse decisions from the replies of models: one tolerant parser for each kind of value. None of them raises.

Replies may be bold, bracketed, in another case or wording, JSON, with reasoning before or after, with numbers in words,
out of range, empty, or refusals. Each parser returns the legal values that it finds, or None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_NONE = re.compile(
    r"\b(?:no|none|nothing|not|n't|don(?:'|’)?t|without|zero|needn(?:'|’)?t)\b.{0,60}\b(?:pages?|look|need|reread|any|of)\b"
    r"|^[^\w\n]{0,9}(?:none|nothing|no pages?|no)[^\w\n]{0,9}$|\[\s{0,9}\]",
    re.I | re.M,
)
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
seventeen eighteen nineteen".split()
_TENS = {name: 20 + 10 * i for i, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_NUMBER_WORD = re.compile(
    rf"\b(?:(?:({'|'.join(_TENS)})(?:[\s-]+({'|'.join(_UNITS[1:10])}))?)|({'|'.join(reversed(_UNITS))}))\b", re.I
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_SYNONYMS = {
    "yes": ("yes", "yeah", "correct"),
    "no": ("no", "nope"),
    "not sure": ("not sure", "unsure", "uncertain", "not certain", "cannot tell", "can't tell", "unclear",
                 "hard to say"),
    "true": ("true", "correct", "yes", "supported", "accurate"),
    "false": ("false", "not true", "untrue", "incorrect", "not correct", "no", "not supported", "unsupported",
              "inaccurate", "not accurate", "isn't true", "wrong"),
    "yes, partially": ("yes, partially", "yes partially", "partially", "partly", "yes, partly", "partial", "in part"),
}  # fmt: skip


def parse_numbers(
    text: str, values: Sequence[str], least: int, most: int, cues: Sequence[str]
) -> tuple[str, ...] | None:
    """Return one number, or several in the order of the reply; other values ("STOP") are matched as words."""
    legal = frozenset(values)
    words = [value for value in values if not value.isdigit()]
    text = _NUMBER_WORD.sub(_digits, text)
    if least == most == 1:
        value = _one_number(text, legal, words, cues)
        return None if value is None else (value,)
    found = [number for number in _several_numbers(text, legal, cues) if number in legal]
    if found:
        return tuple(dict.fromkeys(found))[:most]
    if least == 0 and _NONE.search(text) and not re.search(r"\d", text):
        return ()
    return None


def _digits(match: re.Match[str]) -> str:
    tens, unit, small = (group.lower() if group else None for group in match.groups())
    if small:
        return str(_UNITS.index(small))
    return str(_TENS[tens or "twenty"] + (_UNITS.index(unit) if unit else 0))


def _one_number(text: str, legal: frozenset[str], words: list[str], cues: Sequence[str]) -> str | None:
    def known(found: Iterable[str]) -> list[str]:
        return [number for number in map(_number, found) if number in legal]

    word = "|".join(map(re.escape, words)) or r"(?!)"
    for line in (text, *_outer_lines(text)):
        whole = re.fullmatch(rf"\W*(?:(?:{_any(cues)})\W*)?(?:(\d+)|({word}))\W*", line, re.I)
        if whole and (found := known([whole[1]]) if whole[1] else [_as_listed(whole[2], words)]):
            return found[0]
    if stop := re.search(rf"\b({word})\b", text):
        return stop[1]
    announced = re.findall(rf"\b(?:{_any(cues)})s?\b(?:\s+(?:is|at|number|no\.?))?\W{{0,6}}(\d+)", text, re.I)
    for found in (known(announced)[-1:], known(re.findall(r"[<\[(]\s*(\d+)\s*[>\])]", text)), known(_bare(text))):
        if found:
            return Counter(found).most_common(1)[0][0]
    return None


def _several_numbers(text: str, legal: frozenset[str], cues: Sequence[str]) -> list[str]:
    listed = r"\d+(?:\s*(?:,|;|&|/|\band\b|\bto\b|-|–|—|,\s*and\b|\bor\b)\s*(?:pages?\s*)?\d+)*"
    for line in reversed(text.splitlines()):
        bracketed = [number for group in re.findall(r"\[([^\[\]]*)\]", line) for number in _expand(group)]
        if legal.intersection(bracketed):
            return bracketed
    for line in text.splitlines():
        announced = re.findall(rf"\b(?:{_any(cues)})s?\b\W{{0,6}}({listed})", line, re.I)
        numbers = [number for group in announced for number in _expand(group)]
        if legal.intersection(numbers):
            return numbers
    return _expand(", ".join(_bare(text)))


def _expand(listed: str) -> list[str]:
    """Return the numbers of a list, with ranges such as 2-4 or "2 to 4" expanded."""
    numbers: list[str] = []
    for first, last in re.findall(r"(\d+)(?:\s*(?:-|–|—|\bto\b)\s*(\d+))?", listed):
        start, end = int(first[:9]), int((last or first)[:9])
        numbers += [str(n) for n in range(start, end + 1)] if start <= end < start + 50 else [str(start), str(end)]
    return numbers


def _bare(text: str) -> list[str]:
    return re.findall(r"(?<![\w.,])\d+(?![\w%]|[.,]\d)", text)


def _number(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _any(cues: Sequence[str]) -> str:
    return "|".join(re.escape(cue) for cue in cues) or r"(?!)"


def _as_listed(word: str, words: Sequence[str]) -> str:
    return next(value for value in words if value.lower() == word.lower())


def _outer_lines(text: str) -> list[str]:
    """Return the last line and the first, where an answer with reasoning around it usually is."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [lines[-1], lines[0]] if len(lines) > 1 else []


def parse_options(
    text: str, letters: Sequence[str], texts: Sequence[str], cues: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the chosen option, named by letter, by its text or by its position."""
    name = "|".join(sorted(letters, key=len, reverse=True))
    cue = rf"\b(?:{_any((*cues, 'option', 'choice'))})(?:\s+(?:is|would be|must be))?\s*"
    patterns = (
        rf"^\W*({name})\W*$",
        rf"{cue}[:=-]*\s*\(?\s*({name})\b(?![\s]*['’]|\s+[a-z])",
        rf"{cue}\W{{0,5}}\(\s*({name})\s*\)",
    )
    for pattern in patterns:
        if found := re.findall(pattern, text, re.M | re.I):
            return (found[-1].upper(),)
    if found := [letter for letter in re.findall(rf"(?i:{cue}):?\s*({name})\b", text) if letter not in "AI"]:
        return (found[-1],)
    said = [
        letter
        for letter, option in zip(letters, texts, strict=True)
        if _normal(option) and f" {_normal(option)} " in f" {_normal(text)} "
    ]
    if len(said) == 1:
        return (said[0],)
    for pattern in (rf"\(\s*({name})\s*\)", rf"(?m)^\s*({name})\s*[).:]", rf"\b({name})\b(?!\s+[a-z])"):
        if found := re.findall(pattern, text):
            return (Counter(found).most_common(1)[0][0],)
    return _by_place(text, letters, cue)


def _by_place(text: str, letters: Sequence[str], cue: str) -> tuple[str, ...] | None:
    numbers = re.findall(rf"(?:^|{cue})\W{{0,5}}(\d{{1,3}})\b", text, re.I)
    places = [int(number) - 1 for number in numbers]
    places += [_ORDINALS.index(word.lower()) for word in re.findall(rf"\b({'|'.join(_ORDINALS)})\b", text, re.I)]
    return next(((letters[place],) for place in places if 0 <= place < len(letters)), None)


def _normal(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def parse_words(text: str, values: Sequence[str], cues: Sequence[str]) -> tuple[str, ...] | None:
    """Return a verdict such as yes, no or not sure: the announced one, that of the last line, or the first."""
    meant = {phrase: value for value in values for phrase in (*_SYNONYMS.get(value.lower(), ()), value.lower())}
    phrases = "|".join(re.escape(phrase) for phrase in sorted(meant, key=len, reverse=True))
    lowered = re.sub(r"[’]", "'", text.lower())
    announced = re.findall(rf"\b(?:{_any(cues)})\b(?:\s+is)?\W{{0,6}}({phrases})\b", lowered)
    whole = [m[1] for line in _outer_lines(lowered) if (m := re.fullmatch(rf"\W*({phrases})\W*", line))]
    spoken = re.findall(rf"\b({phrases})\b", lowered)
    for found in (announced[-1:], whole[:1], spoken[:1]):
        if found:
            return (meant[found[0]],)
    return None
