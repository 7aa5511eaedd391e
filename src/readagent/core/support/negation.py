"""Whether a statement and a quote differ in a negation."""

from __future__ import annotations

import re

from readagent.core.languages import is_function_word

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|scarcely|barely|no-one"
    r"|nicht|nie|niemals|kein\w*|nichts|niemand|ohne|weder"
    r"|ne|pas|jamais|rien|aucun\w*|sans|personne|nunca|jamás|nadie|nada|ningun\w*|ningún|sin|não|nem|nenhum\w*"
    r"|non|mai|nessun\w*|senza|niet|geen|nooit|zonder|inte|aldrig|ingen|ikke|nie|nigdy|nem|değil|yok"
    r"|не|нет|никогда|ни|никто|ничего|без|ні|ніколи)\b|n['’]t\b|\bn['’](?=\w)"
    r"|[没沒不未无無别勿]|(?<!し)ない|なかっ|ません|ずに|않|없|못|ไม่|لم|لن|ليس",
    re.I,
)
_LEAD = re.compile(r"^\W*(?:yes|no|ja|nein|oui|non|sí|no|да|нет|нет уж|não|sim)\b\s*[,.!;:—–-]\s*", re.I)
_SENTENCE = re.compile(r"(?<!\d)[.!?…;]+(?!\w)|[。！？；]+")
_CLAUSE = re.compile(r"[:,()—–，：]+|\b(?:but|although|though|while|whereas|aber|sondern|mais|pero|но)\b", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]")
_STEM = 4  # letters that two forms of a word have in common
_ABOUT = 0.5  # share of a statement's content words that a sentence has if it says the same or its opposite
_OWN = 3  # content words of a clause that says something of its own


def is_negated(text: str) -> bool:
    """Return whether a text has a negation. A "no" that only answers the question does not count."""
    return bool(_NEGATION.search(_LEAD.sub("", text)))


def differs(statement: str, quote: str) -> bool:
    """Return whether one of the two is negated and the other is not, in the sentence of the quote that is nearest to it.

    A sentence that has fewer than half of the statement's words says nothing about it.
    """
    wanted = content(statement)
    if not wanted:
        return False
    parts = [part for part in _SENTENCE.split(quote) if part.strip()] or [quote]
    share, _, nearest = max((len(wanted & content(part)) / len(wanted), -len(part), part) for part in parts)
    return share >= _ABOUT and is_negated(statement) != is_negated(_about(nearest, wanted))


def _about(sentence: str, wanted: frozenset[str]) -> str:
    """Return a sentence without those of its clauses that are long enough to say something else altogether."""
    clauses = [(clause, content(clause)) for clause in _CLAUSE.split(sentence)]
    return ", ".join(clause for clause, words in clauses if len(words) < _OWN or words & wanted)


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
