"""Export the quotes of answers as BibTeX: an entry for each quote, and one for the document that they cite."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from readagent.core.document import page_name
from readagent.core.escaping import visible
from readagent.core.memory import GistMemory
from readagent.library.evidence import citable
from readagent.library.rows import KeptAnswer

_SPECIAL = {
    **{one: f"\\{one}" for one in "#$%&_"},
    "{": r"\textbraceleft{}",  # BibTeX counts braces, also escaped ones
    "}": r"\textbraceright{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
}
_PAGE = re.compile(r"(?:.*, )?(?:p\. ([^\s,]+)|pp\. (\w+)-(\w+))(?:,.*)?")  # a single page may be T-2


def as_bibtex(memory: GistMemory, answers: Sequence[KeptAnswer] = ()) -> str:
    """Return the quotes that support answers, each with its place and the question; then the document.

    ``crossref`` requires that order.
    """
    document = memory.document
    key = _key(document.title) or f"document{document.id[:8]}"
    found = {(quote.start, quote.end): (quote, answer) for answer in answers for quote in citable(answer)}
    entries = []
    for number, (_, (quote, answer)) in enumerate(sorted(found.items()), 1):
        place = page_name(quote.page, quote.place)
        fields = {
            "crossref": key,
            "pages": _pages(place),
            "note": place,
            "abstract": quote.text,
        }
        entries.append(_entry("inbook", f"{key}-{number}", {**fields, "annote": answer.question.text}))
    year = re.search(r"\b\d{4}\b", document.metadata.get("date", ""))
    is_address = document.source.startswith(("http://", "https://"))
    about = {
        "title": document.title or document.source or document.id,
        "author": document.metadata.get("author", ""),
        "year": year[0] if year else "",
        "url": document.source if is_address else "",
    }
    return "\n\n".join([*entries, _entry("book", key, about)]).encode("utf-8", "replace").decode() + "\n"


def _pages(place: str) -> str:
    """Return the page or the pages of a place, if it has any."""
    found = _PAGE.fullmatch(place)
    return "--".join(filter(None, found.groups())) if found else ""


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    shown = [f"  {name} = {{{_escaped(value)}}}" for name, value in fields.items() if value]
    return ",\n".join([f"@{kind}{{{key}", *shown]) + "\n}"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(one, one) for one in " ".join(visible(text).split()))


def _key(title: str) -> str:
    """Return the first words of a title as the key of an entry."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain)[:4])
