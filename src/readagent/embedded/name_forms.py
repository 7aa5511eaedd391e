"""The names of people in a text by rule: every form in which they are written, with how often and in which company."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from readagent.core.words import sentences
from readagent.embedded.given_names import GIVEN, is_full_name
from readagent.embedded.name_words import DOING, HE, NOBODY, OWNED, PARTICLES, PLACED, SHE, SPEAKING, TITLES

_UPPER = "A-ZÀ-ÖØ-ÞŁŚŠŽА-ЯЁ"
_GAP = r"(?:[^\S\n]{1,3}\n?|\n)[^\S\n]{0,8}"  # bounded, like the initials: any text must be searched in linear time
_TITLE = rf"(?:{'|'.join(sorted((one.capitalize() for one in TITLES), key=len, reverse=True))}|PhD)(?![^\W\d_])"
_WORD = rf"(?!{_TITLE})(?:(?:St|Ste|Mt)\.\s+)?[{_UPPER}](?:['’][{_UPPER}])?[^\W\d_]+(?:-[^\W\d_]+)*"
_OPENING = (
    "She|He|The|It|They|We|But|And|In|On|At|His|Her|Their|Then|When|After|Before|This|That|There|A|An|As|So|If|For"
)
_INITIAL = rf"(?![IVX]\.\s+(?:{_OPENING})\b)[{_UPPER}]\.(?={_GAP}[{_UPPER}])"
_NUMERAL = rf"(?:{_GAP}(?:[VX]|(?:[IVX]{{2,5}})|I(?=['’.,;:)]|\s+(?:of|was|died|reigned)\b))(?![^\W\d_]))?"  # of a king
_FORM = re.compile(
    rf"(?<![\w’'])(?:{_TITLE}\.?{_GAP}){{0,3}}(?:[{_UPPER}]\.(?:{_GAP})?){{0,4}}{_WORD}"
    rf"(?:(?:{_GAP}(?:{PARTICLES})){{0,1}}{_GAP}(?:{_INITIAL}|{_WORD}))*{_NUMERAL}"
)
_LEADING_TITLE = re.compile(rf"{_TITLE}\.?$")
_INITIAL_AFTER = re.compile(rf"\s{{1,3}}[{_UPPER}]\.")
_SMALL = re.compile(r"(?<![\w’'])[^\W\d_A-ZÀ-Þ][^\W\d_]+")
_STARTS = re.compile(r"(?:^|[.!?…:;]['’\"”»)\]*_]*\s+|[\"“‘«(\[*_]|--|[—–-]\s*|\n\s*\n\s*)$")
_SPOKE_BEFORE = re.compile(rf"\b(?:{SPEAKING.replace(' ', '|')})\s+$")
_DOES = re.compile(
    rf",?\s+(?:(?:had|has|then|only|just)\s+)?(?:{SPEAKING.replace(' ', '|')}|{DOING.replace(' ', '|')})\b"
)
_OWNS = re.compile(rf"['’]s?\s+(?:[a-z]+\s+)?(?:{OWNED.replace(' ', '|')})\b")
_CALLED = re.compile(r"(?:,\s+@[.!?,]*[\"”’]|[\"“‘]@[,!])")  # "Nick, come!" or "Come, Nick!"; @ is the name
_PLACED = re.compile(rf"\b(?:{PLACED.replace(' ', '|')})\s+(?:the\s+)?$", re.I)
_LOOKED = re.compile(  # "at" before a person
    r"\b(?:look|star|gaz|glanc|glar|smil|laugh|nod|wink|shout|bow|frown|wav|point|peer|scowl|sneer|angry|vexed|amazed|aim)"
    r"(?:e|ed|es|s|ing|led|ting|ded)?(?:\s+(?:up|back|down|out|again|hard|\w+ly))?\s+at\s+$"
)
_THE = re.compile(r"\b(?:the|a|an)\s+$", re.I)
_SAINT = ("St", "Ste", "Mt")
_SPEAKER = re.compile(
    rf"^\s*([{_UPPER}][\w.’'-]{{0,40}}(?:[ \t]{{1,3}}[{_UPPER}][\w.’'-]{{0,40}}){{0,4}})[ \t]?:\s", re.M
)
_PRONOUN = re.compile(r"[a-z]+")
_CONTEXT = 40  # characters around a name that are looked at
_SPEAKERS = 6  # lines with a speaker that make a text a transcript


@dataclass(slots=True)
class Form:
    """A name as it is written: its words with titles, and how often it stands where people, places or things do."""

    text: str
    count: int = 0
    human: int = 0
    placed: int = 0
    with_article: int = 0
    he: int = 0
    she: int = 0
    sentences: set[int] = field(default_factory=set)

    @property
    def title(self) -> str:
        """Its first title in small letters; "" if it has none."""
        first = self.text.split()[0].rstrip(".").lower()
        return first if first in TITLES and " " in self.text else ""

    @property
    def words(self) -> list[str]:
        """Its words without titles and particles."""
        words = self.text.split()
        while len(words) > 1 and words[0].rstrip(".").lower() in TITLES:
            words = words[1:]
        words = [word for word in words if word[0].isupper()]
        while len(words) > 2 and words[-1].isupper():  # letters after a name, such as MP
            words = words[:-1]
        return words

    @property
    def is_full(self) -> bool:
        """Whether it begins with a common first name, or has a patronymic: "Emma Woodhouse", "Ivan Petrovich"."""
        return is_full_name(self.words)


def forms_in(text: str) -> dict[str, Form]:
    """Return the forms of names in a text."""
    small = Counter(_SMALL.findall(text))
    inside = Counter(word for at, one in _found(text) for word in _inside(text, at, one))
    forms: dict[str, Form] = {}
    for number, sentence in enumerate(sentences(text)):
        if sentence.isupper():  # a heading
            continue
        for at, one in _found(sentence):
            if name := _trimmed(one, _begins(sentence, at), small, inside):
                start, last = one.index(name.split()[0]), name.split()[-1]
                end = one.rindex(last) + len(last)
                if " " not in name and _INITIAL_AFTER.match(sentence, at + end):  # James B. (“Rot-Gut”) Ferret
                    continue
                _note(forms.setdefault(name, Form(name)), sentence, at + start, at + end, number)
    for label, count in _speakers(text).items():
        form = forms.setdefault(label, Form(label))
        form.count, form.human = max(form.count, count), form.human + count
    return forms


def _found(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _FORM.finditer(text)]


def _inside(text: str, at: int, form: str) -> list[str]:
    """Return the words of a form that are not capitalised because a sentence begins there."""
    words = form.split()
    return words[1:] if _begins(text, at) and not _LEADING_TITLE.match(words[0]) else words


def _begins(text: str, at: int) -> bool:
    """Whether a sentence may begin at an offset."""
    return at == 0 or bool(_STARTS.search(text, max(0, at - 12), at))


def _trimmed(form: str, begins: bool, small: Counter[str], inside: Counter[str]) -> str:
    """Return a form without the words at its ends that are no names; "" if nothing is left."""
    words = form.split()

    def is_name(word: str) -> bool:
        plain = word.strip(".")
        lower = plain.lower()
        if len(plain) < 2 or plain in _SAINT:
            return word.endswith(".")
        given = lower in GIVEN and not small[lower]
        return lower not in NOBODY and (given or inside[plain] > small[lower])

    def stressed(word: str) -> bool:  # "Marianne WAS tired"
        return len(word) > 2 and word.isupper() and small[word.lower()] > 0

    while begins and words and not (_LEADING_TITLE.match(words[0]) or is_name(words[0]) or is_full_name(words)):
        words = words[1:]
    while words and (words[-1].lower() in NOBODY or stressed(words[-1])):
        words = words[:-1]
    if not any(map(is_name, words)):
        return ""
    proper = [word for word in words if not _LEADING_TITLE.match(word) and len(word.strip(".")) > 1]
    return " ".join(words) if proper else ""


def _note(form: Form, sentence: str, at: int, end: int, number: int) -> None:
    """Count one place of a form and what stands around it."""
    before, after = sentence[max(0, at - _CONTEXT) : at], sentence[end : end + _CONTEXT]
    form.count += 1
    called = _CALLED.search(f"{before[-2:]}@{after[:3]}")
    form.human += bool(called or _SPOKE_BEFORE.search(before) or _DOES.match(after) or _OWNS.match(after))
    placed = _PLACED.search(before) and not _LOOKED.search(before)
    form.placed += bool(placed) and not re.match(r"['’]", after)
    form.with_article += bool(_THE.search(before))
    form.sentences.add(number)
    pronoun = next((word for word in _PRONOUN.findall(sentence[end : end + 3 * _CONTEXT]) if word in HE | SHE), "")
    form.he += pronoun in HE
    form.she += pronoun in SHE


def _speakers(text: str) -> Counter[str]:
    """Return the speakers of a transcript, and how often each speaks; nobody if the text is none."""
    labels = Counter(" ".join(label.split()) for label in _SPEAKER.findall(text))
    repeated = Counter({label: count for label, count in labels.items() if count > 1})
    return repeated if repeated.total() >= _SPEAKERS and len(repeated) > 1 else Counter()
