"""Recognise replies that are no replies: refusals, error messages of servers, requests for the text, and noise."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readagent.core.failure_wordings import (
    BY_THE_MODEL,
    CANNOT_SHORTEN,
    DECLINED,
    DECLINING,
    DISCLAIMER,
    EMPTY,
    ERRORS,
    LATER,
    OFFERS,
    REFUSALS,
    REFUSING,
    REQUESTS,
    WHOLE,
    Refusing,
)
from readagent.core.patterns import lazy_pattern

REFUSED = "the model refused"
SHOWS = 400  # characters; a failure can be recognised within these
_SPEECH = 200  # characters in which the speaker of the first words is named


def _refusal(sorry: str, cannot: str, done: str, model: str) -> re.Pattern[str]:
    ways = [rf"(?:{sorry}).{{0,80}}?(?:{cannot})", rf".{{0,12}}(?:{cannot}).{{0,40}}?(?:{done})"]
    return lazy_pattern(rf"\W*(?:{'|'.join([*ways, model] if model else ways)})", re.S | re.I)


def _whole(row: Refusing) -> str:
    about = f"(?: {row.about})?" if row.about else ""
    return rf"(?:(?:{row.sorry})\W+(?:\w{{2,4}} )?)?(?:{row.cannot}) (?:\w+ )?(?:{row.done}){about}"


_REFUSALS = tuple(_refusal(*row) for row in REFUSALS)
_DISCLAIMER = lazy_pattern(DISCLAIMER, re.I)
_CANNOT_SHORTEN = lazy_pattern(CANNOT_SHORTEN, re.I)
_EMPTY = lazy_pattern(EMPTY, re.I)
_ERROR = lazy_pattern(rf"\s*(?:{'|'.join(ERRORS)})", re.S | re.I)
_LATER = lazy_pattern(rf"(?:^|[.!?;,:。！，；\n]\s*)(?:please |kindly |bitte )?(?:{'|'.join(LATER)})", re.I)
_REQUEST = lazy_pattern(
    rf"\W*(?:(?:sure|of course|certainly|okay|hello|hi)\b[^.!\n]{{0,60}}[.!,]\s*)?(?:{'|'.join(REQUESTS)})",
    re.S | re.I,
)
_OFFER = lazy_pattern(rf"\W*(?:[^.!?]{{0,80}}, ?)?(?:{'|'.join(OFFERS)})", re.S | re.I)
_WHOLE = lazy_pattern(rf"\W*(?:{'|'.join([*map(_whole, REFUSING), *WHOLE])})\W*", re.I)
_QUOTED = lazy_pattern(r'"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|»[^«\n]*«|「[^」\n]*」|『[^』\n]*』|‹[^›\n]*›')
_SPEAKER = lazy_pattern(  # ", says Anna": the words before are those of a person
    r"[,!?.][’'›]? (?:(?:he|she|they|[A-Z]\w+) )?(?:says|said|asks|asked|answers|answered|replies|replied|thinks|writes"
    r"|sagte?|antwortet|denkt|dit|répond|pense|dice|dijo|responde|disse|risponde|говорит|сказала?|ответила?)\b"
)
_LETTER = lazy_pattern(r"[^\W\d_]")
_SENTENCES = lazy_pattern(r"(?<=[.!?。！？;])\s*")
_TOKEN = r"</?(?:s|unk|pad|eos|bos|think)>|<\|[^|>]{1,40}\|>|\[(?:done|inst|/inst)\]|<(?:start|end)_of_turn>"
_PLACEHOLDER = lazy_pattern(
    rf"(?:\W|data:|assistant|{_TOKEN})*(?:null|undefined|nan|\[object object\]|lorem ipsum dolor.*)?\W*", re.S | re.I
)
_FEW_WORDS = lazy_pattern(r"\W*(?:\w+\W+){0,3}\w+")
_NOISE = lazy_pattern(
    r"\s*(?:(.)\1{11,}|(?:[ĠĊ]+\w*\s*)+|(?:\S+\s+){0,3}<\d+>\W*|[\[{]\s*\"(?:name|function|tool_calls?)\"\s*:.*)\s*",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a text is no reply, and the words that show it, with some that follow.

    ``offer`` if it only ends with an offer or a question to the user.
    """

    reason: str
    words: str
    offer: bool = False


def find_failure(text: str) -> Failure | None:
    """Return why a text is no reply but the message of a failure; None if it may be a reply."""
    beginning, said = text[:SHOWS], own_words(text[:SHOWS])
    if refused := _refused(said):
        return Failure(REFUSED, _at_least(refused, said))
    short = said if len(text) < SHOWS else ""
    if found := _ERROR.match(beginning) or _LATER.search(short):
        return Failure("it was an error message", _at_least(found[0], beginning))
    if found := _REQUEST.match(said):
        return Failure("it asked for the text", _at_least(found[0], said))
    if _PLACEHOLDER.fullmatch(text) or _NOISE.fullmatch(beginning):
        return Failure("it had no content", text)
    if found := _EMPTY.match(beginning):
        return Failure("it had no content", _at_least(found[0], beginning))
    if found := _CANNOT_SHORTEN.search(short):
        return Failure(REFUSED, found[0])
    last = next(filter(None, reversed(_SENTENCES.split(text[-SHOWS:].strip()))), "")
    offer = _OFFER.match(last)
    return Failure("it spoke to the user", offer[0], offer=True) if offer else None


def own_words(text: str) -> str:
    """Return the words of a text outside of quotation marks; all of it if there are none, or if it is JSON."""
    if '"' in text and text.lstrip().startswith(("{", "[")):
        return text
    outside = _QUOTED.sub(" ", text)
    return outside if _LETTER.search(outside) else text


def _at_least(words: str, text: str) -> str:
    """Return the words, with some that follow them in the text if they are few."""
    few = _FEW_WORDS.match(text, max(0, text.find(words)))
    return max(words, few[0] if few else "", key=len)


def failure_in(text: str) -> str:
    """Return why a text is no reply but the message of a failure; "" if it may be a reply."""
    failure = find_failure(text)
    return failure.reason if failure else ""


def is_refusal(text: str) -> bool:
    """Return whether a reply declines to answer, in any of several languages."""
    return bool(_refused(own_words(text[:SHOWS])))


def _refused(beginning: str) -> str:
    """Return the words that decline; "" if there are none."""
    if _SPEAKER.search(beginning, 0, _SPEECH):
        return ""
    first = next(filter(None, _SENTENCES.split(beginning.strip())), "")
    if len(beginning) < SHOWS and _WHOLE.fullmatch(first):
        return first
    if declining := DECLINING.match(beginning):
        rest = beginning[declining.end() :]
        sure = declining[0].strip().lower().startswith(("i", "as "))  # "unfortunately" may begin any sentence
        declined = DECLINED.match(rest)
        return declining[0] + declined[0] if declined and (sure or BY_THE_MODEL.match(rest)) else ""
    found = next(filter(None, (refusal.match(beginning) for refusal in (*_REFUSALS, _DISCLAIMER))), None)
    return found[0] if found else ""


def may_be_failure(text: str) -> bool:
    """Return whether the beginning of a reply, while it arrives, may turn out to be the message of a failure."""
    return len(text) < SHOWS and bool(DECLINING.match(text) or find_failure(text))
