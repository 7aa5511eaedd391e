"""Runs of characters that no language has: their least tokens, since rates that are fitted to languages are too low.

Measured with seven tokenizers, on 8,000 characters in a row: most letters and marks have half a token for each of them,
such as "nnnn", "nsns" and random letters. Single letters with spaces between them have a token each. Rulers such as
"----" and white space have far fewer, a token for 16 to 128 characters; but where spaces, tabs and line ends take
turns, there is a token for every second change. A character beyond ASCII that is repeated, such as the no-break
space, and accented letters without others between them are counted as a token each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONG = 40  # characters; hardly any word has so many letters
_OF_A_RUN = 0.5  # tokens for each character
_OF_A_RULER = 1 / 32
_OF_A_CHANGE = 0.5  # from one kind of white space to another
_SINGLES = 20  # letters or marks in a row, with white space between them
_FEWEST_OF_A_RUN = 1 / 10  # with the tokenizer that joins most; "xxxx" has one token for 8 characters
_FEWEST_OF_A_RULER = 1 / 128
_RULERS = frozenset("-=_*.#/+~")
_LETTERS = re.compile(rf"[A-Za-z]{{{_LONG},}}")
_MARKS = re.compile(rf"[!-/:-@\[-`{{-~]{{{_LONG},}}")
_SPACE = re.compile(rf"[ \t\n\r\f\v]{{{_LONG},}}")
_KINDS_OF_SPACE = re.compile(r" +|\t+|[\n\r\f\v]+")
_REPEATED = re.compile(rf"([\u0080-\u1fff])\1{{{_LONG - 1},}}|[\u0080-\u024f]{{{_LONG},}}")
_SINGLE = re.compile(rf"(?:(?<![!-~])[!-~][ \t\n\r\f\v]){{{_SINGLES},}}")


def _kinds(letter: str, mark: str, digit: str) -> bytes:
    """Return a table that gives each byte its kind: white space is " ", and what is none of these is "?"."""
    kinds = {"letter": letter, "mark": mark, "digit": digit, "space": " "}
    return bytes(ord(kinds.get(_kind(chr(byte)), "?")) for byte in range(256))


def _kind(character: str) -> str:
    if not character.isascii():
        return ""
    if character in " \t\n\r\f\v":
        return "space"
    return "letter" if character.isalpha() else "digit" if character.isdigit() else "mark" * character.isprintable()


# What a text has if it has a run: searching its bytes for that is far quicker than searching for a pattern.
_EACH, _ANY = _kinds("l", "m", "d"), _kinds("a", "a", "a")
_SIGNS = ((_LONG * b"l", _LETTERS), (_LONG * b"m", _MARKS), (_LONG * b" ", _SPACE))


def runs_in(text: str) -> Iterator[tuple[str, float]]:
    """Yield the runs in a text, each with its least tokens."""
    data = text.encode("utf-8", "surrogatepass")
    kinds = data.translate(_EACH)
    for sign, pattern in _SIGNS:
        for found in pattern.finditer(text) if sign in kinds else ():
            run = found[0]
            ruler = run.isspace() or _RULERS.issuperset(run)
            least = (_OF_A_RULER if ruler else _OF_A_RUN) * len(run)
            yield run, max(least, _OF_A_CHANGE * _changes(run)) if run.isspace() else least
    for found in _SINGLE.finditer(text) if _SINGLES * b"a " in data.translate(_ANY) else ():
        yield found[0], len(found[0]) / 2
    for found in () if text.isascii() else _REPEATED.finditer(text):
        yield found[0], len(found[0])


def _changes(space: str) -> int:
    """Return how often white space changes from one kind to another."""
    return sum(1 for _ in _KINDS_OF_SPACE.finditer(space)) - 1


def without_runs(text: str) -> tuple[str, float]:
    """Return a text without its runs of letters, marks and white space, and the fewest tokens that these have."""
    fewest = 0.0
    for _, pattern in _SIGNS:
        for found in pattern.finditer(text):
            letters = found[0][0].isalpha()
            fewest += len(found[0]) * (_FEWEST_OF_A_RUN if letters else _FEWEST_OF_A_RULER)
        text = pattern.sub(" ", text)
    return text, fewest
