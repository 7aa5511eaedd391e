"""Denials, hearsay and questions around a quote: "It is a lie that", "Allegedly,", "or so he claimed", "Did … ?"."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.whole import begins_sentence
from readagent.core.words import sentence_ends

_FAR = 250  # characters before or after a quote that are looked at
_DENIED = lazy_pattern(  # in the clause of the quote, before it
    r"\b(?:(?:a|the) lies? that|rumou?rs? (?:had|has|have) it|(?:dream(?:ed|t|s)|imagin(?:ed|es)) that|forg[eo]ts? to|"
    r"(?:everyone|everybody|anyone|anybody|all) but|so-called|"
    r"(?:falso|mentira) que|(?:faux|mensonge) que|falso che|неправда|неверно|ложь|"
    r"(?:hätte|wäre|soll|sollen)n?)\b|\b(?:stop(?:ped|s)?|ceased?|quit|avoid(?:ed|s)?)\s+$",
    re.I,
)
_DENIED_WITH_COMMA = lazy_pattern(  # right before the comma that the clause of the quote begins with
    r"\b(?:allegedly|supposedly|reportedly|purportedly|rumou?r has it|angeblich|stimmt nicht|nicht wahr|ist falsch|"
    r"gelogen|ist eine lüge|bestritt(?:en)?|bestreite[nt]|leugnete[n]?|geleugnet|dementierten?|"
    r"weiger(?:te|ten|t|n)(?: sich)?|отриц\w+|неправда|неверно|ложь|отказа\w+|опроверг\w+|сомнева\w+|якобы|"
    r"supuestamente|presuntamente|negó|prétendument|presumibilmente)\s*$",
    re.I,
)
_GOES_ON = lazy_pattern(r"\s*(?:and|but|so|und|aber|и|но|а|y|pero|et|mais|e|ma)\b", re.I)
_CLAUSE = lazy_pattern(r"[.!?…;:()\[\]。！？；：]|\n\s*\n")
_CLAIMED = lazy_pattern(
    r"[\s,\"”’—–-]*(?:or )?so (?:he|she|they|it|i|we|\w+) (?:claim|sa(?:id|y)|thought|think|believ|hop|was said|boast)",
    re.I,
)
_ASKED = lazy_pattern(r"(?:(?!\n\s*\n)[^.!?…;:,—()\"“„«。！？；：，、])*['”»)\]]*\s*[?？]")
_ASKS = frozenset(
    (
        "who whom whose what when where why how which did do does is are was were will would can could should shall "
        "has have had may might must am isn't aren't wasn't didn't don't doesn't won't can't "
        "wer wen wem was wann wo warum wieso wie welche welcher welches ist sind hat haben kann können wird war waren "
        "qui que quoi quand où pourquoi comment quel quelle est qu'est "
        "qué quién quiénes cuándo dónde cómo cuál cuánto cuántos por "
        "chi che cosa quando dove perché come quale кто что когда где почему как какой какая зачем сколько разве"
    ).split()
)
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether the words around a quote deny what it says, or tell it as hearsay."""
    before = _CLAUSE.split(text[max(0, start - _FAR) : start])[-1]
    parts = before.split(",")
    if _DENIED.search(parts[-1]) or _CLAIMED.match(text, end):
        return True
    return len(parts) > 1 and not _GOES_ON.match(parts[-1]) and _DENIED_WITH_COMMA.search(parts[-2]) is not None


def is_question_cut(text: str, start: int, end: int, tail: str) -> bool:
    """Return whether a quote, with these marks after its last word, takes the words of a question for a statement.

    It does not if it has the beginning of the question and a word that asks.
    """
    if "?" in tail or "？" in tail or not _ASKED.match(text, end, min(len(text), end + _FAR)):
        return False
    begun = max(sentence_ends(text, start, end), default=None)
    if begun is None and not begins_sentence(text, start):
        return True
    return not any(word.lower().replace("’", "'") in _ASKS for word in _WORD.findall(text, begun or start, end))
