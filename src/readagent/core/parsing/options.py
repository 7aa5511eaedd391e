"""Parse the chosen option of a question: named by its letter, by its text or by its position."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readagent.core.parsing.wordings import (
    DOUBT,
    NUMBER,
    ORDINALS,
    REJECTS,
    clauses,
    corrects,
    cued,
    is_reason,
    starts_correction,
    value_of,
    word_in,
)
from readagent.core.patterns import lazy_pattern

_IS = r"(?:\s+(?:is|was|would be|must be|will be|has to be))?"
_OPTION = ("option", "choice")
_CONCLUDES = lazy_pattern(r"\b(?:but|however|so|therefore|final(?:ly)?)\b", re.I)
_FOLLOWS = (  # what follows a letter that is no word: nothing that it could belong to
    r"(?![A-Za-z0-9_'’]"
    r"|[^\S\n]+(?!(?:is|was|are|were|seems|must|would|can|cannot|could|because|since|as|and|or|but|although|if|it|fits|looks"
    r"|over|rather|remains|noch|oder|nicht|not|to|isn|wasn|et|ou|y|o|comes|states|says)\b)[a-z])"
)
_OR = r"[)\]*）\s]{0,3}(?:/|,|\+|&|or|and|oder|und|ou|et|o|y|или|и|或|或者|か|と|또는)\s*[(\[（]?\s*"
_REPLACED = (
    r"(?:over|rather than|instead of|(?:and |but )?not|nicht|statt|pas|et non|no|y no|non|e non|não|не|niet|nie)"
)
_RIGHT = r"yes|true|right|correct|✓|✔|✅|☑|ja|oui|sí|да|richtig|wahr|是|对|正确"
_WRONG = r"no|false|wrong|incorrect|not (?:true|right|correct)|✗|✘|❌|✕|nein|non|нет|falsch|否|错|错误|不对"
_VERDICT = lazy_pattern(rf"(?:^|[\s:–—,(-])(?:(?P<right>{_RIGHT})|(?:{_WRONG}))[.!)\s]*$", re.I)
_SETTLES = lazy_pattern(
    r"\b(?:settle on|choose|pick|select|opt for|go(?:ing)? (?:with|for)|left with|leaves|remains?|favou?rs?|the best"
    r"|better"
    r"|answer|i['’]d say|i would say|it is|it['’]s|correct|right|wins)\b|^\W*(?:so|therefore|hence|thus)\b",
    re.I,
)
_SUPPOSES = lazy_pattern(r"^\W*(?:if|although|though|while|after|even if|unless|wenn|si)\b|\bif\b|\bwere right\b", re.I)
_ALL_BUT = r"\b(?i:everything|all|all options|every option|any) (?:but|except|other than)"


def parse_options(
    text: str, letters: Sequence[str], texts: Sequence[str], cues: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the chosen option; None if there is none or more than one."""
    reply = _Reply(text, tuple(letters), tuple(texts), tuple(cues))
    readings: tuple[Callable[[], list[str]], ...] = (
        reply.word, reply.judged_one_by_one, reply.announced, reply.whole_lines, reply.texts_said, reply.letters_named,
        reply.by_place,
    )  # fmt: skip
    for read in readings:
        found = list(dict.fromkeys(read()))
        if found:
            return (found[0],) if len(found) == 1 else None
    return None


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply, the letters of the options and their texts. Each method returns the letters that it finds.

    Several letters mean that the reply is unclear.
    """

    text: str
    letters: tuple[str, ...]
    options: tuple[str, ...]
    cues: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [one for one in self.letters if len(one) < 3]

    @property
    def name(self) -> str:
        return "|".join(sorted(self.names, key=len, reverse=True))

    def word(self) -> list[str]:
        """Find a value that is a word, such as MISSING."""
        return list(filter(None, [word_in(self.text, self.letters)]))

    def judged_one_by_one(self) -> list[str]:
        """Find the only option that is called right, if each is judged: "A: no", "B: yes"."""
        start = re.compile(rf"\W*(?:(?i:{'|'.join(ORDINALS)}|option)\b\W*)?({self.name})\b[\s).:,–—-]")
        judged: dict[str, bool] = {}
        told = re.sub(rf"[.;]\s+(?:this|that|it) is (?=(?:{_RIGHT}|{_WRONG})\b)", " – ", self.text, flags=re.I)
        for part in re.split(r"\n+|(?<=[.;!])\s+", told):
            begins, verdict = start.match(f"{part} "), _VERDICT.search(part)
            if begins and verdict:
                judged[begins[1]] = bool(verdict["right"])
        right = [letter for letter, value in judged.items() if value]
        if len(judged) < 2 or self._after(self.cues, self.text):
            return []
        return right or self._left_over(judged)

    def announced(self) -> list[str]:
        """Find what is announced: ``Answer: (C) ...``. A later announcement counts if it takes an earlier one back."""
        found = self._after(self.cues, self.text)
        if not found:
            return []
        kept = list(found)
        for earlier, later in pairwise(found):
            between = self.text[earlier.end() : later.start()]
            if corrects(between) or _CONCLUDES.search(between):
                kept = found[found.index(later) :]
        named_so = [match[1].upper() for match in kept]
        rest = self.text[kept[-1].end() :]
        later_said = clauses(self._after_text(named_so[-1], rest))
        for place, clause in enumerate(later_said):
            if starts_correction(clause):
                return self._named_in(later_said[place:]) or self.names
        first = re.split(r"[.\n;]", rest)[0]
        if re.match(
            r"\W{0,2}\s*(?:is|was|are)(?: not|n['’]t)?\s+(?:wrong|false|out|excluded|incorrect|unlikely)", first
        ):
            return self._named_in(later_said[1:])
        if re.match(r"\s*\+|.{0,12}[=]", first):
            return self.names
        return named_so if self._agrees(named_so[-1], first) else self.names

    def _after_text(self, letter: str, following: str) -> str:
        """Return what follows a letter without the text of its option: "(B) No, he left" takes nothing back."""
        words = map(re.escape, self.options[self.letters.index(letter)].split())
        own = re.match(r"\W*" + r"[\s*_]+".join(words), following, re.I)
        return following[own.end() :] if own else following

    def _agrees(self, letter: str, following: str) -> bool:
        """Return whether the text after a letter is not that of another option."""
        said, own = _normal(following), _normal(self.options[self.letters.index(letter)])
        others = [_normal(option) for i, option in enumerate(self.options) if self.letters[i] != letter]
        return not said or said.startswith(own) or not any(one and said.startswith(one) for one in others)

    def whole_lines(self) -> list[str]:
        """Find a letter that is a whole line, or begins the reply and is followed by a bracket, a stop or a colon."""
        cue = cued((*self.cues, *_OPTION))
        found = re.findall(rf"^\W{{0,12}}(?:(?:{cue})\W{{0,6}})?({self.name})\W{{0,12}}$", self.text, re.I | re.M)
        if found:
            after = self.text[self.text.upper().rfind(found[-1].upper()) + 1 :]
            return [letter.upper() for letter in found] if not corrects(after) else []
        begun = re.match(rf"\W{{0,3}}({self.name})(?:\)|[.:]\s|,\s(?!(?:{self.name})\b))", self.text)
        if not begun or is_reason(clauses(self.text)[0]) or REJECTS.search(clauses(self.text)[0]):
            return []
        other = re.match(rf"\W{{0,3}}(?:{self.name}){_OR}({self.name})\b", self.text)
        rest = self._after_text(begun[1], self.text[begun.end() :])
        later = clauses(rest)[0 if len(rest) < len(self.text) - begun.end() else 1 :]
        if other or any(starts_correction(clause) for clause in later):
            return []
        return [begun[1]] if self._agrees(begun[1], re.split(r"[.\n;]", self.text[begun.end() :])[0]) else self.names

    def _after(self, cues: Sequence[str], text: str) -> list[re.Match[str]]:
        """Return letters that follow a cue; a small letter only if no word follows it, for it may be one itself."""
        gap = r"\s*[:=：-]*[\s\"'(\[<（]{0,4}(?:[ao] (?=[A-Z]))?(?:(?:probably|likely|letter\)?)\s*\(?)?"
        found = re.finditer(rf"(?:{cued(cues)}){_IS}{gap}({self.name}){_FOLLOWS}", text, re.I)
        sure = [match for match in found if match[1].isupper() or not text[match.end() : match.end() + 1].isspace()]
        other = re.compile(rf"{_OR}({self.name})(?![A-Za-z'’])")
        return [*sure, *filter(None, (other.match(text, one.end()) for one in sure))]

    def texts_said(self) -> list[str]:
        """Find options whose text is in the reply, except in a clause that rejects it."""
        whole = f" {_normal(self.text)} "
        said = [i for i, option in enumerate(self.options) if _normal(option) and f" {_normal(option)} " in whole]
        texts = {i: _normal(self.options[i]) for i in said}
        left = [i for i in said if not any(i != other and texts[i] in texts[other] for other in said)]
        kept = [i for i in left if not self._rejected(texts[i])]
        if len(kept) == 1 or (kept and len(kept) < len(left)):
            return [self.letters[i] for i in kept]
        return []

    def _rejected(self, option: str) -> bool:
        """Return whether a clause says that an option is not the one."""
        holding = [clause for clause in clauses(self.text) if option in _normal(clause)] or [self.text]
        return all(REJECTS.search(_normal(clause).partition(option)[0]) for clause in holding)

    def letters_named(self) -> list[str]:
        """Find letters in brackets, or capital letters that are no words, except in clauses that reject them."""
        spared = re.search(
            rf"{_ALL_BUT}\s+[(\[]?({self.name})\b[^.;\n]*\b(?:excluded|out|wrong|false|eliminated)\b", self.text
        )
        return [spared[1]] if spared else self._named_in(clauses(self.text))

    def _named_in(self, said: Sequence[str]) -> list[str]:
        found: list[str] = []
        rejected: set[str] = set()
        doubt = False
        told = list(_answered(said))
        for place, clause in enumerate(told):
            asserted = self._replaced.sub(" ", clause)
            here = self._letters(asserted)
            doubt = doubt or bool(DOUBT.search(" ".join(told[place : place + 2])))
            if here and (REJECTS.search(asserted) or is_reason(asserted) or _SUPPOSES.search(clause)):
                rejected.update(here if not _SUPPOSES.search(clause) else ())
                continue
            settles = bool(_SETTLES.search(clause)) or not re.search(r"[^\W\d_]{2,}", clause)
            found = here if len(set(here)) == 1 and settles and len(found) > 1 else [*found, *here]
            doubt = doubt and not (settles and len(set(here)) == 1 and not DOUBT.search(clause))
        kept = [letter for letter in found if letter not in rejected]
        if doubt:
            return self.names if found else []
        return kept if kept or not rejected else self._left_over(rejected)

    @property
    def _replaced(self) -> re.Pattern[str]:
        return re.compile(
            rf"\b{_REPLACED}\s+[(\[]?(?:{self.name})\b[)\]]?|(?<=[A-Z]) to (?:{self.name})\b|(?:{self.name})(?:ではなく"
            rf"|가 아니라)"
        )

    def _letters(self, clause: str) -> list[str]:
        bracketed = rf"[(（\[]\s*({self.name})\s*[)）\]]"
        pattern = re.compile(rf"{bracketed}|(?<![A-Za-z0-9_'’])({self.name}){_FOLLOWS}")
        return [match[1] or match[2] for match in pattern.finditer(clause)]

    def _left_over(self, rejected: Sequence[str] | set[str] | dict[str, bool]) -> list[str]:
        """Return the only option that is not rejected."""
        left = [letter for letter in self.names if letter not in rejected]
        return left if len(left) == 1 else []

    def by_place(self) -> list[str]:
        """Find "the third option", "option 3", or a number that is the whole reply."""
        cue = cued((*self.cues, *_OPTION))
        numbers = re.findall(rf"(?:\A\W{{0,6}}|\b(?:{cue})\W{{1,5}})({NUMBER})(?:\W*$|\b(?=\W))", self.text, re.I)
        places = [value_of(number) - 1 for number in numbers]
        words = re.findall(rf"\b({'|'.join(ORDINALS)}|last)\s+(?:option|choice|one|answer)\b", self.text.lower())
        places += [len(self.options) - 1 if word == "last" else ORDINALS.index(word) for word in words]
        rejected = REJECTS.search(self.text)
        return [self.letters[place] for place in places if 0 <= place < len(self.names) and not rejected]


def _answered(said: Sequence[str]) -> Iterator[str]:
    """Yield the clauses; of a question that the next clause answers, only if that is yes."""
    for clause, following in pairwise([*said, ""]):
        if not clause.rstrip().endswith("?") or len(said) == 1 or re.match(r"\W*yes\b", following, re.I):
            yield clause


def _normal(text: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"n['’]t\b", " not", text)).strip().lower()
