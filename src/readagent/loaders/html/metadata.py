"""What a page says about itself: title, author, date, language, and whether it is an article."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from html import unescape
from itertools import islice
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
_URL_OR_HANDLE = re.compile(r"https?://|^@")
_MAX_JSON_LD = 200_000  # characters


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """The title of a page, and its author, date and language where they are given."""

    title: str
    fields: Mapping[str, str]


def page_metadata(root: Element, blocks: Sequence[Block]) -> PageMetadata:
    """Return the metadata of a page; ``blocks`` are its text, used for the title if nothing else gives one."""
    meta = _meta_elements(root)
    data = _data(root)
    fields = {
        "author": _author(root, meta, data),
        "date": next(filter(None, map(iso_date, (*_all(meta, _DATES), *data["datePublished"], *_times(root)))), ""),
        "language": root.attributes.get("lang") or root.attributes.get("xml:lang") or meta.get("dc.language", [""])[0],
    }
    return PageMetadata(_title(root, meta, blocks), fields)


def iso_date(value: str) -> str:
    """Return a date in ISO format, to the day if it has one; an empty string if it cannot be read."""
    found = _ISO.match(value.strip())
    if not found:
        return ""
    parts = [part for part in found.groups() if part]
    if len(parts) > 1 and not (1 <= int(parts[1]) <= 12 and 1 <= int(parts[2] if len(parts) > 2 else 1) <= 31):
        return ""
    return "-".join(part.zfill(2) for part in parts)


def _meta_elements(root: Element) -> dict[str, list[str]]:
    """Return the contents of the ``meta`` elements, by name in lower case."""
    meta: dict[str, list[str]] = {}
    for element in root.css("meta[content]"):
        attributes = element.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        if name and (content := " ".join((attributes.get("content") or "").split())):
            meta.setdefault(name.lower(), []).append(content[:500])
    return meta


def _all(meta: Mapping[str, list[str]], names: Sequence[str]) -> Iterator[str]:
    return (one for name in names for one in meta.get(name, ()))


def _data(root: Element) -> dict[str, list[str]]:
    """Return author and date from the page's JSON-LD data."""
    found: dict[str, list[str]] = {"author": [], "datePublished": []}
    for element in root.css("script[type='application/ld+json']")[:20]:
        try:
            read = json.loads(element.text()[:_MAX_JSON_LD])
        except (ValueError, RecursionError):
            continue
        for item in _objects(read):
            if isinstance(item.get("@type"), str) and item["@type"] in _ARTICLES:
                authors = item.get("author")
                found["author"] += [name for one in _objects(authors) if isinstance(name := one.get("name"), str)]
                found["author"] += [authors] if isinstance(authors, str) else []
                found["datePublished"] += [date] if isinstance(date := item.get("datePublished"), str) else []
    return found


def _objects(read: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in JSON-LD data: itself, those of a list, those of a graph."""
    for one in read if isinstance(read, list) else [read]:
        if isinstance(one, dict):
            yield one
            graph = one.get("@graph")
            yield from (inner for inner in graph if isinstance(inner, dict)) if isinstance(graph, list) else ()


def _author(root: Element, meta: Mapping[str, list[str]], data: Mapping[str, list[str]]) -> str:
    for names in (*(meta.get(name, []) for name in _AUTHORS), data["author"], _marked_authors(root)):
        people = list(
            dict.fromkeys(unescape(name) for name in names if name.strip() and not _URL_OR_HANDLE.search(name))
        )
        if people:
            return ("; " if any("," in name for name in people) else ", ").join(people[:20])[:500]
    return ""


def _marked_authors(root: Element) -> list[str]:
    found = root.css("[rel=author], [itemprop=author], .ltx_personname")[:20]
    names = (words_in(one).split("\n")[0] for one in found)
    return [name for name in names if len(name) <= 80]


def _times(root: Element) -> Iterator[str]:
    return (one.attributes.get("datetime") or "" for one in root.css("article time[datetime], main time[datetime]")[:1])


def _title(root: Element, meta: Mapping[str, list[str]], blocks: Sequence[Block]) -> str:
    site = next(_all(meta, ("og:site_name", "application-name")), "")
    given = next(_all(meta, _TITLES), "")
    if given:
        return _without(given, site)
    element = root.css_first("title")
    title = _without(words_in(element), site) if element is not None else ""
    headings = [block.text for block in blocks if block.heading == 1]
    if headings and (not title or headings[0].casefold() in title.casefold()):
        return headings[0]
    return title


def _without(title: str, site: str) -> str:
    """Return a title without the name of the site at its start or end."""
    title = " ".join(unescape(title).split())  # some pages escape their title twice
    for part in _SEPARATORS.split(title) if site else ():
        if part.casefold() == site.casefold():
            rest = _SEPARATORS.sub(" – ", title).replace(part, "").strip(" –")
            return rest or title
    return title


_ARTICLE_TYPES = re.compile(r"Article|\w*NewsArticle|BlogPosting")
_THREADS = frozenset({"QAPage", "DiscussionForumPosting"})  # the replies belong to their text
_WORKS = "#mw-content-text, .ltx_document"  # encyclopedias and papers, which may declare themselves as articles
_PUBLISHED = "meta[property='article:published_time']"
_FEED = "link[type='application/rss+xml'], link[type='application/atom+xml']"
_JSON_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(\w+)"')
_MAX_ITEMS = 50


class Site(Enum):
    """The kind of site that a page belongs to, as far as the page says."""

    ARTICLE = auto()  # the page declares that it is a news article or a blog post
    FEED = auto()  # the site has a feed, so the page may be an article
    OTHER = auto()


def site_of(root: Element) -> Site:
    """Return what a page says about itself in its metadata."""
    types = _types(root)
    if root.css_first(_WORKS) is not None or types & _THREADS:
        return Site.OTHER
    if (
        root.css_first(_PUBLISHED) is not None
        or any(map(_ARTICLE_TYPES.fullmatch, types))
        or _open_graph(root) == "article"
    ):
        return Site.ARTICLE
    return Site.FEED if root.css_first(_FEED) is not None else Site.OTHER


def _open_graph(root: Element) -> str:
    declared = root.css_first("meta[property='og:type']")
    return (declared.attributes.get("content") or "").strip().lower() if declared is not None else ""


def _types(root: Element) -> set[str]:
    """Return the types of schema.org that the page declares."""
    data = islice(root.css("script[type='application/ld+json']"), _MAX_ITEMS)
    items = islice(root.css("[itemtype]"), _MAX_ITEMS)
    found = {name for one in data for name in _JSON_TYPE.findall(one.text())}
    return found | {(one.attributes.get("itemtype") or "").strip().rpartition("/")[2] for one in items}
