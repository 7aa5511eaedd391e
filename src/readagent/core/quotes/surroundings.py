"""What stands around a quote or is left out of it: denials, hearsay, ellipses, and the rest of a number in words."""

from __future__ import annotations

import re
from collections.abc import Callable

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import begins_sentence
from readagent.core.quotes.turning_words import turns
from readagent.core.words import count_words, is_unspaced, sentence_ends

_FAR = 250  # characters before or after a quote that are looked at
_DENIED = lazy_pattern(  # in the clause of the quote, before it
    r"\b(?:(?:a|the) lies? that|rumou?rs? (?:had|has|have) it|(?:dream(?:ed|t|s)|imagin(?:ed|es)) that|forg[eo]ts? to|"
    r"(?:everyone|everybody|anyone|anybody|all) but|so-called|"
    r"(?:falso|mentira) que|(?:faux|mensonge) que|falso che|неправда|неверно|ложь|"
    r"(?:hätte|wäre|soll|sollen)n?)\b|\b(?:stop(?:ped|s)?|ceased?|quit|avoid(?:ed|s)?)\s+$",
    re.I,
)
_DENIED_WITH_COMMA = lazy_pattern(  # right before the comma that the clause of the quote begins with
    r"\b(?:allegedly|supposedly|reportedly|purportedly|rumou?r has it|angeblich|stimmt nicht|nicht wahr|ist falsch|"
    r"gelogen|ist eine lüge|bestritt(?:en)?|bestreite[nt]|leugnete[n]?|geleugnet|dementierten?|"
    r"weiger(?:te|ten|t|n)(?: sich)?|отриц\w+|неправда|неверно|ложь|отказа\w+|опроверг\w+|сомнева\w+|якобы|"
    r"supuestamente|presuntamente|negó|prétendument|presumibilmente)\s*$",
    re.I,
)
_GOES_ON = lazy_pattern(r"\s*(?:and|but|so|und|aber|и|но|а|y|pero|et|mais|e|ma)\b", re.I)
_CLAUSE = lazy_pattern(r"[.!?…;:()\[\]。！？；：]|\n\s*\n")
_CLAIMED = lazy_pattern(
    r"[\s,\"”’—–-]*(?:or )?so (?:he|she|they|it|i|we|\w+) (?:claim|sa(?:id|y)|thought|think|believ|hop|was said|boast)",
    re.I,
)
_ASKED = lazy_pattern(r"(?:(?!\n\s*\n)[^.!?…;:,—()\"“„«。！？；：，、])*['”»)\]]*\s*[?？]")
_ASKS = frozenset(
    (
        "who whom whose what when where why how which did do does is are was were will would can could should shall "
        "has have had may might must am isn't aren't wasn't didn't don't doesn't won't can't "
        "wer wen wem was wann wo warum wieso wie welche welcher welches ist sind hat haben kann können wird war waren "
        "qui que quoi quand où pourquoi comment quel quelle est qu'est "
        "qué quién quiénes cuándo dónde cómo cuál cuánto cuántos por "
        "chi che cosa quando dove perché come quale кто что когда где почему как какой какая зачем сколько разве"
    ).split()
)
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether the words around a quote deny what it says, or tell it as hearsay."""
    before = _CLAUSE.split(text[max(0, start - _FAR) : start])[-1]
    parts = before.split(",")
    if _DENIED.search(parts[-1]) or _CLAIMED.match(text, end):
        return True
    return len(parts) > 1 and not _GOES_ON.match(parts[-1]) and _DENIED_WITH_COMMA.search(parts[-2]) is not None


def is_question_cut(text: str, start: int, end: int, tail: str) -> bool:
    """Return whether a quote, with these marks after its last word, takes the words of a question for a statement.

    It does not if it has the beginning of the question and a word that asks.
    """
    if "?" in tail or "？" in tail or not _ASKED.match(text, end, min(len(text), end + _FAR)):
        return False
    begun = max(sentence_ends(text, start, end), default=None)
    if begun is None and not begins_sentence(text, start):
        return True
    return not any(word.lower().replace("’", "'") in _ASKS for word in _WORD.findall(text, begun or start, end))


_ELLIPSIS = lazy_pattern(r"\s*(?:[\[(<]\s*(?:(?:\.\s?){3,}|…+|⋯+)\s*[\])>]|\.{3,}|…+|⋯+|・{3,}|(?:\. ){2,}\.)\s*")
_LEAST = 4  # words of a piece
_CHARACTERS_OF_A_WORD = 1.5  # in Chinese and Japanese
_FURTHEST = 1000  # characters that an ellipsis stands for, at most
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n")
_ONLY_MARKS = lazy_pattern(r"[\W_]*")


def pieces(quote: str) -> list[str]:
    """Return the pieces of a quote around its ellipses; none if one of them is too short."""
    found = [piece for piece in _ELLIPSIS.split(quote) if any(character.isalnum() for character in piece)]
    return found if len(found) > 1 and all(map(_is_long, found)) else []


def without_ends(quote: str) -> str:
    """Return a quote without an ellipsis at its beginning or end."""
    parts = _ELLIPSIS.split(quote)
    inner = [number for number, part in enumerate(parts) if part]
    if not inner or (inner[0] == 0 and inner[-1] == len(parts) - 1):
        return quote
    marks = [mark[0] for mark in _ELLIPSIS.finditer(quote)]
    kept = [parts[inner[0]]]
    for number in range(inner[0] + 1, inner[-1] + 1):
        kept += [marks[number - 1], parts[number]]
    return "".join(kept)


def _is_long(piece: str) -> bool:
    characters = sum(is_unspaced(one) and count_words(one * 2) == 2 for one in piece)
    return count_words(piece) - characters + characters / _CHARACTERS_OF_A_WORD >= _LEAST


def furthest(quoted: list[str]) -> int:
    """Return how many characters of a text these pieces may span, at most."""
    return 2 * sum(map(len, quoted)) + _FURTHEST * (len(quoted) - 1)


def may_leave_out(text: str, start: int, end: int, language: Callable[[], str]) -> bool:
    """Return whether an ellipsis may stand for ``text[start:end]``."""
    left_out = text[start:end]
    if end - start > _FURTHEST or _BLANK_LINE.search(left_out) or turns(left_out, language):
        return False
    cuts = [cut for cut in sentence_ends(text, max(0, start - 40), end + 1) if cut > start]
    if not cuts:
        return True
    ends_a_sentence = _ONLY_MARKS.fullmatch(text, start, cuts[0])
    begins_one = _ONLY_MARKS.fullmatch(text, cuts[-1], end)
    return bool(ends_a_sentence and begins_one)


_WORDS = frozenset(
    (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig "
        "siebzig "
        "achtzig neunzig "
        "два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят шестьдесят "
        "семьдесят "
        "восемьдесят девяносто сто двести триста четыреста пятьсот "
        "deux trois quatre cinq sept huit neuf dix vingt trente quarante cinquante soixante "
        "dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cuarenta cincuenta sesenta setenta "
        "ochenta noventa "
        "cien ciento doscientos trescientos quinientos"
    ).split()
)
_GERMAN = lazy_pattern(r"\w*(?:hundert|tausend)\w*|\w+und(?:zwan|drei|vier|fünf|sech|sieb|acht|neun)[zß]ig")
_AMOUNTS = frozenset(  # numbers that another number or "half a" may stand before
    (
        "hundred thousand million billion trillion hundreds thousands millions billions dozen hundert tausend million "
        "millionen milliarde milliarden тысяч тысяча тысячи миллион миллиона миллионов миллиард миллиарда миллиардов "
        "cent cents mille million millions milliard milliards cien ciento mil millón millones mila milione milioni"
    ).split()
)
_AFTER = frozenset(  # words that belong to the number before them
    (
        "hundred thousand million millions billion billions trillion dozen percent per pct am pm bc ad bce ce "
        "hundert tausend million millionen milliarde milliarden prozent uhr "
        "тысяч тысяча тысячи миллион миллиона миллионов миллиард миллиарда миллиардов процент процента процентов "
        "cent mille millions milliard milliards pour mil miles millón millones por milliers "
        "mio mrd mrdn tsd mln mld mn bn млн млрд тыс usd eur gbp chf jpy cny rub inr aud cad sek nok dkk "
        "kg km cm mm mg ml ha mph kmh ft lb lbs oz feet foot miles mile metres meters pounds dollars euros "
        "h hr hrs min sec std kilometres kilometers kilometer inches degrees grams litres liters tonnes tons minutes "
        "seconds hectares acres "
        "hours days weeks months years stunden tage wochen monate jahre часов дней недель месяцев лет рублей "
        "horas días semanas meses años euros pesos"
    ).split()
)
_AND = frozenset(("and", "und", "et", "y", "e"))
_PARTS = lazy_pattern(
    r"(?:\b(?:a|an|half|quarter|third|tens|hundreds|dozens|eine|halbe|un|une|demi|medio|mezzo)|s of)\s+$", re.I
)
_AND_A = lazy_pattern(r"\band an?\s+$", re.I)
_RANGE = lazy_pattern(r"\s+(?:to|or|bis|oder|à|ou|a|o|до|или)\s+", re.I)
_BETWEEN_TWO = lazy_pattern(r"\b(?:between|zwischen|entre|между|tra)\s+[^.!?\n]{1,30}\s(?:and|und|et|y|и|e)\s+$", re.I)
_FRACTIONS = frozenset("¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")
_HAN = frozenset("〇零一二三四五六七八九十百千万萬億亿兆两兩")
_LAST, _FIRST = lazy_pattern(r"(?:(\d)|([^\W\d_]+))\W*$"), lazy_pattern(r"\W*(?:(\d)|([^\W\d_]+))")
_BETWEEN = lazy_pattern(r"(?:(?!\n\s*\n)[\s-])*")


def is_inside_number(text: str, left: int, right: int) -> bool:
    """Return whether ``text[left:right]``, which is no word, is between two parts of one number."""
    if not _BETWEEN.fullmatch(text[left:right]):
        return False
    if (text[left - 1] in _HAN or text[left - 1].isdecimal()) and text[right] in _HAN and left == right:
        return True
    before, after = _LAST.search(text, max(0, left - 20), left), _FIRST.match(text, right, right + 20)
    if before is None or after is None:
        return False
    digits, word, following = bool(before[1]), (before[2] or "").lower(), (after[2] or "").lower()
    if _is_cut_range(text, left, right, before, after):
        return True
    if following in _AMOUNTS and _PARTS.search(text, max(0, left - 20), right):
        return True  # half a million
    if following in ("half", "quarter") and _AND_A.search(text, max(0, left - 20), right):
        return True  # one and a half
    if word in _AMOUNTS and following in _AND and (later := _FIRST.match(text, after.end(), after.end() + 20)):
        return bool(later[1]) or _is_number((later[2] or "").lower())  # two hundred and fifty
    if word in _AND and (earlier := _LAST.search(text, max(0, left - 40), before.start())):
        word = (earlier[2] or "").lower()  # a hundred and five
    if following in _AFTER:
        return digits or _is_number(word) or word in _AFTER
    if digits and text[right] in _FRACTIONS:
        return True
    return (_is_number(word) or word in _AFTER) and (_is_number(following) or bool(after[1]))


def _is_number(word: str) -> bool:
    return word in _WORDS or word in _AMOUNTS or _GERMAN.fullmatch(word) is not None


def _is_cut_range(text: str, left: int, right: int, before: re.Match[str], after: re.Match[str]) -> bool:
    """Return whether this is inside "5 to 10" or "between 5 and 10"."""
    if after[1] and _BETWEEN_TWO.search(text, max(0, left - 45), right):
        return True
    if after[1] and (word := _RANGE.search(text, max(0, before.start(2) - 1), right)) and before[2]:
        return word.end() == right and text[word.start() - 1].isdecimal()
    if before[1] and after[2] and (word := _RANGE.match(text, left)):
        return text[word.end() : word.end() + 1].isdecimal()
    return False
