"""Full stops that end no sentence: those of abbreviations, dates and numbered items."""

from __future__ import annotations

from readagent.core.patterns import lazy_pattern

_BEFORE = 12  # characters before a full stop that are looked at
_AFTER = 16  # characters after it
_OPENS = r"(?:^|[\s(\[\"'“‘„–—])"
_ABBREVIATION = lazy_pattern(
    rf"{_OPENS}(?:[A-Z]|(?i:Mr|Mrs|Ms|Dr|St|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sr|Jr|Mt|vs|cf|etc|viz|Vol|Fig|Eq"
    r"|pp|ch|ed|e\.g|i\.e|a\.m|p\.m|U\.S))\.$"
)
_NUMBER_FOLLOWS = lazy_pattern(  # "Feb. 2022", "Sept. 3", "No. 5", "p. 57", "A.D. 79"
    rf"{_OPENS}(?:[a-z]|(?i:Jan|Feb|Febr|Mar|Mär|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Okt|Nov|Dec|Dez|janv|févr|juil|déc"
    r"|ene|abr|ago|dic|No|Nos|Nr|Art|Abs|Abb|Bd|Kap|Tab|Sec|Ser|Par|cap|ca|approx|A\.D))\.$"
)
_DAY = lazy_pattern(r"(?:^|[^\w.,:])(?:0?[1-9]|[12]\d|3[01])\.$")
_GERMAN_MONTH = lazy_pattern(  # the only language that writes "9. November" with a capital letter
    r"(?:Januar|Jänner|Jan\.|Februar|Feb\.|März|April|Apr\.|Mai|Juni|Juli|August|Aug\.|September|Sept?\.|Oktober|Okt\."
    r"|November|Nov\.|Dezember|Dez\.|Jahrhunderts?|Jh\.|Weltkriegs?)(?!\w)"
)
_SHORT = lazy_pattern(rf"{_OPENS}(?:[a-z]|av|apr)\.$")  # "V a. C.", "44 v. Chr.", "z. B.", "52 av. J.-C."
_SHORT_FOLLOWS = lazy_pattern(r"[A-Z][a-z]{0,2}\.(?:\s|-[A-Z]\.)")
_ITEM = lazy_pattern(r"(?:^|\n|[.!?…][\"'”’»)\]*_]*\s)[^\S\n]*[(\[]?(?:\d{1,3}(?:\.\d{1,2}){0,3}|[ivx]{1,4})\.$")


def ends_no_sentence(text: str, start: int, stop: int, after: int) -> bool:
    """Return whether the full stop at ``stop`` ends no sentence.

    The sentence, or one before it, begins at ``start``; what follows the white space after it begins at ``after``.
    """
    begin = max(start, stop - _BEFORE)
    before, following = text[begin : stop + 1], text[after : after + _AFTER]
    if _ABBREVIATION.search(before):
        return True
    if following[:1].isdigit():
        return bool(_NUMBER_FOLLOWS.search(before))
    if _DAY.search(before) and _GERMAN_MONTH.match(following):
        return True
    if _SHORT.search(before) and _SHORT_FOLLOWS.match(following):
        return True
    item = _ITEM.search(before)
    return item is not None and _begins(text, begin + item.start(), start)


def _begins(text: str, at: int, start: int) -> bool:
    """Whether a number may be that of an item: nothing stands before it, or a sentence or line that is complete."""
    if text[at] == "\n":
        line = text[max(start, at - _BEFORE) : at].rstrip(" \t")
        return not line or line[-1] in "\n.!?…:;\"'”’»)]*_"
    if text[at] in "!?…":
        return True
    if text[at] == ".":
        before = text[max(start, at - _BEFORE) : at + 1]
        return not (_ABBREVIATION.search(before) or _NUMBER_FOLLOWS.search(before))
    return at == start
