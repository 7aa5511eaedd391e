"""What a page says about itself: whether it is an article, or a page of a site that publishes articles."""

from __future__ import annotations

import re
from enum import Enum, auto
from itertools import islice

from readagent.loaders.html.tree import Element

_ARTICLES = re.compile(r"Article|\w*NewsArticle|BlogPosting")
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
    if root.css_first(_PUBLISHED) is not None or any(map(_ARTICLES.fullmatch, types)) or _open_graph(root) == "article":
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
