"""The names in a text: its capitalised words, as far as they are not capitalised for another reason."""

from __future__ import annotations

from collections.abc import Callable

from readagent.core.languages import is_function_word, likely_language
from readagent.core.patterns import lazy_pattern
from readagent.core.support.negation import is_negation
from readagent.core.support.units import MONTH_BESIDE

_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_START = lazy_pattern(r"(?:^|[.!?…:;。！？]|\n)[\s\"'“”„«‘’(\[*_—–-]*$")
_POSSESSIVE = lazy_pattern(r"['’](?:s|S)?$")
_DETERMINERS = (
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner im am zum zur beim vom "
    "ins ans mein meine meinen meinem sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere dieser "
    "diese dieses diesen diesem jeder jede jedes jeden alle viele einige mehrere"
)  # before a German noun
_DETERMINED = lazy_pattern(rf"(?:\b(?i:{_DETERMINERS.replace(' ', '|')})\s+(?:[a-zäöüß]+\s+){{0,2}}|\d[\d.,]*\s+)$")
_OPENERS = frozenset(
    "yes no not however therefore thus according although though during since until once when why how here there next "
    "later finally first second perhaps maybe because both either neither each every nobody nothing someone somebody "
    "everyone everything despite instead meanwhile then today yesterday unlike without within two three".split()
)
_COMMON_ENDINGS = ("ing", "ly", "tion", "sion", "ness", "ment", "ity", "ism", "ance", "ence", "ers", "ies", "ship",
                   "ung", "heit", "keit", "schaft", "tät")  # fmt: skip
_NEVER = frozenset({"i", "i'm", "i've", "i'd", "i'll", "i’m", "i’ve", "i’d", "i’ll"})
_SHORTEST_STEM = 3
_ENDING = 2  # letters in which two forms of a name may differ, in scripts and languages that decline names
_DECLINED = frozenset({"ru", "uk", "pl", "cs", "hu", "fi", "tr", "el", "ro"})


def names(text: str, is_common: Callable[[str], bool] = lambda word: False) -> list[str]:
    """Return the names of a text. ``is_common`` says of a word in lower case whether it is known to be no name.

    The first word of a sentence is a name unless it is a function word, has a usual ending, or is known to be none. In
    German, where every noun is capitalised, a noun after a number, an article or the like is no name, even if
    adjectives stand between. A month of a date is none.
    """
    text = MONTH_BESIDE.sub(lambda found: " " * len(found[0]), text)
    german = likely_language(text) == "de"
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        lower = word.casefold()
        if not word[0].isupper() or lower in _NEVER or is_negation(lower):
            continue
        if german and _DETERMINED.search(text, 0, match.start()):
            continue
        if _START.search(text, 0, match.start()) and (_is_opener(lower) or is_common(lower)):
            continue
        if is_function_word(lower) and len(word) > 1:
            continue
        found.append(word)
    return list(dict.fromkeys(found))


def _is_opener(word: str) -> bool:
    return word in _OPENERS or is_function_word(word) or (len(word) > 5 and word.endswith(_COMMON_ENDINGS))


def has_name(text: str, name: str) -> bool:
    """Return whether a text has this name, in any case and, in languages that decline names, in any form."""
    wanted = name.casefold()
    declined = not name.isascii() or likely_language(text) in _DECLINED
    return any(_same(wanted, _POSSESSIVE.sub("", word).casefold(), declined) for word in _WORD.findall(text))


def _same(one: str, other: str, declined: bool) -> bool:
    if one == other or f"{one}s" == other or one == f"{other}s":
        return True
    differ = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    common = next(differ, min(len(one), len(other)))
    return declined and common >= max(_SHORTEST_STEM, max(len(one), len(other)) - _ENDING)
