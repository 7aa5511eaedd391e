"""Recognise lines of a reply that speak to the user: refusals, prefaces, and closing courtesies."""

from __future__ import annotations

import re

from readagent.core.failure_text import find_failure, is_refusal
from readagent.core.patterns import lazy_pattern

_AGREES = lazy_pattern(
    r"\W*(?:sure(?: thing)?|certainly|of course|absolutely|okay|gerne|natürlich|bien sûr|claro"
    r"|por supuesto|конечно|当然)"
    r"\W*(?:(?:i|here|let me|hier|voici|aquí|вот)\b.*)?",
    re.I,
)
_HOPES = lazy_pattern(
    r"(?:(?:i|we) )?hope (?:that )?(?:this|that|these|it)\b[^.!?]{0,40}\b(?:helps?|helped|helpful|useful)\b.{0,60}"
    r"|ich hoffe,? (?:das|dies|diese|es)\b[^.!?]{0,40}\b(?:hilft|helfen|geholfen|hilfreich)\b.{0,40}"
    r"|j['’]espère que (?:cela|ça|ceci|cette)\b[^.!?]{0,40}\b(?:aide|aidera|utile)\b.{0,40}"
    r"|espero que (?:esto|isso|isto|te|le|lhe)\b[^.!?]{0,40}\b(?:ayude|ajude|sirva|útil)\b.{0,40}"
    r"|spero che (?:questo|ti|le)\b[^.!?]{0,40}\b(?:aiuti|utile)\b.{0,40}"
    r"|надеюсь,? (?:это|что)\b[^.!?]{0,40}\bпомо\w+.{0,40}|希望(?:这|這).{0,12}(?:帮助|幫助).{0,12}",
    re.I,
)


def is_chatter(line: str) -> bool:
    """Return whether a line of a list is no item of it, but a preface, a refusal or a closing courtesy."""
    return line.rstrip(" *_").endswith((":", "：")) or bool(_AGREES.fullmatch(line)) or closes(line) or is_refusal(line)


def closes(sentence: str) -> bool:
    """Return whether a sentence is a courtesy at the end of a reply: a hope that it helps, or an offer."""
    failure = find_failure(sentence)
    return hopes_to_help(sentence) or (failure is not None and failure.offer)


def hopes_to_help(sentence: str) -> bool:
    """Return whether a sentence only says that the reply will help, it is hoped."""
    return bool(_HOPES.fullmatch(sentence.strip()))
