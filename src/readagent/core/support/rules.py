"""What can be said without a model: that a quote cannot support a statement, and that it says the same in its words.

A quote cannot support a statement with a number or a name that is neither in the quote nor in the question, or with
another negation. What only the question has does not count if the quote has other numbers or names instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from readagent.core.languages import likely_language
from readagent.core.patterns import lazy_pattern
from readagent.core.support.mismatches import answers_against, content, differs, has_name, is_negated, names
from readagent.core.support.numbers import any_months, months, numbers
from readagent.core.support.units import is_unit
from readagent.core.words import sentence_ends, sentences

_TOKEN = lazy_pattern(r"[^\W_]+(?:[-'’.,:/][^\W_]+)*|[$€£¥%]|[-−](?=\d)")
_SCRIPTS = tuple(map(re.compile, ("[a-zà-ɏ]", "[а-џѐ-ӿ]", "[α-ω]", "[\u0590-\u05ff]", "[\u0600-\u06ff]",
                                  "[\u3040-\u9fff]", "[\uac00-\ud7af]", "[\u0e00-\u0eff]")))  # fmt: skip
_COVERED = 0.6  # least share of a sentence's words that a statement copies, if it leaves out some
_RISKY = lazy_pattern(
    r"\b(?:if|unless|whether|would|could|might|may|should|perhaps|maybe|probably|possibly|almost|nearly|wish\w*|hop\w+"
    r"|dream\w*|claim\w*|den\w+|pretend\w*|rumou?r\w*|alleged\w*|supposed\w*|suppose\w*|imagin\w+|doubt\w*|said|says"
    r"|thought|think\w*|believ\w+|lied?|false\w*|fail\w*|refus\w+|only|except|until|before|tried|wanted)\b",
    re.I,
)
_LEAST_COPIED = 3  # words of a statement that a quote alone can show


@dataclass(frozen=True)
class Rules:
    """The rules for the statements of one answer. ``question`` may be empty; ``text`` is the text of the quotes.

    ``sentences`` are the quotes, each completed to whole sentences where the text is known.
    """

    question: str
    quotes: Sequence[str]
    sentences: Sequence[str]
    text: str = ""

    def veto(self, statement: str, among: Sequence[int]) -> str:
        """Return why these quotes together cannot support a statement; "" if they may."""
        evidence = "\n".join(self.quotes[at] for at in among)
        for find in (self._number, self._name):
            if missing := find(statement, evidence):
                return missing
        return "the negation differs" if self._negation(statement, [self.quotes[at] for at in among]) else ""

    def copies(self, statement: str) -> tuple[int, ...]:
        """Return the quotes of which a statement is a copy: a whole sentence, or most of one that is no risk."""
        near = (at for at, whole in enumerate(self.sentences) if _is_copy(statement, whole))
        return tuple(at for at in near if self._is_quote(statement, at) or not self.veto(statement, [at]))

    def _is_quote(self, statement: str, at: int) -> bool:
        """Whether a statement has the words of a quote and of whole sentences, and nothing else: no rule is needed."""
        return _tokens(statement) == _tokens(self.quotes[at]) == _tokens(self.sentences[at])

    def related(self, statement: str) -> tuple[int, ...]:
        """Return the quotes that share content words with a statement, if it has any.

        A quote in another script may be about anything.
        """
        wanted = content(statement)
        return tuple(
            at
            for at, quote in enumerate(self.quotes)
            if not wanted or wanted & content(quote) or not same_script(statement, quote)
        )

    def _number(self, statement: str, evidence: str) -> str:
        own, there, asked = numbers(statement), numbers(evidence), numbers(self.question)
        others = [one for one in there if not any(mine.matches(one) for mine in own)]
        known = [*there, *any_months(evidence), *([] if others else [*asked, *any_months(self.question)])]
        wanted = [*own, *months(statement)]
        missing = next((one for one in wanted if not any(one.matches(other) for other in known)), None)
        return "" if missing is None else f"the number {missing.value.normalize():f} is not in the quote"

    def _name(self, statement: str, evidence: str) -> str:
        if not same_script(statement, evidence):
            return ""
        language, of_evidence = likely_language(statement), likely_language(evidence)
        german = language == "de"
        translated = language != of_evidence and (german or bool(language and of_evidence))
        is_common = (lambda word: True) if translated else self._is_common  # words that only begin a sentence
        there = names(evidence, is_common)
        others = [name for name in there if not has_name(statement, name)]
        if german and not others:
            return ""  # any noun is capitalised
        known = evidence if others else f"{evidence}\n{self.question}"
        wanted = (name for name in names(statement, is_common) if not is_unit(name.casefold()))
        missing = next((name for name in wanted if not has_name(known, name)), "")
        return missing and f"the name {missing} is not in the quote"

    def _negation(self, statement: str, quotes: Sequence[str]) -> bool:
        """Return whether a statement, or its yes or no to the question, is negated otherwise than the quotes.

        A question with another name or number may be answered with no.
        """
        evidence = "\n".join(quotes)
        asked = not (self._number(self.question, evidence) or self._name(self.question, evidence))
        return differs(statement, quotes) or (asked and answers_against(statement, self.question, quotes))

    @cached_property
    def _is_common(self) -> Callable[[str], bool]:
        everything = "\n".join((self.text, self.question, *self.quotes))
        return lambda word: re.search(rf"(?<!\w){re.escape(word)}(?!\w)", everything) is not None


def whole_sentences(text: str, start: int, end: int) -> str:
    """Return the sentences of a text that the span is part of."""
    first, last = text.rfind("\n\n", 0, start) + 1, text.find("\n\n", end)
    last = len(text) if last < 0 else last
    cuts = [first, *sentence_ends(text, first, last), last]
    begin = max((cut for cut in cuts if cut <= start), default=first)
    return text[begin : min((cut for cut in cuts if cut >= end), default=last)].strip()


def _is_copy(statement: str, whole: str) -> bool:
    """Return whether a statement has the words of a sentence, or most of them, one after another."""
    wanted = _tokens(statement)
    if len(wanted) < _LEAST_COPIED:
        return False
    for sentence in (whole, *sentences(whole)):
        there = _tokens(sentence)
        if wanted == there:
            return True
        at = next((i for i in range(len(there) - len(wanted) + 1) if there[i : i + len(wanted)] == wanted), None)
        if at is None or len(wanted) < _COVERED * len(there) or likely_language(sentence) != "en":
            continue
        rest = " ".join([*there[:at], "\n", *there[at + len(wanted) :]])
        if not _RISKY.search(rest) and is_negated(rest) is False:
            return True
    return False


def _tokens(text: str) -> list[str]:
    """Return the words, numbers and signs of a text; a script without spaces gives its characters."""
    found: list[str] = []
    for token in _TOKEN.findall(text.casefold().replace("’", "'")):
        found += list(token) if _SCRIPTS[5].search(token) or _SCRIPTS[7].search(token) else [token]
    return found


def same_script(one: str, other: str) -> bool:
    """Return whether two texts have letters of a common script, or one of them has none."""
    used = [{at for at, script in enumerate(_SCRIPTS) if script.search(text.lower())} for text in (one, other)]
    return bool(used[0] & used[1]) or not all(used)
