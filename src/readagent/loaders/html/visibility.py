"""Which elements of a page are visible text."""

from __future__ import annotations

import re

from readagent.loaders.html.tree import Attributes, Element, classes_of

NO_TEXT = frozenset(
    "desc script style template svg noscript head title iframe object embed video audio canvas select textarea"
    " datalist map input rt rp rtc colgroup meta link progress meter applet frameset noframes noembed".split()
)
HEADING_SIGNS = frozenset("¶#§🔗")  # a link of this text in a heading leads to the heading
_PAGE = frozenset({"html", "body"})
_NEVER_HIDDEN = frozenset({"main", "article", "figcaption"})  # by aria-hidden, which pages with a dialog set
_ICONS = frozenset({"a", "b", "em", "i", "span"})  # text in these that screen readers skip is a sign or a repetition
_NO_TEXT_CLASSES = frozenset(
    "headerlink anchorjs-link header-anchor mw-editsection mw-cite-backlink linenos lineno line-numbers-rows sr-only"
    " visually-hidden visuallyhidden screen-reader-text pagenum pageno pagenumber page-number page_number pagebreak"
    " pg-boilerplate mathjax mathjax_display mathjax_preview mathjax_svg ltx_tag_note ltx_rdf".split()
)
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


def is_hidden(tag: str, attributes: Attributes) -> bool:
    """Whether an element is not displayed, or only until a script shows it. A script always shows the whole page."""
    if tag in _PAGE:
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" and tag not in _NEVER_HIDDEN:
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    return bool(attributes.get("style") and _HIDDEN_STYLE.search(attributes["style"] or ""))


def is_label(node: Element, tag: str, attributes: Attributes) -> bool:
    """Whether an element is not part of the text: icons, labels for screen readers, page and line numbers."""
    if attributes.get("aria-hidden") == "true" and tag in _ICONS:
        return True
    if attributes.get("role") == "doc-pagebreak" or "pagebreak" in (attributes.get("epub:type") or "").split():
        return True
    if attributes.get("title") in ("header", "footer") and tag == "div":  # of printed pages, by LibreOffice
        return True
    if not attributes.get("class"):
        return False
    classes = classes_of(attributes)
    return not _NO_TEXT_CLASSES.isdisjoint(classes) or ("ltx_note_mark" in classes and _is_in_text(node))


def _is_in_text(mark: Element) -> bool:
    """Whether LaTeXML's note mark is the one in the text; the note contains another."""
    parent = mark.parent
    return parent is not None and "ltx_note" in classes_of(parent.attributes)
