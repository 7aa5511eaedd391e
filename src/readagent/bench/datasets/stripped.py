"""The text of a web page, for the stories that come as one: lines are kept, tags and programs are not."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HTML = re.compile(r"<(?:html|head|body|pre|p|br|td|div|b)\b[^>]*>", re.IGNORECASE)
_OPENING = 20_000  # characters that tell whether a text is a web page
_UNSEEN = ("script", "style", "head", "title", "noscript", "select")
_BLOCKS = ("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "tr", "table", "blockquote", "pre", "hr", "center")
_SPACE = re.compile(r"\s+")
_MANY_BLANKS = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*){3,}")


def is_page(text: str) -> bool:
    """Whether a text is a web page: it has tags that no plain text has, and not just one."""
    return len(_HTML.findall(text[:_OPENING])) > 2


def strip(page: str) -> str:
    """The text of a page. Where most of it is preformatted, as film scripts on the web are, that part alone."""
    gatherer = _Gatherer()
    gatherer.feed(page)
    gatherer.close()
    whole, formatted = "".join(gatherer.whole), "".join(gatherer.formatted)
    text = formatted if 2 * len(formatted.split()) > len(whole.split()) else whole
    return _MANY_BLANKS.sub("\n\n\n", text).strip("\n") + "\n"


class _Gatherer(HTMLParser):
    """Gathers all the text that is seen, and by itself that of ``<pre>``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.whole: list[str] = []
        self.formatted: list[str] = []
        self._pre = 0
        self._unseen = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if self._unseen:
            return
        if tag in _UNSEEN:
            self._unseen = tag
        elif tag == "pre":
            self._pre += 1
        if tag == "br":
            self._take("\n")
        elif tag in _BLOCKS:
            self._take("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            if tag == self._unseen:
                self._unseen = ""
            return
        if tag in _BLOCKS:
            self._take("\n\n")
        if tag == "pre":
            self._pre = max(0, self._pre - 1)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._take(data if self._pre else self._running(data))

    def _running(self, data: str) -> str:
        """Running text: its line ends are but spaces, and a line does not begin with one."""
        text = _SPACE.sub(" ", data)
        return text.lstrip(" ") if self.whole and self.whole[-1].endswith("\n") else text

    def _take(self, text: str) -> None:
        self.whole.append(text)
        if self._pre:
            self.formatted.append(text)
