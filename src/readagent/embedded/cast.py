"""Who is in a text, by rule: the forms of names that are of people, joined where they can only mean one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from readagent.embedded.name_forms import (
    CROWNED,
    FEMALE,
    MALE,
    NEVER_A_SURNAME,
    NICKNAMES,
    NUMERALS,
    ORGANISATIONS,
    PERSONAL,
    RANKS,
    RARELY_A_SURNAME,
    WITH_FIRST_NAME,
    WIVES,
    Form,
    forms_in,
)

_SEEN = 2  # places of a name that make it one
_PLACE = 0.25  # of the places of a name that are those of a town or a house
_ARTICLE = 0.4  # of the places of a name that follow an article
_TOGETHER = 0.05  # of the sentences with a name that may have another one of the same person
_LATE = 0.25  # of the places of a first name that may come before the full name
_SOON = 50  # sentences after a full name that stands only once, within which the first name follows
_FAR_MORE = 3  # times as often as all others, a person is the one whom a shared surname means


@dataclass(slots=True, eq=False)
class Member:
    """One person: the forms of the name."""

    forms: list[Form] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names; first the fullest one without a title, or else the most frequent one."""
        full = [one for one in self.forms if len(one.words) > 1 and not one.title]
        first = max(full or self.forms, key=lambda one: (len(one.words) if full else 0, one.count))
        others = sorted((one for one in self.forms if one is not first), key=lambda one: -one.count)
        return [first.text, *(one.text for one in others)]

    @property
    def count(self) -> int:
        """How often the text has one of the names."""
        return sum(one.count for one in self.forms)

    @property
    def titles(self) -> set[str]:
        """The titles before the name, in small letters."""
        return {one.title for one in self.forms if one.title}

    @property
    def gender(self) -> str:
        """``he`` or ``she`` as titles and the pronouns that follow say; "" if they do not."""
        if self.titles & MALE or self.titles & FEMALE:
            return "he" if self.titles & MALE else "she"
        he, she = sum(one.he for one in self.forms), sum(one.she for one in self.forms)
        return "he" if he > 2 * she and he > 1 else "she" if she > 2 * he and she > 1 else ""

    def begins_with(self, word: str) -> bool:
        """Whether a full name has this first name."""
        return any(len(one.words) > 1 and one.words[0] == word for one in self.forms)

    def ends_with(self, word: str) -> bool:
        """Whether a name with a title or a full name has this last word."""
        return any(
            one.words[-1] == word and (len(one.words) > 1 or one.title not in ("", "sir", "lady")) for one in self.forms
        )

    def agrees(self, other: Member) -> bool:
        """Whether both may be of one gender."""
        return not self.gender or not other.gender or self.gender == other.gender

    def apart_from(self, other: Member) -> bool:
        """Whether sentences mention both, as they do with two people."""
        mine, theirs = ({at for one in member.forms for at in one.sentences} for member in (self, other))
        return len(mine & theirs) > 1 + _TOGETHER * min(len(mine), len(theirs))


@lru_cache(maxsize=2)
def cast_of(text: str) -> tuple[Member, ...]:
    """Return the people of a text; those who are mentioned most come first."""
    forms = list(forms_in(text).values())
    people = _people(forms)
    full = _full_names(one for one in people if len(one.words) > 1)
    bare = [one for one in people if len(one.words) == 1 and not one.title]
    bare = [one for one in bare if not _joins_first_name(one, full)]
    titled = [Member([one]) for one in people if len(one.words) == 1 and one.title]
    shared = Counter(last for _, last in {(one.words[0], one.words[-1]) for one in forms if len(one.words) > 1})
    titled = [one for one in titled if not _joins_full_name(one, full, shared)]
    known = [*full, *titled]
    rest = [Member([one]) for one in bare if not _joins_surname(one, known)]
    members = _nicknames_joined([*known, *rest])
    return tuple(sorted(members, key=lambda one: -one.count))


def things_in(text: str) -> dict[str, str]:
    """Return the names of a text that are of no person, each with its kind: place, organisation, or "" if unknown."""
    forms = forms_in(text)
    taken = {word for member in cast_of(text) for form in member.forms for word in form.words}
    taken |= {f"{word}{ending}" for word in taken for ending in ("s", "es")}  # families
    things = [
        one
        for one in forms.values()
        if one.count >= _SEEN and (_is_place(one) or (not one.title and not taken & {*one.words}))
    ]
    return {one.text: _kind(one) for one in things}


def _kind(form: Form) -> str:
    if form.words[-1].lower() in ORGANISATIONS:
        return "organisation"
    return "place" if form.placed > _PLACE * form.count else ""


def _people(forms: Sequence[Form]) -> list[Form]:
    """Return the forms that are of people."""
    sure = [one for one in forms if _is_person(one)]
    first = {one.words[0] for one in sure if one.count >= _SEEN}
    surnames = {one.words[-1] for one in sure if one.title or (one.count >= _SEEN and len(one.words) > 1)}
    ends = {one.words[-1] for one in forms}
    having = Counter(word for one in forms for word in {*one.words})
    formal = {(one.title, one.words[-1]) for one in forms if one.title and len(one.words) > 1}
    chosen = []
    for one in forms:
        if _is_place(one):
            continue
        begins, ends_so = one.words[0] in first, one.words[-1] in surnames
        likely = one.placed <= _PLACE * one.count and one.with_article <= _ARTICLE * one.count
        plural = one.words[-1].endswith("s") and one.words[-1][:-1] in ends
        family = plural and one.title in ("", "miss")  # such as "the Miss Bennets"
        if len(one.words) > 1:
            once = bool(one.title) or one.is_full or (begins and not one.placed)
        else:  # nobody else can be meant
            once = bool(one.title) and (having[one.words[0]] == 1 or (one.title, one.words[0]) in formal)
        often = one.count >= _SEEN or once
        if often and not family and (_is_person(one) or (likely and (begins or (ends_so and len(one.words) == 1)))):
            chosen.append(one)
    return chosen


def _is_place(form: Form) -> bool:
    """Whether a name ends as those of places and organisations do: "Mansfield Parsonage", "General Motors"."""
    last = form.words[-1].lower()
    if last in NEVER_A_SURNAME:
        return True
    if last not in RARELY_A_SURNAME or form.title in PERSONAL:
        return False
    if form.title in CROWNED and len(form.words) > 1:  # "Queen Anne House"
        return True
    return len(form.words) > 1 or form.title != "" if not form.human or form.placed else False


def _is_person(form: Form) -> bool:
    if _is_place(form):
        return False
    if form.title:
        return True
    if form.with_article > _ARTICLE * form.count:
        return False
    if form.is_full and form.placed <= _PLACE * form.count:
        return True
    return form.human > 0 and form.placed <= min(_PLACE * form.count, 4 * form.human)


def _full_names(forms: Iterable[Form]) -> list[Member]:
    """Join full names with the same first and last word; "Mrs. John Gray" is another person than John Gray."""
    members: dict[tuple[str, str, bool], Member] = {}
    for form in forms:
        members.setdefault((form.words[0], form.words[-1], form.title in WIVES), Member()).forms.append(form)
    return list(members.values())


def _joins_first_name(form: Form, full: Sequence[Member]) -> bool:
    """Join "Elizabeth" with the one full name that begins so, unless that is first told late; say if it was joined.

    Lady Catherine is never called Catherine.
    """
    alone, word = Member([form]), form.words[0]
    named = [one for one in full if one.begins_with(word)]
    named = [one for one in named if not _numbered(one)] or named
    if len(named) != 1 or not alone.agrees(named[0]) or {"sir", "lady", *WIVES} & named[0].titles:
        return False
    if _numbered(named[0]) and form.count > _FAR_MORE * named[0].count:
        return False  # a heroine called Elizabeth is not the Elizabeth II whom the text mentions
    told = min(at for one in named[0].forms for at in one.sentences)
    if named[0].count < _SEEN and not 0 <= min(form.sentences) - told <= _SOON:
        return False
    if sum(at < told for at in form.sentences) > _LATE * len(form.sentences) + 1 or alone.apart_from(named[0]):
        return False
    named[0].forms.append(form)
    return True


def _numbered(member: Member) -> bool:
    """Whether the name has a number, as those of kings and queens have."""
    return all(one.words[-1] in NUMERALS for one in member.forms)


def _joins_full_name(one: Member, full: Sequence[Member], shared: Counter[str]) -> bool:
    """Join "Sir Walter" or "Miss Baker" with the one full name that it can mean; say if it was joined.

    ``shared`` says how many full names end with a word.
    """
    (form,) = one.forms
    (word,) = form.words
    agreeing = [two for two in full if one.agrees(two)]
    first = [two for two in agreeing if two.begins_with(word)]
    last = [two for two in agreeing if two.ends_with(word)]
    if form.title in WITH_FIRST_NAME or (first and not last):
        same = [two for two in first if form.title in two.titles]
        chosen = same or ([] if form.title in ("sir", "lady") else first)
    else:  # "Mr. Frank Churchill" is called so because "Mr. Churchill" is another
        chosen = [two for two in last if one.gender == two.gender and not two.titles - {form.title}]
        chosen = [two for two in chosen if not one.apart_from(two)]
        formal = form.title not in RANKS and any(_formal(two, form.title) for two in last)
        chosen = [] if shared[word] > 1 or formal else chosen
    if len(chosen) == 1:
        chosen[0].forms.append(form)
    return len(chosen) == 1


def _formal(member: Member, title: str) -> bool:
    return any(one.title == title and len(one.words) > 1 for one in member.forms)


def _joins_surname(form: Form, known: list[Member]) -> bool:
    """Join "Darcy" with Mr. Darcy; say if it needs no entry of its own.

    A surname alone is that of a man if only one man has it, or one far more often: women are called otherwise.
    """
    word, alone = form.words[0], Member([form])
    named = [one for one in known if one.ends_with(word) or one.begins_with(word)]
    last = [one for one in named if one.ends_with(word) and alone.agrees(one)]
    men = sorted((one for one in last if len(last) == 1 or one.gender != "she"), key=lambda one: -one.count)
    if _are_one(men, form.count):
        men[0].forms += men[1].forms
        known.remove(men.pop())
        named = [one for one in named if one in known]
    others = sum(one.count for one in men[1:])
    if men and all(one.ends_with(word) for one in named) and men[0].count >= _FAR_MORE * others:
        men[0].forms.append(form)
        return True
    return len(named) > 1 and form.count <= sum(one.count for one in named)  # it means one of these, but which?


def _are_one(men: Sequence[Member], alone: int) -> bool:
    """Whether "Mr. Gatsby" and "Jay Gatsby" are one: the surname mostly stands alone, and no sentence has both."""
    if len(men) != 2 or alone <= men[0].count or any(one.gender == "she" for one in men):
        return False
    return "mr" in men[0].titles | men[1].titles and not men[0].apart_from(men[1])


def _nicknames_joined(members: Sequence[Member]) -> list[Member]:
    """Join "Lizzy" with the one Elizabeth of a text, unless sentences mention both."""
    left = list(members)
    for one in members:
        word = one.forms[0].words[0]
        name = NICKNAMES.get(word.lower()) if all(form.words == [word] for form in one.forms) else None
        same = [two for two in left if any(form.words[0].lower() == name for form in two.forms)] if name else []
        if (
            len(same) == 1
            and one.agrees(same[0])
            and not one.apart_from(same[0])
            and not {"sir", "lady"} & same[0].titles
        ):
            same[0].forms += one.forms
            left.remove(one)
    return left
