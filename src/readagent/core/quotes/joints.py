"""Compare what is between two letters of a text and of a quote, and decide where a word or a number ends."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import INVISIBLE, Letters, is_letter, is_sign
from readagent.core.words import is_unspaced, sentence_ends

_AT_A_WORD = lazy_pattern(  # -rf, "-c", !enabled, *p; and --stop, but not a dash after quotation marks: ”--she said
    r"[\s\"'“”„«»‘’`(\[{「『、，。：（](?P<mark>-|!|\*{1,2})$|(?:\s[\"'“„«`]*|[(\[{])(?P<long>--)$"
)
_AT_THE_END = lazy_pattern(r"(-{1,2}|!|\*{1,2})$")
_PAIRED = {
    "-": lazy_pattern(r"[^\n]{0,80}?[\w.,!?]--?(?=[\s,.;:!?])"),  # dashes: he -and Ann too- left
    "*": lazy_pattern(r"(?:(?!\n\s*\n).){0,500}?[^\s*]\*", re.S),
}
_OPERATORS = frozenset("=<>")
_BEFORE_OPERATOR = lazy_pattern(r"[!?:~*/|^%&.-]+$")
_BETWEEN_SPACES = lazy_pattern(r"[^\S\n]([*/^~\\])[^\S\n]")
_DASH_OR_STAR = lazy_pattern(r"[-\u2010-\u2015*\n]")


def same_symbols(text: Letters, i: int, quote: Letters, j: int) -> bool:
    """Return whether the joints before letter i of a text and letter j of a quote have the same symbols."""
    raw, copied = text.joint(i), quote.joint(j)
    if text.text[i - 1].isdecimal() and (raw[:1] == "!") != (copied[:1] == "!"):  # 5! is a factorial
        return False
    if text.text[i] in _OPERATORS:
        return _found(_BEFORE_OPERATOR, raw) == _found(_BEFORE_OPERATOR, copied)
    there, here = _at_word(text, i, raw), _at_word(quote, j, copied)
    here = here or (there and _found(_AT_THE_END, copied))  # in the quote it may begin a line
    if there != here and (there or not _DASH_OR_STAR.search(raw)):
        return False
    between, copied_between = (_BETWEEN_SPACES.search(one) if "\n" not in one else None for one in (raw, copied))
    if between:
        return between[1] in copied
    return not copied_between or copied_between[1] in raw or "\n" in raw  # "/" may stand for the end of a line


def begins_alike(text: Letters, i: int, quote: Letters) -> bool:
    """Return whether a quote that begins with letter i of a text has the symbol right before it: the - of -rf."""
    there = _at_word(text, i, text.joint(i)) if i else ""
    return not there or there == _found(_AT_THE_END, quote.source[: quote.starts[0]])


def _at_word(letters: Letters, i: int, joint: str) -> str:
    """Return a symbol right before the word that begins with letter i, unless it is a mark of prose."""
    mark = _AT_A_WORD.search(joint) if joint[-1:] in ("-", "!", "*") else None
    if mark is None or "\n" in joint or not letters.text[i].isalnum():
        return ""
    found = mark["mark"] or mark["long"]
    paired = _PAIRED.get(found[0])
    return "" if paired and paired.match(letters.source, letters.starts[i]) else found


def _found(pattern: re.Pattern[str], joint: str) -> str:
    found = pattern.search(joint)
    return found[0] if found else ""


_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`\u2039\u203a\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2014\u2015\u2e3a\u2e3b", "—"),
        **dict.fromkeys("\u3002\uff0e\uff61\u0964\u104b\u17d4\u06d4", "."),
        **dict.fromkeys("\u3001\uff0c\uff64\u060c\u104a", ","),
        **dict.fromkeys("\u061f\u037e\uff1f", "?"),
        "\u2026": "...", "\u22ef": "...", "\u00a1": "", "\u00bf": "", "|": " ", "\\": "",
    }
)  # fmt: skip
_DROPPED = lazy_pattern(f"[{INVISIBLE}*_~#^©®™℠⁰¹²³⁴-⁹]|\\[\\d{{1,3}}\\]")
_BULLET = lazy_pattern(r"(?<=\n)[ \t]*(?:[-*+•>][ \t]+)+")
_BROKEN = lazy_pattern(r"(?<!-)-[^\S\n]*\n[^\S\n]*$")
_DOTS = lazy_pattern(r"\.(?:\s?\.){2,}")
_GAP = lazy_pattern(r'[\s—,;:!?"…]|--')
_DASH = lazy_pattern(r"\s*(-{1,3}|—)\s*")
_GROUP = lazy_pattern(r"(?<!\d)\d{1,3}(?:[^\S\n]\d{3})*[^\S\n]$"), lazy_pattern(r"\d{3}(?!\d)")  # 1 500
_POINT = lazy_pattern(r"\s[.．]$")  # .5
_LINE_END_IN_NUMBER = lazy_pattern(r"(?<![\d.,])\d{1,3},[^\S\n]*\n[^\S\n]*$")  # 1, and 500 on the next line
_CJK_STOP = lazy_pattern("[。！？｡]")
_STOP_OF_WORD = lazy_pattern(r"[^\W\d_]{4}\.$")
_FRACTION = lazy_pattern(r"\d{1,2}[/⁄]\d")
_PAUSE = lazy_pattern(r"[,;:.!?—]|--|\s-\s")
_ANSWER = lazy_pattern(r"\b(?:no|yes|nein|ja|нет|да|non|oui|sí|não|sim|not|nicht|не)$", re.I)
_AFTER_ANSWER = lazy_pattern(
    r"(?:i|it|we|they|you|she|but|because|and|the|that|this|there|dass|weil|sondern|что|потому|que)\b", re.I
)
_LEADING_VOWELS = frozenset("เแโใไເແໂໃໄ")  # written before the consonant that they follow
_NEVER_FIRST = frozenset("ーゃゅょャュョぁぃぅぇぉァィゥェォ々ゝゞะาำๅະາຳ")


@lru_cache(maxsize=4096)
def plain(raw: str) -> str:
    """Return a joint in one form: one kind of each mark, single spaces, no emphasis and nothing invisible."""
    text = _BULLET.sub("", _DROPPED.sub("", raw)).translate(_SAME)
    return _DOTS.sub("…", unicodedata.normalize("NFKC", text))


def is_same(text: Letters, i: int, quote: Letters, j: int) -> bool:
    """Return whether the joints before letter i of a text and letter j of a quote say the same."""
    raw, copied = text.joint(i), quote.joint(j)
    if raw == copied:
        return True
    there, here = plain(raw), plain(copied)
    left, right = text.text[i - 1], text.text[i]
    if not same_symbols(text, i, quote, j):
        return False
    if left.isdecimal() and right.isdecimal():
        return _compact(there) == _compact(here)
    if " ".join(there.split()) == " ".join(here.split()) and bool(there) == bool(here):
        return True
    if right.isdecimal() and bool(_POINT.search(raw)) != bool(_POINT.search(copied)):
        return False
    if not _same_sentences(text, i, there, here) or ("…" in here and "…" not in there):
        return False
    if bool(_PAUSE.search(there)) != bool(_PAUSE.search(here)) and _answers(text, i):
        return False
    if is_unspaced(left) or is_unspaced(right):
        return True
    if _BROKEN.search(there) or _BROKEN.search(here):
        return all(_bare(one) in ("", "-") and not one.isspace() for one in (there, here))
    apart, copied_apart = bool(_GAP.search(there)), bool(_GAP.search(here))
    if apart and copied_apart:
        return True
    if is_sign(left) or is_sign(right) or (left.isdecimal() and right.isalpha()):
        return _bare(there) == _bare(here) == ""
    if apart or copied_apart:  # a dash without spaces may be written as a hyphen
        return _bare(there) in ("-", "--", "—") and _bare(here) in ("-", "--", "—")
    return _bare(there) == _bare(here)


def _answers(text: Letters, i: int) -> bool:
    """Return whether the word before letter i is a "no" whose comma matters: "No, money" is not "no money"."""
    end, following = text.ends[i - 1], text.starts[i]
    answer = _ANSWER.search(text.source, max(0, end - 8), end)
    return answer is not None and not _AFTER_ANSWER.match(text.source, following)


def _bare(joint: str) -> str:
    return "".join(joint.split())


def _compact(joint: str) -> str:
    """Return a joint between two digits with single spaces, and none around a dash."""
    return _DASH.sub("-", re.sub(r"\s+", " ", joint))


def _same_sentences(text: Letters, i: int, there: str, here: str) -> bool:
    """Return whether a sentence ends in both joints or in neither, and both or neither are questions."""
    if ("?" in there) != ("?" in here):
        return False
    ended, copied = bool(re.search(r"[.!?]", there)), bool(re.search(r"[.!?]", here))
    if ended == copied:
        return True
    if copied:
        return "\n" in there or "…" in there
    start, end = text.ends[i - 1], text.starts[i]
    ends = sentence_ends(text.source, max(0, start - 40), min(len(text.source), end + 1))
    return not any(start < cut <= end for cut in ends)  # the full stop of an abbreviation


def ends_alike(there: str, here: str) -> bool:
    """Return whether a quote does not end as a statement what ends as a question in the text, or the reverse."""
    there, here = plain(there), plain(here)
    final = re.match(r'[\s"\')\]—-]*([.!?…]+)', there)
    copied = re.search(r"[.!?]", here)
    return not final or not copied or ("?" in final[1]) == ("?" in here)


def is_boundary(text: Letters, i: int) -> bool:
    """Return whether a word, a number or a sign ends before letter i, so that a quote may begin or end there."""
    if i <= 0 or i >= len(text.text):
        return True
    left, right = text.text[i - 1], text.text[i]
    if text.starts[i] == text.starts[i - 1] or (is_letter(right) and not right.isalnum()):
        return False
    raw = text.joint(i)
    if _CJK_STOP.search(raw):
        return True
    joint = plain(raw)
    bare = _bare(joint)
    if left.isdecimal() and right.isdecimal():
        return joint != bare and bare not in ("-", "--", ":") and not _is_group(text, i)
    if right.isdecimal() and (_POINT.search(raw) or raw == "."):
        return raw == "." and bool(_STOP_OF_WORD.search(text.source, max(0, text.starts[i] - 5), text.starts[i]))
    if is_sign(left) or is_sign(right):
        beside = right if is_sign(left) else left
        return bool(bare and joint != bare) or bool(joint and not beside.isdecimal() and not is_sign(beside))
    if is_unspaced(left) and is_unspaced(right):
        apart = bool(bare)
        one_word = _katakana(left) and _katakana(right)
        return apart or not (one_word or right in _NEVER_FIRST or left in _LEADING_VOWELS)
    if is_unspaced(left) or is_unspaced(right):
        return True
    return bool(_GAP.search(joint)) and not _BROKEN.search(joint)


def _is_group(text: Letters, i: int) -> bool:
    """Return whether white space stands within a number: 1 500, or 2 1/2."""
    at = text.starts[i]
    before = text.source[max(0, at - 20) : at]
    if before[-1:] == " " and before[-2:-1].isdecimal() and _FRACTION.match(text.source, at):
        return True
    grouped = _GROUP[0].search(before) or _LINE_END_IN_NUMBER.search(before)
    return bool(grouped) and bool(_GROUP[1].match(text.source, at))


def _katakana(character: str) -> bool:
    return "\u30a1" <= character <= "\u30fe"
