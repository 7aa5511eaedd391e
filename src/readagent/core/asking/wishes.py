"""How replies ask for pages, in several languages: in the first person, as an imperative, or as what is needed.

An answer may name pages too ("Page 3 says that Anna left"), but it does not wish to see them.
"""

from __future__ import annotations

import re

from readagent.core.parsing.wordings import NONE, counted, named

_CUES = ("page",)
_PAGE = rf"(?:{named(_CUES)})"
_NUMBER = rf"{_PAGE}\W{{0,4}}(?:numbers?\W{{0,3}}|n(?:o|r|º|°)\.?\s?)?[\[<(]?\s?(?:\d|\]|zero\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b)"
_COUNTED = rf"\d\s?(?:{counted(_CUES)})"
NAMES = re.compile(rf"{_NUMBER}|{_COUNTED}", re.I)  # a page by its number
_SEE = (
    r"(?:look(?:ing)? (?:\w+ ){0,3}?(?:up|at|into|back)|re-?read(?:ing)?|read(?:ing)?|open(?:ing)?|see(?:ing)?|check(?:ing)?"
    r"|consult(?:ing)?|view(?:ing)?|verify(?:ing)?|confirm(?:ing)?|revisit(?:ing)?|go(?:ing)? (?:back|to|with|for)|return(?:ing)?"
    r"|turn(?:ing)? (?:back )?to|examine|inspect|review|request|access|fetch|pull up|have)"
)
_ENGLISH = (
    rf"\b(?:i|we)\b[^.!?\n]{{0,24}}?\b(?:want|need|wish|(?:would|['’]d) (?:\w+ )?like|ask(?:ing)? (?:for|to)|request(?:ing)?)\b",
    rf"\b(?:i|we)(?:['’](?:d|ll|m)| would| will| shall| should| must| have| am| had better)\b[^.!?\n]{{0,40}}?\b{_SEE}\b",
    rf"\b(?:let|allow) me\b[^.!?\n]{{0,30}}?\b{_SEE}\b",
    rf"^\W*(?:please|kindly|(?:can|could|may|might|would) (?:you|i|we))\b",
    rf"^\W*(?:(?:to (?:answer|be sure|decide)[^,]{{0,40}},|so|then|first)\s+)?(?:{_SEE}|show(?: me)?|needs?|needed|want(?:ed)?"
    rf"|requesting|required)\W{{1,3}}(?:the |full |raw |text |of |in |for |more ){{0,4}}{_PAGE}",
    rf"{_PAGE}[^.!?\n]{{0,40}}?\b(?:is|are|would be|will be|seems?|needs? to be|must be|should be) (?:\w+ ){{0,2}}?(?:needed|required"
    rf"|necessary|opened|re-?read|looked up|checked|consulted)\b",
    rf"{_PAGE} (?:needed|required|wanted|requested|to (?:open|look up|re-?read|read|check))\b|\blook[- _]?up\b\W{{0,4}}(?:{_PAGE}|\[?\d)",
    rf"{_PAGE}[^.!?\n]{{0,30}}?,? please\b",
)
_OTHERS = (
    r"\bich\b[^.!?\n]{0,20}?\b(?:möchte|will|würde|brauche|benötige|muss|müsste|sollte)\b"
    r"|\b(?:möchte|würde|brauche|benötige|muss|müsste) ich\b|^\W*bitte\b|\bbitte\W*$|\bzeig(?:e|en sie)? mir\b",
    r"\b(?:je|j['’])\s?(?:\w+ ){0,2}?(?:voudrais|veux|souhaite\w*|aimerais|dois|devrais|ai besoin|demande)\b|\bil (?:me )?fau(?:t|drait)\b"
    r"|\bs['’]il (?:vous|te) plaît",
    r"\b(?:quiero|quisiera|necesito|necesitaría|me gustaría|debo|tengo que|querría)\b|\bpor favor\b",
    r"\b(?:vorrei|voglio|devo|dovrei|ho bisogno|mi serv(?:e|ono))\b|\bper favore\b",
    r"\b(?:quero|gostaria|preciso|devo)\b",
    r"\b(?:хочу|хотел(?:а|ось)? бы|прошу|пожалуйста|попрошу)\b|\bмне (?:\w+ ){0,2}?(?:нужн\w+|надо|необходимо)|^\W*нужн\w+",
    r"\b(?:chcę|chciał(?:a)?bym|potrzebuję|proszę|poproszę|muszę)\b",
    r"\bik\b[^.!?\n]{0,20}?\b(?:wil|zou graag|moet)\b|\bheb ik\b.*\bnodig\b|\bik heb\b.*\bnodig\b|\bgraag\W*$",
    r"\bjag\b[^.!?\n]{0,20}?\b(?:vill|behöver|skulle vilja|måste)\b",
    r"\b(?:istiyorum|isterim|ihtiyacım var|lütfen)\b",
    r"\btôi (?:muốn|cần)\b|\bsaya (?:ingin|perlu)\b",
    r"我(?:\w{0,4})?(?:想|要|需要|得|必须)|^\W*(?:请|請|需要|想|麻烦)|请(?:打开|给我|让我|显示)",
    r"たいです|たいと思|たい。?\s*$|(?:を|も)(?:見せて|開いて)?(?:ください|お願い)|が?必要(?:です|があります)|読み直し(?:ます|たい)|確認し(?:ます|たい)",
    r"싶(?:습니다|어요|다)|필요합니다|필요해요|주세요|봐야|확인하겠|읽겠",
    r"(?:أريد|أحتاج|أود|من فضلك|أرغب)",
    r"चाहता|चाहती|चाहिए|कृपया",
)
WISH = re.compile("|".join((*_ENGLISH, *_OTHERS)), re.I)
ABOUT_PAGES = re.compile(rf"{_PAGE}|{counted(_CUES)}|look(?:ing)?[- ]?up|re-?read|nachschlagen", re.I)
ONLY_NAMES = re.compile(  # a sentence that has nothing but pages, and what they are wanted for
    rf"\W*(?:and\W+|und\W+|et\W+)?(?:第\s?)?(?:{_PAGE}\W{{0,4}})?(?:\d{{1,6}}|\[[\d\s,;and-]*\])"
    rf"(?:(?:\W|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bи\b|\bto\b|{_PAGE}|第|{counted(_CUES)}|和|と|및)*\d{{1,6}}|\s?(?:{counted(_CUES)}))*"
    rf"(?:\W*|\W+(?:to|for|um|pour|para|per|чтобы)\b[^.!?\n]{{0,120}}[.!?]?\W*)",
    re.I,
)
BUT = re.compile(r"\b(?:but|however|though|aber|doch|mais|pero|ma|mas|но)\b|但|しかし|が、|지만", re.I)
_DECLINES = re.compile(
    rf"\b(?:i|we)\b[^.!?\n]{{0,30}}?(?:\bnot\b|n['’]t\b|\bno\b)[^.!?\n]{{0,40}}?(?:{_PAGE}|look)|\bno (?:need|page|further page|more page)"
    rf"|{_PAGE} (?:is|are) (?:not|un)\s?necessary|\b(?:nothing|none) to look up\b|\bkeine\b[^.!?\n]{{0,30}}{_PAGE}|\baucune {_PAGE}",
    re.I,
)


def declines(sentence: str) -> bool:
    """Return whether a sentence says that no page is needed."""
    return bool(NONE.search(sentence) and _DECLINES.search(sentence) and len(sentence) < 160)
