"""What a page says about itself: whether it is an article, or a page of a site that publishes articles."""

from __future__ import annotations

import re
from enum import Enum, auto

from readagent.loaders.html.tree import Element

_TYPE = r"(?:\w*NewsArticle|BlogPosting|Article)"
_JSON_TYPE = re.compile(rf'"@type"\s*:\s*\[?\s*"{_TYPE}"')
_ITEM_TYPE = re.compile(rf"schema\.org/{_TYPE}\s*$")
_FEED = "link[type='application/rss+xml'], link[type='application/atom+xml']"
_WORKS = "#mw-content-text, .ltx_document"  # encyclopedias and papers declare themselves as articles too
_MAX_DECLARATIONS = 50


class Site(Enum):
    """The kind of site that a page belongs to, as far as the page says."""

    ARTICLE = auto()  # the page declares that it is a news article or a blog post
    FEED = auto()  # the site has a feed, so the page may be an article
    OTHER = auto()


def site_of(root: Element) -> Site:
    """Return what a page says about itself in its metadata."""
    if root.css_first(_WORKS) is not None:
        return Site.OTHER
    if _is_article(root):
        return Site.ARTICLE
    return Site.FEED if root.css_first(_FEED) is not None else Site.OTHER


def _is_article(root: Element) -> bool:
    kind = root.css_first("meta[property='og:type']")
    if kind is not None and (kind.attributes.get("content") or "").strip().lower() == "article":
        return True
    if root.css_first("meta[property='article:published_time']") is not None:
        return True
    data = root.css("script[type='application/ld+json']")[:_MAX_DECLARATIONS]
    items = root.css("[itemtype]")[:_MAX_DECLARATIONS]
    return any(_JSON_TYPE.search(one.text()) for one in data) or any(
        _ITEM_TYPE.search(one.attributes.get("itemtype") or "") for one in items
    )
