"""Words that decide how a reply is read, in several languages: names of things, none, corrections, doubts, reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAMES = {  # what a cue is called in other languages; the English plural is added to every cue
    "page": r"seiten?|p[áa]ginas?|pagin[ae]|stron[aęy]?|страниц\w*|стр\.|sayfa\w*|(?:ال)?صفح(?:ة|ات)|sid(?:an|orna)"
            r"|页(?:面)?|頁|ページ|페이지|쪽",
    "document": r"dokument\w*|documentos?|documenti|документ\w*|文档|文檔|文件|文書|문서",
    "answer": r"antwort(?: ist)?|die richtige antwort ist|réponse(?: est)?|respuesta(?: correcta)?(?: es)?"
              r"|risposta(?: corretta)?(?: è)?|resposta(?: correta)?(?: é)?|ответ|odpowiedź|antwoord(?: is)?"
              r"|答案(?:是)?|选择?|選|正解(?:は)?|答え(?:は)?|回答|정답(?:은)?|답(?:은)?|الإجابة|cevap",
    "break point": r"haltepunkt|pause|punto de pausa|точка паузы|断点|區切り|区切り",
}  # fmt: skip
_COUNTED = r"ページ目?|页|頁|(?:번 ?)?페이지|쪽|号"  # words that follow their number

NONE = re.compile(
    r"\b(?:no|zero|0) (?:more |further |other |additional |such )?(?:pages?|parts?|look-?up)\b"
    r"|\b(?:none|nothing)\b(?! of the (?:labels|above))"
    r"|(?:\b(?:not|without|no need|never)|n['’]t)\b[^.;:!?\n]{0,40}?(?<!\w)"
    r"(?:any(?:thing)?|another|look(?:ing)? (?:\w+ )?up|reread(?:ing)?|further|need to (?:look|open|re-?read))\b"
    r"|\b(?:seen|read|have|know) enough\b|\benough(?:,| to answer)|\bis (?:enough|sufficient)\b|^\W*enough\b"
    r"|\bha(?:ve|s) (?:all|everything|what) i need|\bi(?:['’]m| am) done\b|\bcan answer (?:now|already|directly"
    r"|it|this|that|the question)\b"
    r"|\bnot (?:necessary|needed|required)\b|\bpas besoin\b|\bno hace falta\b|不必"
    r"|\b(?:genug|assez|mémoire suffit|suficiente|basta|sufficiente|хватит|wystarczy|yeterli)\b|没有需要|没有.{0,6}页"
    r"|必要な.{0,6}(?:ありません|ない)"
    r"|\bkeine[rns]?\b|\baucune?\b|\bning[uú]n[ao]?\b|\bnessun[ao]?\b|\bnenhum[a]?\b|\bgeen\b|\bżadn\w+|\bingen\b"
    r"|ни одн\w+|не нужн\w+|не требу\w+|не надо|достаточно|\bhiçbir\b|\bgerek yok\b"
    r"|不需要|无需|無需|不用|没有必要|足够|必要(?:は)?(?:ありません|ない)|不要|十分です|どのページも"
    r"|필요(?:한 페이지가 |가 )?없|필요하지 않|لا (?:حاجة|أحتاج)",
    re.I | re.M,
)
_TAKES_BACK = re.compile(
    r"\W*(?:(?:but|or|oh|hm+)\W+)?(?:no(?=\s*[,.:;!?]|\s*$| wait)|(?:wait|sorry|rather|actually"
    r"|instead|correction|i mean|on second thought|scratch that|nein|non|нет|vielmehr|plutôt|mejor)\b)"
    r"|\W*(?:不对|いや)",
    re.I,
)
REST = re.compile(
    r"\b(?:more|further|other|another|else"
    r"|additional)\b",
    re.I,
)  # none of the rest, besides what was named
DOUBT = re.compile(
    r"\b(?:either|one of (?:the|these) (?:pages|documents|labels)|not (?:\w+ )?(?:sure|certain)|unsure"
    r"|don['’]t know which|nicht sicher|pas sûr)\b|不确定",
    re.I,
)
_REASON = re.compile(  # a clause with one of these names something that is not asked for
    r"^\W*(?:because|since|although|though|while|denn|weil|parce que|porque|потому)\b"
    r"|\b(?:memory|already|clear(?:ly)?|says|said|\d say|tells|told|covers?|covered|repeats?|holds?|names"
    r"|gives?|shows?"
    r"|enough|has it|\d have it|have read|['’]ve (?:read|seen)|considered|looked at|thought of|tempting|at first"
    r"|(?:is|are) (?:just|only|irrelevant)|is (?:known|open)|are (?:known|open))\b"
    r"|n['’]t\b|\banswer from\b|\b(?:not|cannot|never|neither|without|instead of|rather than|wrong|incorrect"
    r"|ruled? out|excluded"
    r"|contradicted|unlikely|unnecessary|although|though)\b|\bno (?:need|page|\w+)\b|\brul(?:e|ed|ing) out\b"
    r"|\b(?:ist|sind) (?:klar|bekannt)\b|\b(?:schon|bereits|déjà|ya|già|já|уже|już)\b|已经|すでに|이미"
    r"|\d[\])>]*\s+(?:\w+ly\s+)?(?!matters|seems|looks|helps|settles|decides|needs|needed|pages|is|has|asks|should)"
    r"(?:was|were|[a-z]{2,}(?:[^s\W]s|ed))\s",
    re.I,
)
_ASIDE = re.compile(r"\([^()\d]{3,120}\)")
_PURPOSE = re.compile(
    r"(?<=[\d\])>])\s+(?:to|where|which|for|um|wo|pour|où|para|donde|per|dove|чтобы|где|over|instead of"
    r"|rather than)\b(?!\s*\d)"
    r".*?(?=\s(?:and|und|et|y|e|и)\s+(?:then\s+)?(?:pages?|documents?|seiten?|p[áa]ginas?|pagin[ae]|страниц\w*)\b|$)",
    re.I | re.S,
)
_CLAUSE = re.compile(
    r"(?<=[.!?;:])\s+|(?<=[。！？；])|\n+|,\s*(?=[^\d\s])(?![A-H]\b)|，|\s[-–—]+\s+(?=[^\d\s])"
    r"|\s(?=(?:but|because|since|so|as|although|though|while|denn|weil|mais|pero|aber|но)\s)",
    re.I,
)


def named(cues: Sequence[str]) -> str:
    """Return a pattern for the cues, also in the plural and in other languages."""
    known = [name for cue in cues if (name := _NAMES.get(cue))]
    own = [rf"{re.escape(cue)}s?" for cue in cues]
    return "|".join([*own, *known]) or r"(?!)"


def counted(cues: Sequence[str]) -> str:
    """Return a pattern for words that follow their number; none unless pages are counted."""
    return _COUNTED if "page" in cues else r"(?!)"


def clauses(text: str) -> list[str]:
    """Return the clauses of a reply, so that a number in a reason can be told from a number that is asked for."""
    return [clause for clause in _CLAUSE.split(_ASIDE.sub(" ", text)) if clause and clause.strip()]


def without_purpose(clause: str) -> str:
    """Return a clause up to what a page is asked for: "Page 2 to see what he said" is "Page 2"."""
    return _PURPOSE.sub("", clause)


def is_reason(clause: str) -> bool:
    """Return whether a clause explains or rejects something, so that what it names is not asked for."""
    return bool(_REASON.search(clause))


def starts_correction(clause: str) -> bool:
    """Return whether a clause begins by taking back what was said before."""
    return bool(_TAKES_BACK.match(clause))


def corrects(between: str) -> bool:
    """Return whether the words between two statements take the first one back."""
    return any(map(starts_correction, clauses(between)))


def word_in(text: str, values: Sequence[str]) -> str:
    """Return the value in capital letters, such as MISSING, that is a line of a reply or begins or ends one; or ""."""
    words = (value for value in values if value.isupper() and len(value) > 2)
    line = r"^\W*(?i:{0})\W*$|^\W*{0}\b|^\W*(?i:{0})\s*:|\b{0}\W*$"
    return next((word for word in words if re.search(line.format(word), text, re.M)), "")
