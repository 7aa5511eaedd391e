"""Parse a verdict such as yes, no, not sure, true or false, in several languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from readagent.core.parsing.claims import CLAIM, UNCLEAR, modified
from readagent.core.parsing.wordings import corrects, named, word_in
from readagent.core.patterns import lazy_pattern

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
        rf"\b(?:{named(cues)}|verdict|so|therefore|thus|hence)\b(?:\s+is|,? (?:i would"
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
