"""Whether a statement and a quote differ in a negation."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_PART = re.compile(
    r"(?<!\d)[.!?…;]+(?!\w)|[。！？；]+|\n\s*\n"
    r"|\b(?:but|although|though|while|whereas|aber|sondern|mais|pero|но)\b",
    re.I,
)
_CLAUSE = re.compile(r"[:,()—–，：]+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]")
_STEM = 4  # letters that two forms of a word have in common
_ABOUT = 0.5  # share of a statement's content words that a part has if it says the same or its opposite
_OWN = 3  # content words of a clause that says something of its own


def is_negated(text: str) -> bool:
    """Return whether a text has a negation. A "no" that only answers the question does not count."""
    return bool(_NEGATION.search(_LEAD.sub("", text)))


def differs(statement: str, quotes: Sequence[str]) -> bool:
    """Return whether a statement is negated and the part of the quotes that is nearest to it is not, or the reverse.

    Parts are sentences, and what stands before and after "but". The nearest one has most of the statement's words; one
    with fewer than half of them says nothing about it.
    """
    wanted = content(statement)
    if not wanted:
        return False
    parts = [part for quote in quotes for part in _PART.split(quote) if part.strip()]
    shares = [(len(wanted & content(part)) / len(wanted), part) for part in parts]
    most = max((share for share, _ in shares), default=0.0)
    nearest = [_about(part, wanted) for share, part in shares if share == most]
    return most >= _ABOUT and all(is_negated(part) != is_negated(statement) for part in nearest)


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
