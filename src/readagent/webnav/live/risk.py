"""Whether an action may be irreversible, judged by the kind of the element, its form and its words.

It rather asks once too often. A page can disguise what a button does: keeping a visit on its hosts is the job of the
network guard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from readagent.webnav.action import Action
from readagent.webnav.live.risk_words import BUYING, DELETING, SENDING

_HARMLESS = re.compile(
    r"\border(?:ed)? by\b|\bcheck-?out (?:the|our|these|more)\b|\bbook(?:s| shop| store| list)\b", re.I
)
_FIELDS = frozenset("checkbox radio switch tab option textbox searchbox combobox text search email tel url number date "
                    "time month week datetime-local color range password file slider spinbutton textarea "
                    "select-one select-multiple menuitemcheckbox menuitemradio".split())  # fmt: skip
_FIRST_UNSPACED = "\u2e80"  # from this character on, scripts write no spaces between words
_MAX_LINK_WORDS = 4  # a link with more words is a headline, not a command


def _pattern(words: str) -> re.Pattern[str]:
    spaced = [re.escape(word).replace(r"\-", r"[\s-]?") for word in words.split() if word[0] < _FIRST_UNSPACED]
    unspaced = [re.escape(word) for word in words.split() if word[0] >= _FIRST_UNSPACED]
    return re.compile(rf"\b(?:{'|'.join(spaced)})\b|{'|'.join(unspaced)}", re.IGNORECASE)


_RISKS = {
    "it may buy or pay for something": _pattern(BUYING),
    "it may delete or end something": _pattern(DELETING),
    "it may send or confirm something": _pattern(SENDING),
}


@dataclass(frozen=True, slots=True)
class ElementFacts:
    """What element_facts.js found: tag, kind (role or type), name, and the form or link it belongs to.

    ``submits`` is whether it submits its form, ``search`` whether that form is a search. ``secret`` marks fields for
    passwords, card numbers and one-time codes.
    """

    tag: str
    kind: str = ""
    name: str = ""
    words: str = ""
    link: str = ""
    secret: bool = False
    submits: bool = False
    in_form: bool = False
    method: str = ""
    search: bool = False


def risk(facts: ElementFacts, action: Action) -> str:
    """Return why the action needs a confirmation; empty if it does not."""
    if action.operation == "type":
        enters = action.value.endswith("\n") and facts.tag == "input" and facts.in_form
        return "Enter submits the form" if enters and not facts.search else ""
    if action.operation == "select" or facts.kind in _FIELDS:
        return ""
    words = _HARMLESS.sub("", facts.words)
    if not facts.link or len(words.split()) <= _MAX_LINK_WORDS:
        for reason, pattern in _RISKS.items():
            if pattern.search(words):
                return reason
    return "it submits a form" if facts.submits and not facts.search else ""
