"""Parse verdicts: yes, no, not sure, true or false in several languages, and which statements the quotes support."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from readagent.core.form import strip_thinking, unfenced
from readagent.core.parsing.wordings import corrects, cued, word_in
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


_YES = r"yes|yeah|yep|ja|oui|s[ií]|sì|sim|да|tak|evet|نعم", r"是的?|はい|네|예"
_NO = (
    r"no(?! (?:doubt|question|part|es|está))|nope|nein|non(?! è)|não(?! é)|нет|nie|nee|nej|hayır|لا",
    r"否|不是|不(?=。|$)|いいえ|아니[요오]",
)
_SHORT = {  # what counts only where it begins the reply, is its last sentence, or is announced
    "yes": (rf"{_YES[0]}|correct", _YES[1]),
    "no": _NO,
    "true": _YES,
    "false": _NO,
}
_CLEAR = {  # what counts wherever it is: with spaces around it, and in scripts without spaces
    "yes": (r"(?:begins|starts|opens|does (?:begin|start|open)) a new (?:chapter|section)", r"(?!)"),
    "no": (r"(?:not|\w*n't) (?:begin|start|open) a new (?:chapter|section)|no new (?:chapter|section)", r"(?!)"),
    "not sure": (
        r"not (?:\w+ )?(?:sure|certain)|unsure|uncertain|unclear|hard to (?:say|tell)|(?:cannot|can't) (?:tell|say)"
        r"|nicht sicher|unsicher|unklar|pas s[ûu]re?|no estoy segur[oa]|non sono sicur[oa]|não tenho certeza"
        r"|не уверен\w*|niet zeker|nie (?:jestem )?pew\w+|emin değil\w*|inte säker",
        r"不确定|不確定|[わ分]か(?:りません|らない)|모르겠",
    ),
    "true": (
        r"true|correct|right|verdad|accurate|supported|supports|confirmed|confirms|holds|matches|not (?:false|wrong"
        r"|incorrect)|wahr|richtig|stimmt|trifft zu"
        r"|vrai|exact|verdader[oa]|ciert[oa]|correct[oa]|vero|verdadeir[oa]|верно|правда|правильно|prawda|waar|juist"
        r"|doğru|صحيحة?|sant",
        r"正[确確]|[对對](?!于)|属实|正しい|本当|참|맞|सही",
    ),
    "false": (
        r"false|(?:not|\w*n't) (?:\w+ )?(?:true|correct|right|accurate|supported?|hold|match)|untrue|by no means"
        r"|absolutely not"
        r"|trifft nicht zu|это не так|incorrect|wrong"
        r"|unsupported|inaccurate"
        r"|(?:only )?(?:partly|partially|half) (?:true|correct)|contradicted|contradicts"
        r"|falsch|(?:nicht|stimmt) (?:wahr|richtig|nicht)|unwahr|faux|pas (?:vrai|exact)|inexact|fals[oa]"
        r"|incorrect[oa]"
        r"|non è vero|не ?верно|ложь|неправда|не ?правильно|fałsz|nieprawda|onwaar|niet waar|yanlış|خطأ|خاطئة?"
        r"|falskt",
        r"[错錯][误誤]|不[对對]|不正[确確]|誤り|正しく(?:ない|ありません)|間違|거짓|틀|并非如此|사실이 아니|사실이 아닙"
        r"|假",
    ),
    "yes, partially": (r"yes,? (?:partially|partly)|partially|partly|partial|in part", r"(?!)"),
}
_DENIED_QUESTION = lazy_pattern(r"\b(?:false|wrong|untrue|incorrect|falsch|faux|fals[oa])\b[^.!\n]*\?")
_NEVER = "(?!)", "(?!)"
_JOINED = lazy_pattern(r"\W*(?:and|or|und|oder|et|ou|y|o|и|или)\W*|\s*/\s*", re.I)
_SENTENCE = lazy_pattern(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")


class _Match(NamedTuple):
    start: int
    end: int
    value: str


def parse_words(text: str, values: Sequence[str], cues: Sequence[str]) -> tuple[str, ...] | None:
    """Return the verdict that is announced, begins or ends the reply, or is the only one; None if there are two."""
    if word := word_in(text, values):
        return (word,)
    text = text.replace("’", "'").lower()
    everything = _matches(text, values, _SHORT, _CLEAR)
    clear = _matches(text, values, _CLEAR)
    for found in (_announced(text, everything, cues), _outer(text, everything), clear):
        said = {match.value for match in found}
        if said == CLAIM and re.search(r"\b(?:part|half)\b", text):
            return ("false",)
        if found is not clear and set(values) >= CLAIM and _DENIED_QUESTION.search(text):
            return None
        if set(values) >= CLAIM and found and found is not clear and not _agree(text, found[-1], clear):
            return None
        if found:
            return (found[0].value,) if len(said) == 1 and UNCLEAR not in said else None
    return None


def _agree(text: str, verdict: _Match, clear: Sequence[_Match]) -> bool:
    """Return whether nothing in the sentence of a verdict says the opposite: "Yes, it's false" is unclear."""
    over = re.search(r"[.;\n。]|\b(?:although|though|while|because|since|obwohl|weil|denn)\b", text[verdict.end :])
    end = verdict.end + over.start() if over else len(text)
    return all(one.value in (verdict.value, UNCLEAR) for one in clear if verdict.end <= one.start < end)


def _matches(text: str, values: Sequence[str], *tables: Mapping[str, tuple[str, str]]) -> list[_Match]:
    """Return the verdicts in a text, in order, without those that are part of a longer one ("true" in "not true")."""
    found = [
        _Match(match.start(), match.end(), value)
        for value in values
        for match in _pattern(value, tuple(table.get(value.lower(), _NEVER) for table in tables)).finditer(text)
    ]
    found.sort(key=lambda match: (match.start, -match.end))
    kept: list[_Match] = []
    for match in found:
        if not kept or match.end > kept[-1].end:
            kept.append(match)
    if not set(values) >= CLAIM:
        return kept
    return [_Match(start, end, value) for start, end, value in modified(text, kept)]


@cache
def _pattern(value: str, phrases: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    own = "(?!)" if value.lower() in ("yes", "no") else re.escape(value.lower())
    spaced = "|".join([*(words for words, _ in phrases), own])
    unspaced = "|".join(words for _, words in phrases)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|(?:{unspaced})")


def _announced(text: str, found: Sequence[_Match], cues: Sequence[str]) -> list[_Match]:
    """Return the verdicts after "answer:" and the like; if one takes those before it back, only those from it on."""
    cue = re.compile(
        rf"\b(?:{cued(cues)}|verdict|so|therefore|thus|hence)\b(?:\s+is|,? (?:i would"
        rf"|i'd) say)?\W{{0,6}}\Z"
    )
    kept = [match for match in found if cue.search(text, max(0, match.start - 60), match.start)]
    for earlier, later in pairwise(tuple(kept)):
        if corrects(text[earlier.end : later.start]):
            kept = kept[kept.index(later) :]
    return _with_joined(text, kept, found)


def _outer(text: str, found: Sequence[_Match]) -> list[_Match]:
    """Return the verdict that begins the reply, and the one that is its whole last sentence."""
    first = [match for match in found if not re.search(r"\w", text[: match.start])][:1]
    sentences = [one for one in _SENTENCE.split(text) if one and re.search(r"\w", one)]
    begin = text.rfind(sentences[-1]) if sentences else 0
    last = [
        match
        for match in found
        if match.start >= begin
        and not re.search(r"\w", text[match.end :])
        and (not re.search(r"\w", text[begin : match.start]) or re.search(r"[:,–—-]\s*$", text[begin : match.start]))
    ]
    return _with_joined(text, [*first, *last], found)


def _with_joined(text: str, kept: Sequence[_Match], found: Sequence[_Match]) -> list[_Match]:
    """Return verdicts with those that are joined to them: "yes and no" is neither."""
    joined = [b for a, b in pairwise(found) if a in kept and _JOINED.fullmatch(text, a.end, b.start)]
    return [*kept, *joined]


Verdict = tuple[bool, tuple[int, ...]]  # whether it is borne out, and the indices of the quotes; empty for all of them

_SUPPORTED = r"yes|y|supported|true|entailed|near|ja|oui|sí|si|sim|да|是|はい|예|✓|✔|✅"
_REFUTED = (
    r"n|no(?:t supported|t entailed|pe)?|unsupported|false|contradicted|unclear|unknown|partly|partially|partial|none"
    r"|not|nein|non|não|нет|否|不是|いいえ|아니요|✗|✘|❌"
)
_MARKS = r"[\s*_`#>|(\[\-•]*"
_LINE = lazy_pattern(
    rf"^{_MARKS}(?:statement|claim|answer)?\s*#?(?P<number>\d{{1,3}})[\s*_`\])|:.\-–—=>→]*"
    rf"(?P<said>(?:{_SUPPORTED}|{_REFUTED})(?!\w))(?P<rest>.*)$",
    re.I | re.M,
)
_NEXT = lazy_pattern(  # a verdict on the same line as the one before it
    rf"[,;.|]?[^\S\n]+(?=(?:statement\s*)?#?\d{{1,3}}\s?[:=)\-–—.]\s*(?:{_SUPPORTED}|{_REFUTED})(?!\w))", re.I
)
_ALONE = lazy_pattern(rf"^{_MARKS}(?:answer\W*)?(?P<said>(?:{_SUPPORTED}|{_REFUTED})(?!\w))(?P<rest>.*)", re.I | re.S)
_IS_YES = lazy_pattern(_SUPPORTED, re.I)
_HEDGED = lazy_pattern(r"\b(?:but|except|however|partly|partially|not (?:fully|entirely|all)|no)\b", re.I)
_LIST = lazy_pattern(
    r"[\[(]([\d,;&\s]+|[^\])]*?quotes?[^\])]*?)[\])]|\bquotes?\s*#?((?:\d+(?:\s*(?:,|and|&)\s*)?)+)"
    r"|^\W*(\d[\d,\s]*)\W*$",
    re.I,
)
_NUMBER = ("statement", "number", "id")  # fields of an object in JSON that name the statement


def parse_verdicts(reply: str, statements: int, quotes: int) -> dict[int, Verdict]:
    """Return the verdict on each statement that a reply is clear about, by index. It never raises.

    What is partly true, or true with a reservation, is not borne out. Of two verdicts that differ, none counts.
    """
    text = unfenced(strip_thinking(reply))
    found: dict[int, Verdict] = {}
    unclear: set[int] = set()
    for number, said, named in [*_from_json(text)] or [*_from_lines(text, statements)]:
        at = number - 1
        if not 0 <= at < statements or at in unclear:
            continue
        verdict = said, tuple(dict.fromkeys(one - 1 for one in named if 0 < one <= quotes)) if said else ()
        if said and named and not verdict[1]:
            verdict = False, ()  # it names only quotes that do not exist
        if at in found and found[at][0] != verdict[0]:
            unclear.add(at)
            del found[at]
        else:
            found[at] = verdict
    return found


def only_near(reply: str) -> bool:
    """Return whether a reply says of statements that they are near a quote, as one does that compares vectors."""
    said = [match["said"].lower() for match in _LINE.finditer(reply)]
    return "near" in said and not any(one != "near" and _IS_YES.fullmatch(one) for one in said)


def _from_lines(text: str, statements: int) -> Iterator[tuple[int, bool, list[int]]]:
    lines = [(int(match["number"]), match["said"], match["rest"]) for match in _LINE.finditer(_NEXT.sub("\n", text))]
    if not lines and statements == 1 and (alone := _ALONE.match(text)):
        lines = [(1, alone["said"], alone["rest"])]
    for number, said, rest in lines:
        yield number, bool(_IS_YES.fullmatch(said)) and not _HEDGED.search(rest), _named(rest)


def _named(rest: str) -> list[int]:
    """Return the numbers of the quotes that the rest of a line lists."""
    listed = _LIST.search(rest)
    return [int(one) for one in re.findall(r"\d{1,3}", next(filter(None, listed.groups()), ""))] if listed else []


def _from_json(text: str) -> Iterator[tuple[int, bool, list[int]]]:
    """Find verdicts in a JSON reply: {"1": "yes [2]"}, {"1": true}, or objects with a number, a verdict and quotes."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for number, one in _entries(value):
        fields = list(one.values()) if isinstance(one, dict) else [one]
        said = next((word for word in map(_said, fields) if word is not None), None)
        if said is None:
            continue
        lists = [some for some in fields if isinstance(some, list)]
        rest = next((some for some in fields if isinstance(some, str)), "")
        named = (
            [int(str(item)) for item in lists[0] if re.fullmatch("[0-9]{1,3}", str(item))] if lists else _named(rest)
        )
        yield number, said, named


def _entries(value: Any) -> Iterator[tuple[int, Any]]:
    if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), list | dict):
        value = inner
    if isinstance(value, dict):
        yield from ((int(name), one) for name, one in value.items() if re.fullmatch("[0-9]{1,3}", str(name)))
    for place, one in enumerate(value if isinstance(value, list) else (), 1):
        if not isinstance(one, dict):
            yield place, one
            continue
        named = next((str(one[name]) for name in _NUMBER if name in one), str(place))
        rest = {name: field for name, field in one.items() if name not in _NUMBER}
        yield int(named) if re.fullmatch("[0-9]{1,3}", named) else place, rest


def _said(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    match = _ALONE.match(value) if isinstance(value, str) else None
    return None if match is None else bool(_IS_YES.fullmatch(match["said"])) and not _HEDGED.search(match["rest"])
