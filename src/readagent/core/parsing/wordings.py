"""Words and lists of numbers that decide how a reply is read, in several languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readagent.core.patterns import lazy_pattern

_NAMES = {  # what a cue is called in other languages; the English plural is added to every cue
    "page": r"(?<![a-z])p(?:g|p?\.)|(?<![a-z])p(?=\d)|seiten?|p[áa]ginas?|pagin[ae]|stron[aęy]?|страниц\w*|стр\."
    r"|sayfa\w*"
            r"|(?:ال)?صفح(?:ة|ات)|sid(?:an|orna)|पृष्ठ|trang|页(?:面)?|頁|ページ|페이지|쪽",
    "label": r"метк[аеиу]|marke|étiquette|etiqueta|标签",
    "document": r"dokument\w*|documentos?|documenti|документ\w*|文档|文檔|文件|文書|문서",
    "answer": r"antwort(?: ist)?|die richtige antwort ist|réponse(?: est)?|respuesta(?: correcta)?(?: es)?"
              r"|risposta(?: corretta)?(?: è)?|resposta(?: correta)?(?: é)?|ответ|odpowiedź|antwoord(?: is)?"
              r"|答案(?:是)?|选择?|選|正解(?:は)?|答え(?:は)?|回答|정답(?:은)?|답(?:은)?|الإجابة|cevap",
    "break point": r"haltepunkt|pause|punto de pausa|точка паузы|断点|區切り|区切り",
}  # fmt: skip
_COUNTED = r"ページ目?|页|頁|(?:번 ?)?페이지|쪽|号"  # words that follow their number

NONE = lazy_pattern(
    r"\b(?:no|zero|0) (?:more |further |other |additional |such )?(?:pages?|parts?|look-?ups?|rereading)\b"
    r"|\b(?:none|nothing|not a single one)\b(?! of the (?:labels|above|gists|summaries))|^\W*(?:no|nope|neither"
    r"|stop)\W*$"
    r"|(?:\b(?:not|without|no need|no reason|never)|n['’]t)\b[^.;:!?\n]{0,40}?(?<!\w)"
    r"(?:any(?:thing)?|another|look(?:ing)? (?:\w+ )?up|reread(?:ing)?|further|(?:necessary|need) to (?:look|open"
    r"|re-?read))\b"
    r"|\b(?:seen|read|have|know|got) enough\b|\benough(?:,| (?:information |already )?to answer)"
    r"|\b(?:is|['’]s) (?:enough|sufficient)\b|^\W*enough\b"
    r"|\b(?:memory|gists?|summar(?:y|ies)|that|it|pages) (?:alone )?suffices?\b|\bno more\W*$"
    r"|\bha(?:ve|s) (?:all|everything|what) i need|\bi(?:['’]m| am) (?:done|good)\b|^\W*(?:done|finished)\W*$"
    r"|\bcan (?:now )?answer\b|\b(?:ready|good) to answer\b|\banswer (?:\w+ )?from (?:my )?memory\b"
    r"|\b(?:not|n['’]t) (?:necessary|needed|required)\b|\bno need\b|\bunnecessary\b|\bthat will do\b"
    r"|\bnicht (?:nötig|notwendig|erforderlich)\b|\bunnötig\b|\baus dem gedächtnis\b|\breicht(?: mir)?(?: aus)?\W*$"
    r"|\b(?:mehr|sonst) brauche ich nicht\b|\bweiß ich (?:schon|bereits)\b"
    r"|\bpas (?:besoin|nécessaire|utile)\b|\binutile\b|\bno hace falta\b|\bno (?:es necesari|necesit)\w+|\bnon serve\b"
    r"|\bnon (?:è necessari|occorre|c['’]è bisogno)\w*|\bnão (?:é necessári\w+|preciso)\b|不必|\bnie trzeba\b"
    r"|\b(?:genug|assez|mémoire suffit|suficiente|basta|sufficiente|abbastanza|хватит|wystarczy|yeterli)\b"
    r"|没有需要|没有.{0,6}页|必要な.{0,6}(?:ありません|ない)|記憶だけで|记忆中已有|^\W*(?:无|無|なし|없음)\W*$"
    r"|\bkeine[rns]?\b|\baucune?\b|\bning[uú]n[ao]?\b|\bnessun[ao]?\b|\bnenhum[a]?\b|\bgeen\b|\bżadn\w+|\bingen\b"
    r"|ни одн\w+|\bникак(?:их|ие|ая|ой)\b|\bне нужн\w+|\bне требу\w+|\bне надо|(?<!не)достаточно|\bhiçbir\b"
    r"|\bgerek yok\b|^\W*yok\W*$|^\W*لا شيء\W*$"
    r"|不需要|无需|無需|不用|没有必要|足够|看够|必要(?:は|も)?(?:ありません|ない)|不要|十分(?:です|読)|どのページも"
    r"|필요(?:한 페이지가 |가 )?없|필요하지 않|페이지가 없|충분(?:합니다|해요|하다)|لا (?:حاجة|أحتاج)",
    re.I | re.M,
)
NOT_ENOUGH = lazy_pattern(
    r"(?:\bnot|n['’]t|\bnever|\bhardly)\b[^.;:!?\n]{0,24}\b(?:enough|sufficient|suffice)\w*"
    r"|\bi do need\b|\b(?:reicht|genügt)\b[^.;:!?\n]{0,12}\bnicht\b|\bnicht\b[^.;:!?\n]{0,12}\b(?:genug|genügend|aus)\b"
    r"|\bpas (?:assez|suffisant\w*)|\bno (?:es|hay|he visto) (?:lo )?(?:suficiente|bastante)|\bnon (?:è )?(?:basta"
    r"|abbastanza|sufficiente)|\bnão (?:é|basta|vi) ?(?:o )?(?:suficiente|bastante)?|недостаточно|не хватает|不[够夠]"
    r"|足りません|足りない|충분하지 않",
    re.I,
)
_TAKES_BACK = lazy_pattern(
    r"\W*(?:(?:but|or|oh|and)\W+)?(?:no(?=\s*[,.:;!?]|\s*$| wait)|h(?:m+|ang on)\b|on (?:second thoughts?|reflection)"
    r"|(?:wait|sorry|rather(?! than)|actually|instead(?! of)|correction|edit|update|never ?mind|i mean|i meant"
    r"|scratch that|strike that"
    r"|nein|non(?=\s*[,.:;!?]|\s*$)|нет|vielmehr|moment|halt(?=,)|plutôt|mejor)\b)"
    r"|\W*(?:不对|いや)",
    re.I,
)
REST = lazy_pattern(
    r"\b(?:more|further|other|another|else|additional|the rest|weitere|autres?|otr[ao]s?|altr[aeio]|друг\w+)\b|其他"
    r"|他の",
    re.I,
)  # none of the rest, besides what was named
DOUBT = lazy_pattern(
    r"\b(?:either|whichever|any of|one of (?:the|these) (?:pages|documents|labels)|not (?:\w+ )?(?:sure|certain)|unsure"
    r"|somewhere|unless|(?:shall|should) i (?:stop|read|open)|don['’]t know which|can(?:not|['’]t) (?:tell|decide"
    r"|say|choose)|hard to (?:say|tell)|i suppose"
    r"|just as (?:likely|good)|between|any page|nicht sicher|entweder|pas sûre?|soit|o bien|либо)\b|不确定",
    re.I,
)
_NUMBERED = r"\d+[\])>]*"
ALTERNATIVES = lazy_pattern(
    rf"{_NUMBERED}\s*,?\s*(?:or|oder|ou|o|или|lub|eller|veya)\s+(?:(?:on|in|the|auf|la|[^\W\d]{{3,9}})\s+){{0,2}}"
    rf"[\[(<]*\d|{_NUMBERED}\s*页?\s*(?:或|还是|か)\s*第?\d",
    re.I,
)
REJECTS = lazy_pattern(
    r"\b(?:not|never|neither|nor|cannot|without|no longer|no need|no reason|skip(?:ping)?|except(?: for)?|unnecessary"
    r"|irrelevant|ignore|leave out|instead of|rather than|excluding|rul(?:e|ed|ing) out|than|nicht|kein\w*|weder|statt"
    r"|anstelle|pas|ni|non|não|au lieu|en lugar de|invece|niet|geen|nie|inte|не|ни|вместо)\b|n['’]t\b"
    r"|不|没|無|以外|ない|ません|않|없|아니|ليس",
    re.I,
)
ASIDE = lazy_pattern(  # what follows one of these is not asked for
    r"\b(?:because|since|as(?! well)|although|though|while|whereas|whether|if|when|for(?= page| my| the gist)|denn"
    r"|weil|da"
    r"|parce que|puisque|car|porque|ya que|perché|потому|так как|my memory of|the gist of|reply(?:ing)?|write|wrote"
    r"|example|form|says?|said)\b",
    re.I,
)
TENTATIVE = lazy_pattern(
    r"\b(?:considered|considering|thought|looked at|tempted|could|might|would (?:normally|usually|otherwise|have)"
    r"|wanted"
    r"|was going|at first|first wrote|initially|otherwise)\b",
    re.I,
)
_REASON = lazy_pattern(  # a clause with one of these names something that is not asked for
    r"^\W*(?:because|since|although|though|while|denn|weil|parce que|porque|потому)\b"
    r"|\b(?:memory|already|clear(?:ly)?|says|said|\d say|tells|told|covers?|covered|repeats?|holds|names"
    r"|gives|shows|gave|left it|can wait|refers"
    r"|enough|has it|\d have it|have read|having read|['’]ve (?:read|seen|got)|considered|looked at|thought of|tempting"
    r"|at first|tempted|otherwise"
    r"|(?:is|are) (?:just|only|irrelevant)|is (?:known|open)|are (?:known|open))\b"
    r"|n['’]t\b|\banswer from\b|\b(?:not|cannot|never|neither|without|instead of|rather than|wrong|incorrect"
    r"|ruled? out|excluded"
    r"|contradicted|unlikely|unnecessary|although|though)\b|\bno (?:need|page|\w+)\b|\brul(?:e|ed|ing) out\b"
    r"|\b(?:ist|sind) (?:klar|bekannt)\b|\b(?:schon|bereits|déjà|ya|già|já|уже|już)\b|已经|すでに|이미"
    r"|\d[\])>]*\s+(?:\w+ly\s+)?(?!matters|seems|looks|helps|settles|decides|needs|needed|pages|is|has|asks|should)"
    r"(?:was|were|[a-z]{2,}(?:[^s\W]s|ed))\s",
    re.I,
)
ASKS = lazy_pattern(  # a clause with one of these asks for what it names
    r"\d[\])>]*,?\s+(?:(?:alone|certainly|surely|also)\s+)?(?:would|should|matters?|helps?|settles?|decides?)\b"
    r"|\b(?:only|just)\b[^.;,]{1,16}\d\s+(?:can|matters?)|\b(?:hangs?|depends?) on\b|\bmust be\b|\bit is\W*$"
    r"|\b(?:want|need(?:ed)?|like|re-?read|(?<!i )read(?! (?:on|in)\b)|look(?:s|ing)? (?:up|at|best|relevant)|open|show"
    r"|(?<!we )(?<!you )see|check|consult|choose|pick|prefer|request|go(?:ing)? (?:back|with|for)|take|turn to"
    r"|start with"
    r"|i would|i['’]d|please|is the one|next(?! pages?)|(?:most )?likely|select|revisit|verify"
    r"|would (?:help|settle|decide|be)|should (?:be|have|hold|help|settle)"
    r"|nachschlagen|lesen|brauche|möchte|ich will|würde|bitte|öffnen|ansehen|sehen"
    r"|relire|voudrais|souhaite|besoin|consulter|veux|voir|lire|ouvrir|suffit|s['’]il"
    r"|quiero|consultar|releer|necesito|ver|leer|por favor|gustaría|abrir"
    r"|vorrei|rileggere|leggere|voglio|aprire|vedere|per favore|gostaria|quero|reler|preciso|ler"
    r"|хо(?:чу|тел)\w*|перечитать|нужн\w+|надо|прочитать|посмотреть|откр\w+|пожалуйста"
    r"|chc\w+|przeczytać|potrzebuję|poproszę|wil|herlezen|nodig|vill|läsa|behöver|tack|istiyorum|okumak|bakmak|muốn"
    r"|xem)\b|[想查看读請请]|打开|需要|たい|見|読|確認|ください|必要|싶|읽|확인|필요|보고|أريد|أحتاج|चाहता|पढ़",
    re.I,
)
DECIDES = lazy_pattern(
    r"^\W*(?:so|therefore|thus|hence|i(?:['’]d|['’]ll|['’]m going| would| will| choose| pick)|my choice)\b", re.I
)
RELATIVE = lazy_pattern(  # a page that is named by its place beside another one
    r"\b(?:next|previous|preceding|adjacent|neighbou?ring) (?:one|pages?)\b|\bneighbou?rs?\b"
    r"|\bpages? (?:[a-z]+ )?(?:after"
    r"|before|around)\b|\b(?:last|first) (?:one|two|three|four|few|several|\d+)\b|\bthe rest of the pages\b",
    re.I,
)
_ASIDE = lazy_pattern(r"\([^()\d]{3,120}\)")
_PURPOSE = lazy_pattern(
    r"(?<=[\d\])>])\s+(?:to|where|which|for|um|wo|pour|où|para|donde|per|dove|чтобы|где|over|instead of"
    r"|rather than)\b(?!\s*\d)"
    r".*?(?=\s(?:and|und|et|y|e|и)\s+(?:then\s+)?(?:pages?|documents?|seiten?|p[áa]ginas?|pagin[ae]|страниц\w*)\b|$)",
    re.I | re.S,
)
_CLAUSE = lazy_pattern(
    r"(?<=[.!?;:])\s+|(?<=[。！？；])|\n+|,\s*(?=[^\d\s])(?![A-H]\b)|(?<=[^\W\d]),\s+(?=\d)|，|\s[-–—]+\s+(?=[^\d\s])"
    r"|\s(?=(?:but|because|since|so|as|although|though|while|denn|weil|mais|pero|aber|но)\s)",
    re.I,
)


def cued(cues: Sequence[str]) -> str:
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


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text. The first one may be empty: the end of a sentence that began before."""
    return re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+|^[.!?]\s+", text)


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


_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_WORD = rf"(?<![a-z])(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(reversed(_UNITS))})\b"
NUMBER = rf"(?:(?<!\d\.)(?<!\d)\d{{1,9}}(?!\d|\s?%|\.\d)|{_WORD})"
TO = r"(?:-|–|—|〜|～|~|\.\.\.?|…|to\b|through\b|thru\b|until\b|bis\b|à\b|a\b|al\b|hasta\b|até\b|до\b|по\b|到|至|から)"
_AND = (
    r"(?:[,;&+/|、，；]|(?:,\s*)?(?:and then|and also|and|then|plus|und|sowie|et|puis|y|e|и|en|i|och|og|ve|và|और)\b"
    r"|和|跟|及|と|및|와|과|و)"
)
_MARK = r"[\s\"'“”„«»<>()\[\]#.]"
_MOST_IN_RANGE = 50


def listed(cue: str, after: str) -> str:
    """Return a pattern for a list of numbers. ``cue`` may precede each of them, and ``after`` may follow each."""
    one = rf"{_MARK}{{0,3}}(?:(?:{cue})\W{{0,3}}|第)?\s?{NUMBER}(?:{_MARK}{{0,2}}(?:{after}))?"
    return rf"(?>{one})(?>{_MARK}{{0,3}}(?:{TO}|{_AND}(?:\s+(?:the|la|die)\s)?)\s*{one})*+"


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a list, with ranges such as 2-4 or "2 to 4" expanded."""
    numbers: list[str] = []
    between = rf"{_MARK}{{0,3}}(?:页|頁|ページ目?|페이지|쪽)?\s*{TO}[^\d,;]{{0,12}}?"
    for first, last in re.findall(rf"({NUMBER})(?:{between}({NUMBER}))?", text, re.I):
        start, end = value_of(first), value_of(last or first)
        whole = start <= end < start + _MOST_IN_RANGE
        numbers += [str(n) for n in range(start, end + 1)] if whole else [str(start), str(end)]
    return numbers


def strict_numbers(content: str, cue: str) -> list[str] | None:
    """Return the numbers of a list in which nothing else stands but reasons in brackets or after a colon; or None."""
    bare = re.sub(r"\([^()]*\)", " ", content)
    bare = re.sub(rf"({NUMBER})\s*(?::|\s[-–—]\s)\s*[^\d,;][^,;]*", r"\1", bare, flags=re.I)
    one = rf"{_MARK}*(?:(?:{cue})\W{{0,3}}|第)?{NUMBER}(?:页|頁|ページ|쪽)?{_MARK}*"
    if not re.fullmatch(rf"(?>{one})(?>(?:{TO}|{_AND}|\s)*{one})*+[,;]?\s*", bare, re.I):
        return None
    return numbers_in(bare)


def value_of(number: str) -> int:
    """Return the value of a number in digits or words."""
    if number.isdecimal():
        return int(number)
    tens, _, unit = re.sub(r"[\s-]", " ", number.lower()).partition(" ")
    if tens in _TENS:
        return 20 + 10 * _TENS.index(tens) + (_UNITS.index(unit) if unit else 0)
    return _UNITS.index(tens)
