"""Names of people: compare them, join what several windows say of one person, and find where they are mentioned."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from readagent.core.languages import is_function_word, likely_language
from readagent.core.overviews.collect import Item
from readagent.core.patterns import lazy_pattern

_TITLES = frozenset(
    "mr mrs ms miss mister sir lady lord dr doctor prof professor king queen prince princess count countess captain"
    " colonel general major lieutenant sergeant father mother brother sister uncle aunt saint st madame madam monsieur"
    " mademoiselle herr frau fraulein don dona senor senora graf grafin president senator judge"
    " admiral marshal duke duchess baron baroness emperor empress pope bishop reverend rev minister chancellor governor"
    " mayor inspector sheriff nurse the a an young old little dear von van de du"
    " der la le and".split()
)
_NUMERALS = frozenset(
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx jr sr junior senior".split()
)
_NOBLE = ("sir", "lady")  # before a first name
_LINKS = frozenset("the a an von van de du der la le and".split())
_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_RELATION = lazy_pattern(r"^(?P<what>.+?)\s+(?:of|to|von|de|du|des|der)\s+(?P<whom>.+)$", re.I)
_REMEMBERED = 10_000  # names: each is compared with all others
_LAST_WORD = lazy_pattern(r"([^\W\d_]+)\.?\s+$")
_TITLE_LENGTH = 16  # characters before a name that may be a title
_ANOTHER = lazy_pattern(  # a surname or an initial after a first name: James J. Hill, James B. (“Rot-Gut”) Ferret
    r"\s{1,3}(?:(?P<initial>(?-i:[A-Z])\.)\s{0,3}){0,3}(?:[(“\"‘]{1,2}[^()“”\"\n]{1,24}[)”\"’]{1,2}\s{1,3})?(?P<word>[^\W\d_][\w’'-]+)?"
)
_ENDINGS = ("'s", "’s", "'", "’", "s", "es")  # "Tom Buchanan's", "the Tom Buchanans"
_SAMPLE = 20_000  # characters of a text that tell its language
_SEVERAL = lazy_pattern(r"\s*(?:;|,|/|\baka\b|\balso\b)\s*", re.I)


@dataclass(slots=True)
class Known:
    """What is known of one person so far."""

    names: list[str]
    about: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)

    def absorb(self, other: Known) -> None:
        """Add what is known under another name."""
        self.names += [name for name in other.names if name not in self.names]
        self.about += [one for one in other.about if one not in self.about]
        self.relations += [one for one in other.relations if one not in self.relations]


def people_in(items: Sequence[Item]) -> list[Known]:
    """Return one entry for each person: those with a name in common are one, unless it could mean several.

    Two lines of one reply are about two people, unless they have a name in common word for word.
    """
    apart = _told_apart(items)
    people: list[Known] = []
    for item in sorted(items, key=_is_bare):  # a surname alone can mean any of those who have it
        name, others, about, relations = item.fields
        if not key(name):
            continue
        aliases = [one for one in _SEVERAL.split(others) if key(one)]
        known = Known(list(dict.fromkeys([name, *aliases])), [(about, item.pages)], split_list(relations))
        same = [one for one in people if _shared(known, one, exactly=True)]
        same = same or [one for one in people if _shared(known, one) and not _apart(known, one, apart)]
        named_so = [one for one in same if any(_alike(name, other) for other in one.names)]
        if len(same) == 1 or len(named_so) == 1:
            (named_so or same)[0].absorb(known)
        else:
            people.append(known)
    return _joined_by_parts(people, apart)


def _is_bare(item: Item) -> bool:
    """Whether an item has one name, which is a single word."""
    return len(_folded(item.fields[0])) == 1 and not item.fields[1]


def _told_apart(items: Sequence[Item]) -> set[frozenset[str]]:
    """Return the pairs of names that begin two lines of one reply."""
    replies: dict[int, set[str]] = {}
    for item in items:
        if item.window >= 0:
            replies.setdefault(item.window, set()).add(item.fields[0].casefold())
    return {frozenset(pair) for names in replies.values() for pair in combinations(names, 2)}


def _shared(one: Known, other: Known, *, exactly: bool = False) -> bool:
    """Whether two have a name in common; ``exactly`` if it has the same title, or none, in both."""
    pairs = ((mine, theirs) for mine in one.names for theirs in other.names if _alike(mine, theirs))
    return any(not exactly or _title(mine) == _title(theirs) for mine, theirs in pairs)


def _apart(one: Known, other: Known, apart: set[frozenset[str]]) -> bool:
    return any(frozenset((mine.casefold(), theirs.casefold())) in apart for mine in one.names for theirs in other.names)


def _joined_by_parts(people: list[Known], apart: set[frozenset[str]]) -> list[Known]:
    """Join "Pierre" with "Pierre Bezukhov" if only one person has that word in a longer name.

    A name with a title, such as "Mr. Bennet", stays: it may be anybody of that family. Lady Anne is not called Anne.
    """
    joined: list[Known] = list(people)
    for one in people:
        words = key(one.names[0])
        if not words or _title(one.names[0]):
            continue
        longer = [other for other in joined if other is not one and any(_is_part(words, name) for name in other.names)]
        if len(longer) != 1 or one not in joined or _title(longer[0].names[0]) in _NOBLE:
            continue
        if not _apart(one, longer[0], apart):
            longer[0].absorb(one)
            joined.remove(one)
    return joined


def _is_part(words: frozenset[str], name: str) -> bool:
    """Whether words are some of a longer name; Elizabeth is not Elizabeth II, whom another may be named after."""
    return words < key(name) and bool((key(name) - words) - _NUMERALS)


def _alike(one: str, other: str) -> bool:
    """Whether two names have the same words, and no title that tells them apart."""
    titles = _title(one), _title(other)
    return key(one) == key(other) and (not all(titles) or titles[0] == titles[1])


@lru_cache(_REMEMBERED)
def _title(name: str) -> str:
    """Return the title before a name that tells people of one family apart: mr, mrs, king and so on."""
    words = _folded(name)
    return next((word for word in words[:-1] if word in _TITLES and word not in _LINKS), "")


@lru_cache(_REMEMBERED)
def key(name: str) -> frozenset[str]:
    """Return the words of a name that tell people apart: without titles before it, accents and capital letters."""
    words = _folded(name)
    while len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return frozenset(word for word in words if word not in _LINKS) if len(words) > 1 else frozenset(words)


@lru_cache(_REMEMBERED)
def _folded(name: str) -> tuple[str, ...]:
    plain = "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    return tuple(_WORD.findall(plain.casefold()))


def split_list(text: str) -> list[str]:
    """Return the parts of a field that are separated by semicolons."""
    return [one for one in (part.strip(" .") for part in text.split(";")) if any(map(str.isalnum, one))]


def relation(text: str, people: Sequence[Known]) -> tuple[str, str] | None:
    """Return what a person is and to whom, if that is somebody in the list: ("wife", "Peter Gray")."""
    match = _RELATION.match(text)
    whom = named(match["whom"], people) if match else None
    return (match["what"].strip(), whom.names[0]) if match and whom else None


def named(name: str, people: Sequence[Known]) -> Known | None:
    """Return the one person that a name means; None if it means nobody, or could mean several."""
    wanted = key(name)
    exact = [one for one in people if any(wanted == key(other) for other in one.names)]
    near = exact or [one for one in people if any(wanted and wanted <= key(other) for other in one.names)]
    return near[0] if len(near) == 1 else None


def mentions(people: Sequence[Known], text: str, start: int = 0, end: int | None = None) -> list[list[int]]:
    """Return the offsets, from ``start`` to ``end``, where each person is mentioned under a name that is theirs alone.

    A word of a name is theirs unless it is a name or a word of a name of somebody else. With a title before it, it must
    be a name as it stands: "Mrs. Gray" is not Peter Gray. With another surname after it, a first name is another's.
    """
    words = [{word for name in one.names for word in _WORD.findall(name)} for one in people]
    first = [{_WORD.findall(name)[0] for name in one.names if len(key(name)) > 1} for one in people]
    german = likely_language(text[:_SAMPLE]) == "de"  # where any noun may follow a name

    def is_another(at: int, form: str, end: int) -> bool:
        after = _ANOTHER.match(text, end) if form in first[at] else None
        if after is None or (german and not after["initial"]):
            return False
        word = after["word"] or ""
        own = not words[at].isdisjoint({word, *(word.removesuffix(one) for one in _ENDINGS)})
        named = word[:1].isupper() and not is_function_word(word.casefold())
        return not own and (named or bool(after["initial"]))

    return found_at(_owners(people), len(people), text, start, end, is_another)


def found_at(
    owners: Mapping[str, int],
    count: int,
    text: str,
    start: int = 0,
    end: int | None = None,
    is_another: Callable[[int, str, int], bool] = lambda at, form, end: False,
) -> list[list[int]]:
    """Return the offsets where the names of each of so many owners stand; a longer name is not also a shorter one.

    ``is_another`` says of an owner, a form of the name and the offset after it whether somebody else is meant there.
    """
    found: list[list[int]] = [[] for _ in range(count)]
    if owners:
        forms = (r"\s+".join(map(re.escape, form.split())) for form in sorted(owners, key=len, reverse=True))
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")
        for match in pattern.finditer(text, start, len(text) if end is None else end):
            form = " ".join(match[0].split())
            before = _LAST_WORD.search(text, max(0, match.start() - _TITLE_LENGTH), match.start())
            titled = before is not None and before[1].casefold() in _TITLES - _LINKS and before[1][0].isupper()
            if not (titled and " " not in form) and not is_another(owners[form], form, match.end()):
                found[owners[form]].append(match.start())
    return found


def _owners(people: Sequence[Known]) -> dict[str, int]:
    """Return whom each form of a name means, for those that mean one person."""
    whole: dict[str, set[int]] = {}
    parts: dict[str, set[int]] = {}
    for at, person in enumerate(people):
        for name in filter(key, person.names):
            whole.setdefault(" ".join(name.split()), set()).add(at)
            for word in _WORD.findall(name):
                if word[:1].isupper() and len(word) > 2 and word.casefold() not in _TITLES:
                    parts.setdefault(word, set()).add(at)
    return {form: next(iter(who)) for form, who in (parts | whole).items() if len(who) == 1}
