"""What the loaders find in a file, compared with what an independent program finds in it.

*Words* is the share of the words of the other program that the document has too; *order* the share of its pairs of
neighbouring words; *foreign* the share of the document's words that it does not have. Words are compared without case
and hyphens, and numbers are not counted. *Headings* is the share of the titles in the outline of a PDF, of the slides
and sheets, or of pandoc's headings, that are headings of the document. *Furniture* is the share of the lines repeated
at the top or bottom of pages that are still in the document. Those lines, and blocks of lines with dot leaders (tables
of contents), do not count as words that should be found. A file that is *refused* gives one line that says why (no
text, a password, damage); *crashed* must be 0. Files in which the other program fails or finds no words are loaded, but
not *compared*.
"""

from __future__ import annotations

import re
import resource
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import process_time

from real_references import FORMATS, Reference, plain, reference, words

from readagent.errors import LoadError
from readagent.loaders.formats import Options, parser_for
from readagent.loaders.sniff import detect_format

_LEADERS = re.compile(r"(?:[.·…]\s?){5,}")  # in tables of contents, which the loader leaves out
MIN_WORDS = 5  # a file with less is not compared
_MIN_PDF_WORDS = 100  # a PDF with less is a drawing
_EDGE = 4  # lines that a page has at least, if some are repeated
_NEAR = 2  # pages from one that has a repeated line to the next


@dataclass(frozen=True, slots=True)
class Measured:
    """The measures of one file. Shares without anything to find are None.

    ``refused`` and ``crashed`` say why it was not loaded. ``words`` is None if it was not compared.
    """

    path: str
    format: str
    refused: str = ""
    crashed: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0
    count: int = 0
    words: float | None = None
    order: float = 0.0
    foreign: float = 0.0
    headings: float | None = None
    furniture: float | None = None


def measured(path: Path) -> Measured:
    """Return the measures of a file. Time and memory are those of this process, so that it should be a new one."""
    kind = FORMATS[path.suffix.lower()]
    data = path.read_bytes()
    before = process_time()
    document, refused, crashed = None, "", ""
    try:
        document = parser_for(detect_format(data, path.name)).parse(data, path.name, Options())
    except LoadError as error:
        refused = str(error)
    except Exception as error:  # noqa: BLE001 - what is counted here
        crashed = repr(error)
    seconds = process_time() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if document is None:
        return Measured(str(path), kind, refused, crashed, seconds, megabytes)
    other = reference(path, kind)
    least = _MIN_PDF_WORDS if kind == "pdf" else MIN_WORDS
    if other is None or len(list(words(other.text))) < least:
        return Measured(str(path), kind, seconds=seconds, megabytes=megabytes)
    headings = [document.text[one.start : one.end] for one in document.paragraphs if one.heading]
    return compared(document.text, headings, other, str(path), kind, seconds, megabytes)


def compared(
    text: str, headings: Sequence[str], other: Reference, path: str, kind: str, seconds: float, megabytes: float = 0
) -> Measured:
    """Return how far a text and its headings agree with a reference."""
    ours, furniture = list(words(text)), _furniture(other.text)
    wanted = list(words(_without(other.text, furniture)))
    theirs, mine = Counter(wanted), Counter(ours)
    pairs, own_pairs = Counter(pairwise(wanted)), Counter(pairwise(ours))
    extra = (mine - Counter(words(other.text))).total()
    return Measured(
        path, kind, "", "", seconds, megabytes, len(wanted),
        words=(theirs & mine).total() / len(wanted) if wanted else None,
        order=(pairs & own_pairs).total() / max(1, pairs.total()),
        foreign=extra / max(1, len(ours)),
        headings=_headings(headings, other.headings),
        furniture=_let_in(ours, wanted, furniture),
    )  # fmt: skip


def _furniture(text: str) -> Counter[str]:
    """Return the lines of two words or more that come first or last on pages near each other, and how often."""
    pages = [[line for line in page.splitlines() if line.strip()] for page in text.split("\f")]
    places: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        for edge in (0, -1) if len(page) > _EDGE else ():
            places[plain(page[edge]), edge].append(number)
    running: Counter[str] = Counter()
    for (line, _), numbers in places.items():
        near = sum(after - before <= _NEAR for before, after in pairwise(numbers))
        if " " in line and len(numbers) > _NEAR and near >= 0.8 * (len(numbers) - 1):
            running[line] += len(numbers)
    return running


def _without(text: str, furniture: Counter[str]) -> str:
    blocks = (block.splitlines() for block in re.split(r"\n\s*\n", text.replace("\f", "\n\n")))
    kept = (block for block in blocks if sum(bool(_LEADERS.search(line)) for line in block) < 0.3 * len(block))
    return "\n".join(line for block in kept for line in block if plain(line) not in furniture)


def _headings(ours: Sequence[str], theirs: Sequence[str]) -> float | None:
    """Return the share of the headings of the reference that are headings of the document."""
    wanted = {"".join(words(heading)) for heading in theirs} - {""}
    if len(wanted) < 3:
        return None
    return len(wanted & {"".join(words(heading)) for heading in ours}) / len(wanted)


def _let_in(ours: Sequence[str], wanted: Sequence[str], furniture: Counter[str]) -> float | None:
    """Return the share of repeated lines that are in our text more often than in the rest of the other."""
    if not furniture:
        return None
    text, rest = (f" {' '.join(some)} " for some in (ours, wanted))
    more = {line: text.count(f" {line} ") - rest.count(f" {line} ") - 1 for line in furniture}  # once it may be a title
    return sum(min(count, max(0, more[line])) for line, count in furniture.items()) / furniture.total()
