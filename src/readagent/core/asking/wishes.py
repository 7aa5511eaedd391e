"""How replies ask for pages, in several languages: in the first person, as an imperative, or as what is needed.

An answer may name pages too ("Page 3 says that Anna left"), but nobody wishes to see them in it.
"""

from __future__ import annotations

import re

from readagent.core.parsing.wordings import NONE, counted, cued, listed
from readagent.core.patterns import lazy_pattern

_CUES = ("page",)
_PAGE = rf"(?:{cued(_CUES)}|pagina['’]s|sid(?:a|or)\b|oldal\w*|halaman)"
_AFTER = rf"(?:\.?\s?(?:sayfa|oldal|seite|stron)|\s?(?:{counted(_CUES)}))"  # a page, after its number
_FIRST_WORDS = "zero|one|two|three|four|five|six|seven|eight|nine"
_NEEDED = "needed|required|wanted|requested"
NAMES = lazy_pattern(  # a page by its number
    rf"{_PAGE}\W{{0,4}}(?:numbers?\W{{0,3}}|n(?:o|r|º|°)\.?\s?)?[\[<(]?\s?(?:\d|\]|(?:{_FIRST_WORDS})\b)|\d{_AFTER}"
    rf"|(?:{_PAGE} (?:{_NEEDED})|\blook[- _]?up)\W{{0,4}}\d",
    re.I,
)
LISTS = lazy_pattern(rf"(?:{_PAGE}|\blook[- _]?up)\W{{0,4}}{listed(_PAGE, counted(_CUES))}|\d{{1,6}}{_AFTER}", re.I)
_SEE = (
    r"(?:look(?:ing)? (?:\w+ ){0,3}?(?:up|at|into|back)|re-?read(?:ing)?|read(?:ing)?|open(?:ing)?|see(?:ing)?"
    r"|check(?:ing)?|consult(?:ing)?|view(?:ing)?|verify(?:ing)?|confirm(?:ing)?|revisit(?:ing)?"
    r"|go(?:ing)? (?:back|to|with|for)|return(?:ing)?|turn(?:ing)? (?:back )?to|examine|inspect|review|request|access"
    r"|fetch|pull up|have)"
)
_SEE_NOW = (  # an imperative; "See page 3" is a reference
    r"(?:look (?:up|at)|re-?read|read|open|check|consult|view|verify|revisit|go (?:back )?to|turn to|examine|review"
    r"|request(?:ing)?|access|fetch|give me|send me|provide|show(?: me)?|needs?|want"
    r"|opening|looking up|re-?reading|checking)"
)
_IS = r"(?:is|are|would be|will be|seems?|needs? to be|must be|should be|ha(?:s|ve) to be)"
_CLAUSE = r"(?:^\W*|[;；—–]\s*)"  # where an imperative begins
_PLEA = r"(?:^\W*|[,;，；—–]\s*(?:so |and )?)"
_ENGLISH = (
    r"\b(?:i|we)\b[^.!?\n]{0,24}?\b(?:want|need|wish|(?:would|['’]d) (?:\w+ )?like|ask(?:ing)? (?:for|to)"
    r"|request(?:ing)?)\b",
    r"\b(?:i|we)(?:['’](?:d|ll|m)| would| will| shall| should| must| have| am| had better)\b"
    rf"[^.!?\n]{{0,40}}?\b{_SEE}\b",
    rf"\b(?:let|allow) me\b[^.!?\n]{{0,30}}?\b{_SEE}\b",
    rf"{_PLEA}(?:please|kindly|(?:can|could|may|might|would) (?:you|i|we))\b",
    rf"{_CLAUSE}(?:(?:to (?:answer|be sure|decide)[^,]{{0,40}},|so|then|first)\s+)?(?:{_SEE_NOW}|{_NEEDED})\W{{1,3}}"
    rf"(?:the |full |raw |text |of |in |for |more ){{0,4}}{_PAGE}",
    rf"{_PAGE}[^.!?\n]{{0,40}}?\b{_IS} (?:\w+ ){{0,2}}?(?:needed|required|necessary|opened|re-?read|looked up|checked"
    r"|consulted)\b",
    rf"{_PAGE} (?:{_NEEDED}|to (?:open|look up|re-?read|read|check))\b|^\W*look[- _]?up\b\W{{0,4}}(?:{_PAGE}|\[?\d)",
    r"\bnecessary to (?:look up|re-?read|open|read|check|see)\b",
    rf"{_PAGE}[^.!?\n]{{0,30}}?,? please\b",
)
_OTHERS = (
    r"\bich\b[^.!?\n]{0,20}?\b(?:möchte|will|würde|brauche|benötige|muss|müsste|sollte)\b|^\W*bitte\b|\bbitte\W*$"
    r"|\b(?:möchte|würde|brauche|benötige|muss|müsste) ich\b|\bzeig(?:e|en sie)? mir\b"
    rf"|{_PAGE}[^.!?\n]{{0,40}}?(?:\b(?:gelesen|geöffnet|nachgeschlagen|nachgelesen|geprüft) werden\b"
    r"|\b(?:nachschlagen|nachlesen|öffnen)\W*$)",
    r"\b(?:je|j['’])\s?(?:\w+ ){0,2}?(?:voudrais|veux|souhaite\w*|aimerais|dois|devrais|ai besoin|demande)\b"
    r"|\bil (?:me )?fau(?:t|drait)\b|\bs['’]il (?:vous|te) plaît"
    r"|\b(?:montr|donn)ez?-moi\b",
    r"\b(?:quiero|quisiera|necesito|necesitaría|me gustaría|debo|tengo que|querría)\b|\bpor favor\b"
    r"|\bmu[ée]str[ae](?:n?me|n?os)\b",
    r"\b(?:vorrei|voglio|devo|dovrei|ho bisogno|mi serv(?:e|ono))\b|\bper favore\b",
    r"\b(?:quero|gostaria|preciso|devo)\b",
    r"\b(?:хочу|я хотел(?:а|ось)? бы|хотелось бы|прошу|пожалуйста|попрошу)\b|^\W*(?:нужн\w+|надо)\b"
    r"|\bмне (?:\w+ ){0,2}?(?:нужн\w+|надо|необходимо)",
    r"\b(?:chcę|chciał(?:a)?bym|potrzebuję|proszę|poproszę|muszę)\b",
    r"\bik\b[^.!?\n]{0,20}?\b(?:wil|zou graag|moet)\b|\b(?:heb ik|ik heb)\b.*\bnodig\b|\bgraag\W*$",
    r"\bjag\b[^.!?\n]{0,20}?\b(?:vill|behöver|skulle vilja|måste)\b",
    r"\b(?:istiyorum|isterim|ihtiyacım var|lütfen)\b",
    r"\btôi (?:muốn|cần)\b|\bsaya (?:ingin|perlu)\b",
    rf"我\w{{0,4}}?(?:想|要|需要|得|必须)|{_PLEA}(?:请|請|需要|想|麻烦)|请(?:打开|给我|让我|显示)",
    r"たいです|たいと思|たい。?\s*$|(?:を|も)(?:見せて|開いて)?(?:ください|お願い)|が?必要(?:です|があります)"
    r"|読み直し(?:ます|たい)|確認し(?:ます|たい)",
    r"싶(?:습니다|어요|다)|필요합니다|필요해요|주세요|(?:해|봐|어|아)야 (?:합니다|해요|한다)|확인하겠|읽겠",
    r"أريد|أحتاج|أود|من فضلك|أرغب",
    r"चाहता|चाहती|चाहिए|कृपया",
)
WISH = lazy_pattern("|".join((*_ENGLISH, *_OTHERS)), re.I)
_MODEL = lazy_pattern(r"\b(?:i|me|my|ich|mir|mich|je|moi|мне|я)\b|\bj['’]|我|私|저|나는", re.I)
_OTHER_PERSON = lazy_pattern(r"\b(?:he|she|they)\b", re.I)
_MAY = lazy_pattern(
    r"\b(?:can(?:not)?|could|would|will|need|must|should|going to|let|have to|kann|könnte|müsste|muss|peux|pourr\w+"
    r"|faut|puedo|podría|могу|можно)\b|['’](?:d|ll)\b|[能要得]",
    re.I,
)
_READS = (
    r"\b(?:look(?:ing)?[- _]?up|re-?read(?:ing)?|read(?:ing)?|open(?:ing)?|check(?:ing)?|consult(?:ing)?"
    r"|view(?:ing)?|seeing|show|provide|requests?:?|need"
    r"|lesen|lese|nachlesen|nachschlagen|schlage|öffne[nt]?|sehen|ansehen|zeigen|brauche"
    r"|lire|relire|voir|ouvr(?:ir|ez)|consulter|montrer|leer|releer|ver|abr(?:ir|a|e)|consultar|mostrar"
    r"|откр(?:ыть|ой|ойте)|покажи(?:те)?|посмотреть|прочитать|перечитать|увидеть)"
)
_PART = (
    rf"(?<!\w)(?:{_PAGE})(?!\w)|[\d一][页頁]|\b(?:chapters?|sections?|passages?|kapitel|abschnitt|chapitre|cap[ií]tulo"
    r"|глав[ауые])\b"
)
_NAMES_PART = lazy_pattern(_PART, re.I)
_READS_PART = lazy_pattern(
    rf"{_READS} (?:(?!(?:on|in|at|auf|à|en|на|в)\b)\w+ ){{0,4}}?[<\[]?(?:{_PART})"
    r"|(?:查阅|查看|看|重读|打开|阅读)\w{0,4}第",
    re.I,
)
_READS_TEXT = lazy_pattern(
    rf"{_READS} (?:\w+ ){{0,4}}?(?:text|texte|texto|original|wortlaut)\b|[看读]\w{{0,3}}(?:原文|全文)", re.I
)
FORM = lazy_pattern(rf"\W*{_PAGE}\s?\[[\d\s,;]*\d[\d\s,;]*\]\W*", re.I)  # as the prompt asks for pages
ABOUT_PAGES = lazy_pattern(rf"{_PAGE}|{counted(_CUES)}|look(?:ing)?[- ]?up|re-?read|nachschlagen", re.I)
_JOINED = rf"\W|\b(?:and|und|et|y|e|и|to)\b|{_PAGE}|第|{counted(_CUES)}|和|と|및"
ONLY_NAMES = lazy_pattern(  # a sentence that has nothing but pages, and what they are wanted for
    rf"\W*(?:(?:and|und|et)\W+)?(?:第\s?)?(?:{_PAGE}\W{{0,4}})?(?:\d{{1,6}}|\[[\d\s,;and-]*\])"
    rf"(?:(?:{_JOINED})*\d{{1,6}}|\s?(?:{counted(_CUES)}))*"
    r"(?:\W*|\W+(?:to|for|um|pour|para|per|чтобы)\b[^.!?\n]{0,120}[.!?]?\W*)",
    re.I,
)
BUT = lazy_pattern(r"\b(?:but|however|though|aber|doch|mais|pero|ma|mas|но)\b|但|しかし|が、|지만", re.I)
IT = lazy_pattern(
    r"\b(?:look at|look up|re-?read|read|open|check|consult|view|verify|revisit|see) (?:it|them|that one|those"
    r"|(?:this|that) page|(?:these|those) pages)\b",
    re.I,
)
UNNAMED = lazy_pattern(  # pages that are wished for without their numbers
    r"\b(?:more|other|further) pages?\b|\b(?:full|original|raw|whole|entire) (?:text|pages?)\b"
    r"|\blook (?:it|this|that) up\b|\[\s*(?:\.\.\.|…)\s*\]"
    rf"|{_PART}",
    re.I,
)
NOT_NEEDED = lazy_pattern(
    r"(?:\b(?:not|never|no)|n['’]t) (?:\w+ )?(?:need|want|have to|require)|\bneedn['’]t\b|\bno need\b"
    r"|\bwithout (?:looking|re-?reading|opening|checking)"
    r"|\b(?:nicht|pas|no|non|não|не) (?:nötig|besoin|necesito|serve|preciso|нужн)",
    re.I,
)
_DECLINES = lazy_pattern(
    rf"\b(?:i|we)\b[^.!?\n]{{0,30}}?(?:\bnot\b|n['’]t\b|\bno\b)[^.!?\n]{{0,40}}?(?:{_PAGE}|look)"
    r"|\bno (?:need|page|further page|more page|look-?up)|\b(?:nothing|none) to look up\b"
    rf"|{_PAGE} (?:is|are) (?:not |un)necessary|\bkeine\b[^.!?\n]{{0,30}}{_PAGE}|\baucune {_PAGE}",
    re.I,
)
_LONGEST = 160  # characters of a sentence that says nothing but that no page is needed

_MORE = lazy_pattern(
    r"\b(?:more|further|additional) (?:context|text|details?|information)"
    r" (?:is|are|would be) (?:needed|required|necessary)\b",
    re.I,
)


def declines(sentence: str) -> bool:
    """Return whether a sentence says that no page is needed."""
    return len(sentence) < _LONGEST and bool(NONE.search(sentence) and _DECLINES.search(sentence))


def asks_to_read(sentence: str) -> bool:
    """Return whether a sentence that is not marked as an answer is about reading a page, or asks about one."""
    if _OTHER_PERSON.search(sentence) and not _MODEL.search(sentence):
        return False
    return bool(_READS_PART.search(sentence) or (sentence.endswith(("?", "？")) and _NAMES_PART.search(sentence)))


def speaks_of_reading(sentence: str) -> bool:
    """Return whether the model says what it can or needs to do with pages or the text, so that it may be no answer."""
    if not _MODEL.search(sentence):
        return bool(_MORE.search(sentence))
    if _NAMES_PART.search(sentence):
        return bool(_MAY.search(sentence) or not NAMES.search(sentence))
    return bool(_MAY.search(sentence) and _READS_TEXT.search(sentence))
