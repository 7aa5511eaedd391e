"""Words that turn what is said around them: negations, denials, exceptions, conditions and doubts, in many languages.

An ellipsis must not stand for one, and a quote must not begin or end next to one that governs it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from readagent.core.patterns import lazy_pattern
from readagent.core.words import is_unspaced

_WORD = lazy_pattern(r"(?:[^\W\d_]|[\u0900-\u0d7f])+(?:['’][^\W\d_]+)*")  # the vowels of Indian scripts are marks
_CLAUSE = lazy_pattern(r"[.!?…;:,—()\[\]|。！？；：，、।۔؟]|--|\s[-–]\s|\n\s*\n|\n[ \t]*[-*•+>#]")
_INSERTIONS = frozenset((",,", "——", "()", "----", "，，"))  # marks around words that interrupt a clause
_WORDS = frozenset(
    (
        # English
        "not no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely rarely seldom "
        "except "
        "unless deny denied denies denying refuse refused refuses refusing decline declined fail failed fails lacked "
        "lacks forbid forbade forbidden prevented prevents instead if whether perhaps maybe possibly allegedly "
        "supposedly reportedly might may doubt doubted doubts pretended pretend falsely wrongly unable unlikely "
        "impossible untrue false dont doesnt didnt wont wouldnt cant "
        # German
        "nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo weder ohne kaum außer ausser "
        "sofern wenn falls ob vielleicht angeblich womöglich möglicherweise beinahe statt anstatt keinesfalls "
        "keineswegs "
        # French
        "nul nulle jamais rien aucun aucune aucunement sans sauf hormis excepté nullement guère prétendument "
        # Spanish and Portuguese
        "nunca jamás nadie nada ningún ninguna ninguno ninguém nenhum nenhuma não tampoco tampouco sin sem salvo "
        "excepto "
        "exceto quizá quizás talvez acaso supuestamente apenas jamais "
        # Italian
        "nessun nessuno nessuna niente nulla senza tranne eccetto neppure nemmeno neanche forse "
        # Russian and Ukrainian
        "не ни нет никогда никто никого никому ничего ничто нигде никуда нельзя без кроме если вряд едва возможно "
        "якобы "
        "будто ли ні ніколи ніхто нічого немає крім якщо "
        # Dutch and the Scandinavian languages
        "niet nooit geen niemand niets zonder tenzij behalve inte aldrig ingen inga inget utan ikke ikkje intet "
        "uden uten "
        "ingenting misschien "
        # Polish, Czech, Hungarian, Finnish, Turkish, Romanian, Greek
        "nie nigdy nikt nic bez żaden żadna oprócz chyba není nikdy nikdo žádný kromě nem soha senki semmi nincs "
        "nincsenek "
        "nélkül eivät koskaan kukaan ilman değil yok hiç asla hariç fără niciodată nimeni nimic δεν μην όχι χωρίς "
        "ποτέ "
        # Icelandic, Slovak, Croatian, Slovene, Bulgarian, Estonian, Latvian, Lithuanian, Catalan
        "ekki enginn aldrei nikto nikoho nikogo nikomu nitko nikad nihče nikogar nikomur никой никога няма "
        "kedagi keegi neviens nevienu niekas niekam niekada ningú senkit senkinek κανείς κανένας κανένα "
        # Tagalog, Swahili
        "hindi walang huwag hakuna hapana "
        # Vietnamese, Indonesian
        "không chưa chẳng đừng tidak bukan jangan tanpa belum kecuali "
        # Arabic, Hebrew, Hindi
        "لا لم لن ليس ليست غير بدون إلا לא אין בלי אל नहीं न मत बिना"
    ).split()
)
_ONLY_IN = {  # words that turn in these languages and are common in others
    "en": "fi", "et": "fi", "ei": "fi", "se": "pt it", "si": "fr es", "nu": "ro", "utan": "sv", "personne": "fr",
    "ni": "fr es",
}  # fmt: skip
_NOT_IN = {  # words that turn in all languages but these
    "no": "pt", "ne": "it tr de nl", "pas": "nl pl de", "mai": "fr ro da", "falls": "en", "nic": "en fr", "sem": "en",
    "sin": "en sv da", "non": "en de", "chyba": "cs", "nada": "en", "hindi": "en",
}  # fmt: skip
_NOT_ONLY = lazy_pattern(
    r"\b(?:not (?:only|just|merely)|nicht (?:nur|allein)|non (?:seulement|solo|soltanto)|no (?:sólo|solo|solamente)|"
    r"не только|não (?:só|apenas)|nie tylko|niet alleen)\b",
    re.I,
)
_STEMS = lazy_pattern(
    r"\b(?:kein(?:e[nmrs]?)?|leugne\w*|geleugnet|bestritt\w*|bestreite\w*|verneint\w*|verweiger\w*|weiger\w*|"
    r"отриц\w+|отказ\w+|опроверг\w+|сомнева\w+|никак\w*|запре\w+|neg(?:ó|aba|ado|aron)|niega\w*|rechaz\w+|"
    r"\w+n't|rather than|as if|far from|no longer|(?:would|could|should) have|peut-être|tal vez|a menos|es sei denn)\b",
    re.I,
)
_TURKISH = lazy_pattern(r"m(?:[ıiuü]yor|[ae]d[ıi]|[ae]z|[ae]m[ıi]ş)")
_TURKISH_LETTER = lazy_pattern("[ığş]")
_MONTHS = frozenset(("May", "Mai"))
_INSERTION = 6  # words between two commas that interrupt a clause, at most
_FAR = 250  # characters before or after a quote that may turn it
_INSIDE = 4  # characters of a Japanese ending that a quote may cut
_KANA = lazy_pattern("[\u3041-\u30fe]")
_JAPANESE = lazy_pattern(
    "ない|なかった|なければ|なく(?!な[っりる])|なし|ません|(?<![必まはわさえ])ず(?=[、に。]|$)|ぬ(?![るりれいくぎ])|"
    "まい(?=[、。]|$)|否定|否認|拒否|拒ん|以外|除い|もし|たら|(?<!例)[えけげせてねべめれ]ば|かもしれ|だろう|らしい|そうだ"
)
_CHINESE = lazy_pattern(
    "[不没沒未无無莫勿]|非(?!常)|别(?![的人])|否[认認定]|拒[绝絕]|除[非了]|如果|若|也许|也許|差[点點]|可能|据说|據說|假如|要是"
)
_CHINESE_OTHER = lazy_pattern("不[仅僅但过過久断斷同少]|未[来來]|[无無][论論数數]|[特分区區差性级級个個]别|不得不")
_THAI_AND_OTHERS = lazy_pattern(
    "ไม่|มิ(?:ได้|ใช่)|อย่า|ห้าม|เว้นแต่|ยกเว้น|ปฏิเสธ|ถ้า|หาก|อาจ|ບໍ່|មិន|គ្មាន|ဘူး|မဟုတ်|"
    "않|없|못|아니|말고|만약|거부|부인|(?<!\\S)안(?=\\s)"
)
_PREFIXES = frozenset("不非无無未没沒莫勿别否反")  # before a quote in Chinese characters
_NARROWING = frozenset(  # right before a quote, these change how much it says
    "minus минус menos meno moins vice deputy former acting "
    "half nearly almost only just about fewer less than few little some most many several least wenige einige manche "
    "viele мало некоторые многие немногие pocos algunos algunas muchos peu quelques un non anti ex pseudo "
    "nur fast beinahe halb nahezu только почти "
    "лишь "
    "полу solo sólo casi medio presque seulement demi quasi mezzo".split()
)
_GOES_ON = frozenset(  # a clause that ends a quote may go on after these without turning what was quoted
    "and or but because since so that which who whom whose when where while although though as than before after "
    "until "
    "und oder aber weil denn dass das die der als wo wer obwohl während bevor nachdem damit sondern "
    "и или но а что который которая которые которое когда где потому хотя чтобы как пока "
    "et ou mais car que qui quand où parce y o pero porque cuando donde aunque mientras e ma che quando perché".split()
)


def turns(text: str, language: Callable[[], str]) -> bool:
    """Return whether a part of a text has a word that turns what is said.

    ``language`` tells that of the text around it. If it is unknown, a word counts that turns in any language.
    """
    text = _NOT_ONLY.sub("", unicodedata.normalize("NFC", text).replace("’", "'"))
    words = (word for word in _WORD.findall(text) if word not in _MONTHS)
    if any(_turns(word.lower(), language) for word in words) or _STEMS.search(text):
        return True
    if text.isascii():
        return False
    if _KANA.search(text) or (is_unspaced(text) and language() == "ja"):
        return bool(_JAPANESE.search(text))
    return bool(_CHINESE.search(_CHINESE_OTHER.sub("", text)) or _THAI_AND_OTHERS.search(text))


def _turns(word: str, language: Callable[[], str]) -> bool:
    if word in _ONLY_IN:
        return not language() or language() in _ONLY_IN[word].split()
    if word in _NOT_IN:
        return language() not in _NOT_IN[word].split()
    if word in _WORDS or word.startswith("n'"):  # French: n'est
        return True
    czech = word.startswith("ne") and len(word) > 4
    turkish = _TURKISH.search(word, 2) and (_TURKISH_LETTER.search(word) or language() == "tr")
    return bool(turkish) or (czech and language() == "cs")


def cut_before(text: str, start: int, language: Callable[[], str]) -> bool:
    """Return whether a quote that begins here was cut from words before it that turn what it says."""
    before = text[_whole_word(text, start - _FAR) : start]
    if before[-1:] in _PREFIXES:
        return True
    breaks = list(_CLAUSE.finditer(before))
    clause = before[breaks[-1].end() :] if breaks else before
    if len(breaks) > 1 and not _WORD.search(clause) and breaks[-2][0].strip() + breaks[-1][0].strip() in _INSERTIONS:
        insertion = before[breaks[-2].end() : breaks[-1].start()]
        if len(insertion.split()) <= _INSERTION:
            clause = before[breaks[-3].end() if len(breaks) > 2 else 0 : breaks[-2].start()]
    last = _WORD.findall(clause)[-1:]
    return turns(clause, language) or (bool(last) and last[0].lower() in _NARROWING)


def _whole_word(text: str, at: int) -> int:
    """Return this offset, or that of the next end of a word."""
    at = max(0, at)
    while 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() and not is_unspaced(text[at]):
        at += 1
    return at


def cut_after(text: str, end: int, language: Callable[[], str]) -> bool:
    """Return whether a quote that ends here was cut from words of its last clause that turn what it says."""
    if _CLAUSE.match(text[max(0, end - 5) : end].rstrip("\"'”’»」』*_ ")[-1:]):  # the quote has the mark that ends it
        return False
    around = text[max(0, end - _INSIDE) : end + _INSIDE]
    if any(one.start() < min(end, _INSIDE) < one.end() for one in _JAPANESE.finditer(around)):
        return True  # within a verb: 行きま|せん
    rest = text[end : _whole_word(text, end + _FAR)]
    stop = _CLAUSE.search(rest)
    rest = rest[: stop.start()] if stop else rest
    kept: list[str] = []
    for word in rest.split():
        if word.lower() in _GOES_ON:
            break
        kept.append(word)
    return turns(" ".join(kept), language)
