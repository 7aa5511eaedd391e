"""What negations, limits and doubts make of the words "true" and "false" in a reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from readagent.core.patterns import lazy_pattern

CLAIM = {"true", "false"}
UNCLEAR = "unclear"
_LIMITED_BEFORE = lazy_pattern(  # "partly true" is not true in every part
    r"(?:\b(?:partly|partially|in part|half|hardly|scarcely|far from|almost|nearly|(?:not|n't) (?:entirely|quite|wholly"
    r"|completely|fully|strictly|altogether)|not every part is|(?:not|n't) all of it is|teilweise|zum teil|nicht ganz"
    r"|nicht völlig|halb|en partie|partiellement|pas (?:tout à fait|entièrement)|parcialmente|in parte|parzialmente"
    r"|em parte"
    r"|no (?:es )?del todo|non (?:è )?del tutto|отчасти|частично|не (?:совсем|вполне|полностью)|deels|gedeeltelijk"
    r"|niet helemaal|częściowo|delvis)(?: \w+)?|不完全|不太|部分(?:的に|地)?|一部)\s*$"
)
_LIMITED_AFTER = lazy_pattern(
    r"\W{0,3}(?:(?:is |it is |but )?(?:only\b|in part\b|partly\b|except\b|apart from\b|aside from\b|save for\b"
    r"|barring\b"
    r"|but not (?:in every part|entirely|all)|in every part (?:but|except|save)|in all but|up to a point|to (?:some"
    r"|a certain)"
    r" (?:extent|degree)|nur\b|zum teil|en partie|seulement en|in parte|em parte|en parte|отчасти|außer|bis auf|sauf"
    r"|excepto|salvo|tranne|кроме))"
)
_NEGATED = lazy_pattern(
    r"(?:(?:\b(?:not|never|cannot|nothing|no part(?: of \w+)?|no part is|nicht|pas|no es|non è|não é|niet|nie|inte|не"
    r"|не является)|n't)(?: \w+){0,3}|\bnot the case that(?: \w+){0,3}|[不没沒])\s*$"
)
_NEGATED_AFTER = lazy_pattern(r"\s*(?:い|리)?(?:では?(?:ありません|ない)|(?:하|리)?지 않|이 아니)")
_DOUBTED = lazy_pattern(
    r"\b(?:may|might|could|whether|if|looks?|seems?|appears?|sounds?|i doubt|neither|nor|mostly|largely|mainly|either"
    r"|(?:first|second|one|other|last|former|latter) (?:part|half)|to say that|größtenteils|meist|scheint)\b[^.;!?\n]*$"
)
_STRETCH = lazy_pattern(r"[.;:!?\n。；！？—–]|,|，")
_NEAR = 200  # characters before and after a word in which what changes it is looked for


def modified(text: str, found: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield matches for true and false with what the words around each make of it; ``UNCLEAR`` if that is unclear."""
    for start, end, value in found:
        yield start, end, _value(text, start, end, value) if value in CLAIM else value


def _value(text: str, start: int, end: int, value: str) -> str:
    before, after = _STRETCH.split(text[max(0, start - _NEAR) : start])[-1], text[end : end + _NEAR]
    stop = re.search(r"[.;!?\n。]", after)
    if stop and stop[0] == "?":
        return UNCLEAR
    if _LIMITED_BEFORE.search(before) or _LIMITED_AFTER.match(after):
        return "false"
    if _DOUBTED.search(before):
        return UNCLEAR
    if _NEGATED.search(before) or _NEGATED_AFTER.match(after):
        return "false" if value == "true" else UNCLEAR
    return value
