"""The HTML tree of a page, made from markup whose nesting is limited first. The only module that uses selectolax."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_DEPTH = 200  # open elements; ordinary pages have a few dozen
_MAX_OPEN_FORMATS = 8  # bold, italics and so on: a parser repeats all open ones in every paragraph that follows
_MAX_ATTRIBUTES = 500  # of one tag

_TAG = re.compile(  # as browsers read it: a quotation mark opens a value only after an equals sign
    r"""<(/?)([a-zA-Z][^\s/>]*)((?:[\s/]++|[^>\s/][^>\s/=]*+(?:\s*+=\s*+"""
    r"""(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|(?=>))|(?!\s*+=)))*+)>"""
)
_TAG_START = re.compile(r"</?[a-zA-Z]")
_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ATTRIBUTE_START = re.compile(r"[\s/\"'][^\s/\"'=>]")  # linear: looks at each character once

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr keygen frame".split())
_ONCE = frozenset({"html", "head", "body"})
_RAW = frozenset("script style textarea title xmp iframe noembed noframes noscript".split())
_FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
_SPECIAL = frozenset(
    "address applet article aside blockquote button caption center colgroup dd details dir div dl dt fieldset"
    " figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup li listing main marquee"
    " menu nav object ol p pre"
    " search section select summary table tbody td template tfoot th thead tr ul svg math".split()
)
# An end tag has no effect on elements outside of these.
_SCOPES = frozenset("applet caption table td th marquee object template svg math".split())
_CELLS = frozenset("td th tr tbody thead tfoot caption colgroup".split())
_CLOSES = {  # the open elements that a start tag closes
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "td": frozenset({"td", "th", "caption"}),
    "th": frozenset({"td", "th", "caption"}),
    "tr": frozenset({"tr", "caption"}),
    **dict.fromkeys(("tbody", "thead", "tfoot", "caption"), frozenset({"tbody", "thead", "tfoot", "caption"})),
}
_IN_CELLS = frozenset("table template svg math".split())
_SPECIAL_EXCEPT_P = _SPECIAL - {"address", "div", "p"}
_BUTTONS = _SCOPES | {"button"}
_FOREIGN = frozenset({"svg", "math"})
_HTML_IN_FOREIGN = frozenset("foreignobject desc title mi mo mn ms mtext annotation-xml".split())
_BREAKOUT = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)  # start tags that end a formula or a drawing
_END_SCOPES = {"li": _SCOPES | {"ol", "ul"}, "p": _BUTTONS}
_PARAGRAPH = frozenset({"p"})
_CLOSES_PARAGRAPH = _SPECIAL_EXCEPT_P - _BUTTONS - _CELLS - {"select", "frameset"} | {"address", "div", "p"}


def limit_nesting(html: str) -> str:
    """Return the same markup with limited nesting; self-closing tags of XHTML get an end tag."""
    xml = html.lstrip("\ufeff \t\r\n").startswith("<?xml") or 'xmlns="http://www.w3.org/1999/xhtml"' in html[:2000]
    if xml and "<![CDATA[" in html:
        html = _CDATA.sub(lambda found: found[1].replace("&", "&amp;").replace("<", "&lt;"), html)
    kept: list[str] = []
    done = 0
    for start, end, replacement in _changes(html, xml):
        kept += (html[done:start], replacement)
        done = end
    return "".join([*kept, html[done:]]) if done else html


def _changes(html: str, xml: bool) -> Iterator[tuple[int, int, str]]:
    """Yield what to replace: start, end and replacement."""
    open_tags: list[str] = []
    formats: list[str] = []
    seen: set[str] = set()
    for tag in _tags(html, open_tags, xml):
        closing, name, rest = tag[1], tag[2].lower(), tag[3]
        if closing:
            _close(open_tags, name)
            if name in formats:
                formats.remove(name)
            continue
        if name in _VOID:
            continue
        if name in _ONCE:
            if name in seen:
                yield tag.start(), tag.end(), ""
            seen.add(name)
            continue
        self_closing = xml and rest.endswith("/")
        stays = name in _FORMATTING and not self_closing
        if (stays and len(formats) == _MAX_OPEN_FORMATS) or not (
            self_closing or name in _RAW or _open(open_tags, name)
        ):
            yield tag.start(), tag.end(), " "
            continue
        if stays:
            formats.append(name)
        if len(rest) > 10 * _MAX_ATTRIBUTES and len(_ATTRIBUTE_START.findall(rest)) > _MAX_ATTRIBUTES:
            yield tag.start(), tag.end(), f"<{tag[2]}>"
        elif self_closing:
            yield tag.start(), tag.end(), f"<{tag[2]}{rest[:-1]}></{tag[2]}>"


def _tags(html: str, open_tags: list[str], xml: bool) -> Iterator[re.Match[str]]:
    """Yield every tag outside of comments and scripts, up to the first tag or comment without an end."""
    at = html.find("<")
    while at >= 0:
        tag = _TAG.match(html, at)
        if tag:
            yield tag
            after = tag.end()
            name = tag[2].lower()
            if name == "plaintext":
                return
            self_closing = xml and tag[3].endswith("/")
            if not (tag[1] or self_closing) and name in _RAW and "svg" not in open_tags and "math" not in open_tags:
                after = _raw_end(html, after, name)
        elif _TAG_START.match(html, at):
            return
        elif html.startswith("<!--", at):
            comment = _COMMENT.match(html, at)
            if not comment:
                return
            after = comment.end()
        else:
            after = at + 1
        at = html.find("<", after)


def _raw_end(html: str, after: int, name: str) -> int:
    """Return where the text of a script, style sheet or title ends: only at its own end tag."""
    end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, after)
    return end.start() if end else len(html)


def _open(open_tags: list[str], name: str) -> bool:
    """Open an element and close what it implies; return False if that would nest too deeply."""
    if name in _CELLS and "table" not in open_tags and "math" not in open_tags and "svg" not in open_tags:
        return True  # parsers ignore these outside of tables
    if name in _BREAKOUT and ("svg" in open_tags or "math" in open_tags):
        _leave_foreign_content(open_tags)
    if name == "option" and open_tags[-1:] == ["option"]:
        open_tags.pop()
    if name in _CLOSES and not (name in _CELLS and _in_foreign_content(open_tags)):
        _close_last(open_tags, _CLOSES[name], _IN_CELLS if name in _CELLS else _SPECIAL_EXCEPT_P)
    if name in _CLOSES_PARAGRAPH and "p" in open_tags:
        _close_last(open_tags, _PARAGRAPH, _BUTTONS)
    if len(open_tags) >= MAX_DEPTH:
        return False
    open_tags.append(name)
    return True


def _leave_foreign_content(open_tags: list[str]) -> None:
    """Close the formulas and drawings that an HTML element ends, up to the last part that may contain HTML."""
    while (at := _last(open_tags, _FOREIGN | _HTML_IN_FOREIGN)) >= 0 and open_tags[at] in _FOREIGN:
        del open_tags[at:]


def _last(open_tags: list[str], names: frozenset[str]) -> int:
    return next((at for at in range(len(open_tags) - 1, -1, -1) if open_tags[at] in names), -1)


def _in_foreign_content(open_tags: list[str]) -> bool:
    """Whether the innermost scope is a formula or a drawing, where a cell does not end the cell before it."""
    return next((tag for tag in reversed(open_tags) if tag in _IN_CELLS), "") in _FOREIGN


def _close_last(open_tags: list[str], names: frozenset[str], stops: frozenset[str]) -> None:
    """Close the last open element with one of these names, and all in it, unless one of ``stops`` comes first."""
    for depth in range(len(open_tags) - 1, -1, -1):
        if open_tags[depth] in names:
            del open_tags[depth:]
            return
        if open_tags[depth] in stops:
            return


def _close(open_tags: list[str], name: str) -> None:
    """Close an element if the rules of HTML allow it."""
    if name not in open_tags:
        return
    crossed = False
    for depth in range(len(open_tags) - 1, -1, -1):
        opened = open_tags[depth]
        if opened == name:
            if crossed and name in _CELLS and _in_foreign_content(open_tags[:depth]):
                return  # what was crossed has already ended the formula or drawing
            if crossed and name in _FORMATTING:
                del open_tags[depth]
            else:
                del open_tags[depth:]
            return
        crossed = crossed or opened in _SPECIAL
        scopes = _IN_CELLS if name in _CELLS or name == "table" else _END_SCOPES.get(name, _SCOPES)
        scoped = opened in scopes
        if scoped or (crossed and name not in _SPECIAL and name not in _FORMATTING):
            return


Element = LexborNode
Attributes = Mapping[str, str | None]
Skip = Callable[[Element, str, Attributes], bool]  # element, tag, attributes -> whether to leave it out

TEXT = "-text"


def tree_of(html: str | bytes) -> Element:
    """Parse markup, however broken, and return the root element. Bytes are decoded as UTF-8."""
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    text = text.encode("utf-8", "replace").decode("utf-8")
    root = LexborHTMLParser(limit_nesting(text), scripting=True).root
    assert root is not None  # HTML parsing always gives a root
    return root


def walk(root: Element, enter: Callable[[Element], bool], leave: Callable[[Element], None]) -> None:
    """Call ``enter`` on the root and every node below it, in document order, and ``leave`` after its children.

    If ``enter`` returns False, the children are skipped and ``leave`` is not called.
    """
    if not enter(root):
        return
    open_nodes = [root]
    node = root.first_child
    while open_nodes:
        if node is None:
            node = open_nodes.pop()
            leave(node)
            node = node.next if open_nodes else None
        elif enter(node):
            open_nodes.append(node)
            node = node.first_child
        else:
            node = node.next


def classes_of(attributes: Attributes) -> list[str]:
    """Return the classes of an element, in lower case."""
    return (attributes.get("class") or "").lower().split()


def words_in(element: Element) -> str:
    """Return all text in an element, with white space reduced to single spaces."""
    words: list[str] = []

    def enter(node: Element) -> bool:
        if node.tag == TEXT:
            words.append(node.text_content or "")
        elif node.tag in ("br", "p", "div", "li"):
            words.append(" ")
        return node.tag not in ("script", "style")

    walk(element, enter, lambda _: None)
    return " ".join("".join(words).split())
