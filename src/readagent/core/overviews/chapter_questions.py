"""Questions for the content of a chapter: "Summarise chapter 4", "What happens in the third chapter?"."""

from __future__ import annotations

import re

from readagent.core.asking.position import named_place
from readagent.core.memory import GistMemory
from readagent.core.overviews.date_words import ORDINALS
from readagent.core.overviews.global_wordings import NOUN, POLITE, THIS, WANT
from readagent.core.overviews.span import Span
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question
from readagent.errors import UsageError

_PART = (
    r"chapters?|ch\.|parts?|books?|sections?|acts?|scenes?|cantos?|volumes?|letters?"
    r"|kapitels?|teil|chapitres?|cap[íi]tulos?"
)
_CARDINALS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty".split()
)
_NUMBER = rf"\d{{1,4}}|[ivxlc]+|{'|'.join(_CARDINALS)}"
_NTH = rf"{'|'.join(sorted(ORDINALS, key=len, reverse=True))}|\d{{1,4}}(?:st|nd|rd|th|\.)"
_NAMED = (
    rf"(?:(?:the|das|le|la|el)\s+)?(?:(?P<nth>{_NTH})\s+(?P<kind>{_PART})|(?P<part>{_PART})\s+(?P<first>{_NUMBER})"
    rf"(?:\s*(?:-|–|to|through|and|bis|und|à|et|a|y)\s*(?:chapter\s+)?(?P<last>{_NUMBER}))?)"
    rf"(?:\s+(?:of|in|from|von|aus|de|du|des|del)?\s*(?:it|this|{THIS}))?"
)
_ABOUT = _NAMED.replace("?P<", "?P<about_")
_END = (  # a length, or nothing
    r"(?:[\s,]+(?:please|briefly|for me|bitte|kurz|s'il (?:te|vous) pla[iî]t|por favor"
    r"|in (?:(?:about|around|at most)\s+)?[\w-]+ (?:words?|sentences?|paragraphs?|lines?|wörtern|sätzen)"
    r"|en [\w-]+ (?:mots|phrases|palabras|frases)))*\W*$"
)
_ASKED = lazy_pattern(
    rf"{POLITE}(?:(?:summari[sz]e|sum up|recap|r[ée]sume[sz]?|fass\w*|what happens in|was passiert in|worum geht es in"
    rf"|que se passe-t-il dans|qu[ée] (?:pasa|sucede) en|{WANT}{NOUN}\s+(?:of|von|de|du|del))"
    rf"\s+{_NAMED}(?:\s+zusammen)?|what(?:'s| is| was)\s+{_ABOUT}\s+(?:all\s+)?about){_END}",
    re.I,
)


def chapter_asked_for(question: Question, memory: GistMemory) -> Span | None:
    """Return the start and end of the chapter, or of the chapters, whose content a question asks for, if there is one.

    A number that several chapters have, such as the first of each part, means none.
    """
    match = _ASKED.match(question.text.partition("\n(")[0].strip().replace("’", "'"))
    if question.kind != "free" or match is None:
        return None
    told = {name.removeprefix("about_"): value for name, value in match.groupdict().items() if value}
    kind = (told.get("kind") or told["part"]).casefold()
    kind = "chapter" if kind == "ch." else kind.removesuffix("s")
    first, last = told.get("nth") or told["first"], told.get("last")
    try:
        begin = _place(memory, kind, first)
        end = _place(memory, kind, last) if last else begin
    except UsageError:
        return None
    return (begin[0], end[1]) if begin and end and begin[0] < end[1] else None


def _place(memory: GistMemory, kind: str, number: str) -> Span | None:
    named = named_place(memory, f"{kind} {_digits(number)}")
    translated = kind in ("kapitel", "chapitre", "capítulo", "capitulo")  # of a text in English
    return named or (named_place(memory, f"chapter {_digits(number)}") if translated else None)


def _digits(number: str) -> str:
    word = re.sub(r"\s+", " ", number.casefold())
    if word in ORDINALS or word in _CARDINALS:
        return str(ORDINALS[word] if word in ORDINALS else _CARDINALS.index(word) + 1)
    return re.sub(r"(?<=\d)(?:st|nd|rd|th|\.)$", "", word)
