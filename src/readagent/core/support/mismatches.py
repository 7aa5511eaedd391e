"""What a statement and a quote may differ in: a negation, or a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from readagent.core.languages import is_function_word, likely_language
from readagent.core.patterns import lazy_pattern
from readagent.core.support.units import MONTH_BESIDE

_NEGATION = lazy_pattern(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|scarcely|barely|no-one"
    r"|nicht|nie|niemals|kein\w*|nichts|niemand|ohne|weder"
    r"|ne|pas|jamais|rien|aucun\w*|sans|nunca|jamás|nadie|nada|ningun\w*|ningún|sin|não|nem|nenhum\w*"
    r"|non|mai|nessun\w*|senza|niet|geen|nooit|zonder|inte|aldrig|ingen|ikke|nigdy|değil|yok"
    r"|не|нет|никогда|ни|никто|ничего|без|ні|ніколи)\b|n['’]t\b|\bn['’](?=\w)"
    r"|(?:[没沒未勿]|[不无無](?!过|過|仅|僅|但|久|断|斷|同|少|论|論|数|數)|(?<![特分区區差性级級个個])别(?![的人]))(?![来來])"
    r"|(?<!し)ない|なかっ|(?<!少)(?<![間ま]も)なく(?=[なて、])|ません|ずに|않|없|못|ไม่|لم|لن|ليس",
    re.I,
)
_CONTRARY = lazy_pattern(  # verbs and adjectives that deny what follows them
    r"\b(?:absent|absence|refus\w+|den(?:y|ies|ied|ying)|declin(?:e|ed|es|ing) to|fail(?:s|ed|ing)? to|untrue|false"
    r"|falsely|incorrect|wrong|unable|impossible|miss(?:ed|es|ing)|lack(?:s|ed|ing)?|avoid(?:s|ed|ing)?"
    r"|abwesend|fehlte\w*|gefehlt|weigerte\w*|verweiger\w+|leugne\w*|bestritt\w*|ablehn\w+|lehnt\w* ab|falsch|unwahr"
    r"|absente?s?|refus\w+|niait|nia|manqu\w+|faux|ausentes?|neg(?:ó|aron|aba|ou)|rechaz\w+|recus\w+|falt(?:ó|ou|aba)"
    r"|assent[ei]|rifiut\w+|negò|отсутств\w+|отказал\w*|отриц\w+|неправд\w*|неверно)\b"
    r"|缺席|拒[绝絕]|否[认認]|欠席|拒否|拒ん|否定|否認|불참|거부|부인",
    re.I,
)
_ONLY_IN = {"mai": "it", "sin": "es", "ne": "fr", "pas": "fr", "nem": "pt hu"}  # elsewhere, other words
_NOT_IN = {"no": "pt pl"}
_YES = r"yes|ja|oui|sí|si|да|sim|はい|是的?|対|对"
_NO = r"no|nein|non|нет|não|いいえ|不是|不"
_LEAD = lazy_pattern(rf"^\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?:(?!\w)\s*[,.!;:—–，。、！-]\s*|\W*$)", re.I)
_PART = lazy_pattern(
    r"(?<!\d)[.!?…;]+(?!\w)|[。！？；]+|\n\s*\n"
    r"|(?:^|(?<=[.!?]\s))\s*(?:although|though|while|whereas|because|obwohl|weil|bien que|aunque|хотя)\b([^,.;!?]*),"
    r"|\b(?:but|although|though|while|whereas|because|aber|sondern|obwohl|weil|mais|parce que|pero|porque|но|потому)\b"
    r"|,\s*(?:and|und|et|y|и)\b",
    re.I,
)  # what begins with "although" and ends at a comma is a part of its own
_CLAUSE = lazy_pattern(r"[:,()—–，：]+")
_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]")
Part = tuple[str, frozenset[str]]  # a part of a sentence, and its content
_STEM = 4  # letters that two forms of a word have in common
_ABOUT = 0.5  # share of a statement's content words that a part has if it says the same or its opposite
_OWN = 3  # content words of a clause that says something of its own


def is_negated(text: str) -> bool | None:
    """Return whether a text is negated; None if two negations may cancel. A "no" that only answers does not count."""
    text = _LEAD.sub("", text)
    negated, contrary = any(_counts(found[0], text) for found in _NEGATION.finditer(text)), _CONTRARY.search(text)
    return None if negated and contrary else negated or bool(contrary)


def _counts(word: str, text: str) -> bool:
    """Return whether a word negates in the language of a text."""
    word = word.casefold()
    if only := _ONLY_IN.get(word):
        return likely_language(text) in only.split()
    return not (word in _NOT_IN and likely_language(text) in _NOT_IN[word].split())


def is_negation(word: str) -> bool:
    """Return whether a word in lower case is a negation in any language."""
    return _NEGATION.fullmatch(word) is not None


def differs(statement: str, quotes: Sequence[str]) -> bool:
    """Return whether a statement is negated and the part of the quotes that is nearest to it is not, or the reverse.

    Parts are sentences, and what stands before and after "but" or "because". The nearest one has most of the words of
    the statement. If none has half of them, as in a paraphrase or a translation, all parts must differ from it.
    """
    return differs_from(statement, [part for quote in quotes for part in parts_of(quote)])


def differs_from(statement: str, parts: Sequence[Part]) -> bool:
    """Return the same as ``differs`` for quotes that are divided already."""
    wanted, negated = content(statement), is_negated(statement)
    if not wanted or negated is None or not parts:
        return False
    shares = [(len(wanted & words) / len(wanted), part) for part, words in parts]
    most = max(share for share, _ in shares)
    if most >= _ABOUT:
        nearest = [_about(part, wanted) for share, part in shares if share == most]
    else:
        nearest = [unit for part, _ in parts for unit in _units(part)]
    return all(is_negated(part) is (not negated) for part in nearest)


def answers_against(answer: str, question: str, quotes: Sequence[str]) -> bool:
    """Return whether an answer says yes where the quotes deny what is asked, or no where they say it."""
    lead = _LEAD.match(answer)
    if lead is None or is_negated(question) is not False:
        return False
    wanted = content(question)
    parts = [_about(part, wanted) for quote in quotes for part, _ in parts_of(quote)]
    about = [part for part in parts if wanted and len(wanted & content(part)) >= _ABOUT * len(wanted)]
    return bool(about) and all(is_negated(part) is bool(lead["yes"]) for part in about)


def parts_of(text: str) -> list[Part]:
    """Return the parts of a text that say something, each with its content."""
    return [(part, words) for part in _PART.split(text) if part and (words := content(part))]


def _about(sentence: str, wanted: frozenset[str]) -> str:
    """Return a sentence without those of its clauses that say something else."""
    clauses = [(clause, content(clause)) for clause in _CLAUSE.split(sentence)]
    return ", ".join(clause for clause, words in clauses if len(words) < _OWN or words & wanted)


def _units(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that say something of their own, and the others together."""
    clauses = [(clause, len(content(clause)) >= _OWN) for clause in _CLAUSE.split(sentence)]
    yield from (clause for clause, alone in clauses if alone)
    if rest := ", ".join(clause for clause, alone in clauses if not alone and clause.strip()):
        yield rest


def content(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that are neither function words nor negations, or pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(_LEAD.sub("", text).casefold()):
        if _UNSPACED.search(word):
            rest = _NEGATION.sub("", word)
            found |= {rest[at : at + 2] for at in range(len(rest) - 1)}
        elif len(word) > 1 and not is_function_word(word) and not _NEGATION.fullmatch(word):
            found.add(word if len(word) <= _STEM or word[0].isdigit() else word[:_STEM])
    return frozenset(found)


_LETTERS = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_START = lazy_pattern(r"(?:^|[.!?…:;。！？]|\n)[\s\"'“”„«‘’(\[*_—–-]*$")
_POSSESSIVE = lazy_pattern(r"['’](?:s|S)?$")
_DETERMINERS = (
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner im am zum zur beim vom "
    "ins ans mein meine meinen meinem sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere dieser "
    "diese dieses diesen diesem jeder jede jedes jeden alle viele einige mehrere"
)  # before a German noun
_DETERMINED = lazy_pattern(rf"(?:\b(?i:{_DETERMINERS.replace(' ', '|')})\s+(?:[a-zäöüß]+\s+){{0,2}}|\d[\d.,]*\s+)$")
_OPENERS = frozenset(
    "yes no not however therefore thus according although though during since until once when why how here there next "
    "later finally first second perhaps maybe because both either neither each every nobody nothing someone somebody "
    "everyone everything despite instead meanwhile then today yesterday unlike without within two three".split()
)
_COMMON_ENDINGS = ("ing", "ly", "tion", "sion", "ness", "ment", "ity", "ism", "ance", "ence", "ers", "ies", "ship",
                   "ung", "heit", "keit", "schaft", "tät")  # fmt: skip
_NEVER = frozenset({"i", "i'm", "i've", "i'd", "i'll", "i’m", "i’ve", "i’d", "i’ll"})
_SHORTEST_STEM = 3
_ENDING = 2  # letters in which two forms of a name may differ, in scripts and languages that decline names
_DECLINED = frozenset({"ru", "uk", "pl", "cs", "hu", "fi", "tr", "el", "ro"})


def names(text: str, is_common: Callable[[str], bool] = lambda word: False) -> list[str]:
    """Return the names of a text. ``is_common`` says of a word in lower case whether it is known to be no name.

    The first word of a sentence is a name unless it is a function word, has a usual ending, or is known to be none. In
    German, where every noun is capitalised, a noun after a number, an article or the like is no name, even if
    adjectives stand between. A month of a date is none.
    """
    text = MONTH_BESIDE.sub(lambda found: " " * len(found[0]), text)
    german = likely_language(text) == "de"
    found: list[str] = []
    for match in _LETTERS.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        lower = word.casefold()
        if not word[0].isupper() or lower in _NEVER or is_negation(lower):
            continue
        if german and _DETERMINED.search(text, 0, match.start()):
            continue
        if _START.search(text, 0, match.start()) and (_is_opener(lower) or is_common(lower)):
            continue
        if is_function_word(lower) and len(word) > 1:
            continue
        found.append(word)
    return list(dict.fromkeys(found))


def _is_opener(word: str) -> bool:
    return word in _OPENERS or is_function_word(word) or (len(word) > 5 and word.endswith(_COMMON_ENDINGS))


def has_name(text: str, name: str) -> bool:
    """Return whether a text has this name, in any case and, in languages that decline names, in any form."""
    wanted = name.casefold()
    declined = not name.isascii() or likely_language(text) in _DECLINED
    return any(_same(wanted, _POSSESSIVE.sub("", word).casefold(), declined) for word in _LETTERS.findall(text))


def _same(one: str, other: str, declined: bool) -> bool:
    if one == other or f"{one}s" == other or one == f"{other}s":
        return True
    differ = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    common = next(differ, min(len(one), len(other)))
    return declined and common >= max(_SHORTEST_STEM, max(len(one), len(other)) - _ENDING)
