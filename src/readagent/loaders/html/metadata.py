"""What a web page says of itself: its title, author, date and language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readagent.loaders.blocks import Block
from readagent.loaders.html.tree import Element, words_in

_TITLES = ("citation_title", "og:title", "dc.title", "dcterms.title", "twitter:title")
_AUTHORS = ("citation_author", "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author")
_DATES = (
    "citation_publication_date", "citation_date", "article:published_time", "dc.date", "dcterms.date",
    "dcterms.created", "dc.date.issued", "datepublished", "pubdate", "publishdate", "parsely-pub-date", "date",
    "created", "dcterms.modified",
)  # fmt: skip
_ARTICLES = frozenset("Article NewsArticle BlogPosting ScholarlyArticle TechArticle Report Book WebPage".split())
_SEPARATORS = re.compile(r"\s+[|·•»«–—-]\s+|\s*::\s*|\s*\|\s*")
_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})|(\d{4})(\d{2})(\d{2})(?!\d)|(\d{4})-(\d{2})|(\d{4})")
_ADDRESS = re.compile(r"https?://|^@")
_LONGEST_DATA = 200_000  # characters of a script with data about the page


@dataclass(frozen=True, slots=True)
class About:
    """The title of a page, and its author, date and language where it says them."""

    title: str
    metadata: Mapping[str, str]


def about(root: Element, blocks: Sequence[Block]) -> About:
    """What the page says of itself; ``blocks`` are its text, for a title that stands nowhere else."""
    said = _said(root)
    data = _data(root)
    known = {
        "author": _author(root, said, data),
        "date": next(filter(None, map(day, (*_all(said, _DATES), *data["datePublished"], *_times(root)))), ""),
        "language": root.attributes.get("lang") or root.attributes.get("xml:lang") or said.get("dc.language", [""])[0],
    }
    return About(_title(root, said, blocks), known)


def day(said: str) -> str:
    """A date as ISO writes it, down to the day where it says one; nothing where it is no such date."""
    found = _ISO.match(said.strip())
    if not found:
        return ""
    parts = [part for part in found.groups() if part]
    if len(parts) > 1 and not (1 <= int(parts[1]) <= 12 and 1 <= int(parts[2] if len(parts) > 2 else 1) <= 31):
        return ""
    return "-".join(part.zfill(2) for part in parts)


def _said(root: Element) -> dict[str, list[str]]:
    """What the page says in its ``meta`` elements, by their names in lower case."""
    said: dict[str, list[str]] = {}
    for element in root.css("meta[content]"):
        attributes = element.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        if name and (content := " ".join((attributes.get("content") or "").split())):
            said.setdefault(name.lower(), []).append(content[:500])
    return said


def _all(said: Mapping[str, list[str]], names: Sequence[str]) -> Iterator[str]:
    return (one for name in names for one in said.get(name, ()))


def _data(root: Element) -> dict[str, list[str]]:
    """Author and date out of the data about the page that it has for search engines."""
    found: dict[str, list[str]] = {"author": [], "datePublished": []}
    for element in root.css("script[type='application/ld+json']")[:20]:
        try:
            read = json.loads(element.text()[:_LONGEST_DATA])
        except (ValueError, RecursionError):
            continue
        for thing in _things(read):
            if isinstance(thing.get("@type"), str) and thing["@type"] in _ARTICLES:
                authors = thing.get("author")
                found["author"] += [name for one in _things(authors) if isinstance(name := one.get("name"), str)]
                found["author"] += [authors] if isinstance(authors, str) else []
                found["datePublished"] += [date] if isinstance(date := thing.get("datePublished"), str) else []
    return found


def _things(read: object) -> Iterator[dict[str, Any]]:
    """The objects in data: itself, those of a list, those of a graph."""
    for one in read if isinstance(read, list) else [read]:
        if isinstance(one, dict):
            yield one
            graph = one.get("@graph")
            yield from (inner for inner in graph if isinstance(inner, dict)) if isinstance(graph, list) else ()


def _author(root: Element, said: Mapping[str, list[str]], data: Mapping[str, list[str]]) -> str:
    for names in (*(said.get(name, []) for name in _AUTHORS), data["author"], _named(root)):
        people = list(dict.fromkeys(name for name in names if name.strip() and not _ADDRESS.search(name)))
        if people:
            return ("; " if any("," in name for name in people) else ", ").join(people[:20])[:500]
    return ""


def _named(root: Element) -> list[str]:
    found = root.css("[rel=author], [itemprop=author], .ltx_personname")[:20]
    names = (words_in(one).split("\n")[0] for one in found)
    return [name for name in names if len(name) <= 80]


def _times(root: Element) -> Iterator[str]:
    return (one.attributes.get("datetime") or "" for one in root.css("article time[datetime], main time[datetime]")[:1])


def _title(root: Element, said: Mapping[str, list[str]], blocks: Sequence[Block]) -> str:
    site = next(_all(said, ("og:site_name", "application-name")), "")
    given = next(_all(said, _TITLES), "")
    if given:
        return _without(given, site)
    element = root.css_first("title")
    title = _without(words_in(element), site) if element is not None else ""
    headings = [block.text for block in blocks if block.heading == 1]
    if headings and (not title or headings[0].casefold() in title.casefold()):
        return headings[0]
    return title


def _without(title: str, site: str) -> str:
    """A title without the name of the site at its end or its start."""
    title = " ".join(title.split())
    for part in _SEPARATORS.split(title) if site else ():
        if part.casefold() == site.casefold():
            rest = _SEPARATORS.sub(" – ", title).replace(part, "").strip(" –")
            return rest or title
    return title
