"""Walk over an HTML tree and build blocks: paragraphs, headings, lists, tables, notes, formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from readagent.loaders.block_builder import BlockBuilder
from readagent.loaders.blocks import Block
from readagent.loaders.formulas import Part, linear
from readagent.loaders.html.notes import Notes, points_back, short_text
from readagent.loaders.html.tree import TEXT, Attributes, Element, HeadingLevel, Skip, classes_of, walk
from readagent.loaders.html.visibility import HEADING_SIGNS, NO_TEXT, is_hidden, is_label
from readagent.loaders.tables import Table, table_blocks

_DRAWN = frozenset({"mathjax", "mathjax_display", "mathjax_svg", "katex"})  # classes of formulas, with MathML inside
_MAX_DEPTH = 100  # of elements in a formula


def formula_text(math: Element) -> str:
    """Return a formula as text: its alternative text, its TeX source, or its symbols."""
    attributes = math.attributes
    given = attributes.get("alttext") or _tex(math) or attributes.get("data-latex") or _symbols(math)
    return " ".join(given.replace(r"\displaystyle", "").split())


def _tex(math: Element) -> str:
    for node in math.css("annotation"):
        if "tex" in (node.attributes.get("encoding") or "").lower():
            return node.text()
    return ""


def _is_tex(node: Element) -> bool:
    """Whether an element is the source of a formula, which stands after what MathJax 2 drew."""
    return node.tag == "script" and (node.attributes.get("type") or "").startswith("math/tex")


def _symbols(math: Element) -> str:
    open_: list[list[Part]] = [[]]  # the parts of each open element

    def enter(node: Element) -> bool:
        tag = node.tag or "-"
        if text := " ".join((node.text_content or "").split()) if tag == TEXT else "":
            open_[-1].append((TEXT, text))
        if tag[0] == "-" or len(open_) > _MAX_DEPTH:
            return False
        open_.append([])
        return True

    def leave(node: Element) -> None:
        tag, parts = node.tag or "", open_.pop()
        open_[-1].append((tag, linear(tag, parts, node.attributes.get)))

    walk(math, enter, leave)
    return "".join(text for _, text in open_[0])


_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form header hgroup html legend li listing main menu nav ol option p pre search section summary table td text"
    " textarea th ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_STYLE = re.compile(r"display\s*:\s*(?:block|flex|grid|table|list-item)\b", re.IGNORECASE)
_VOID = frozenset({"br", "hr", "img", "math", "script"})
_SEPARATORS = re.compile(r"[\[\](){},;\s–-]*")
_NOTE_MARK = re.compile(r"[\[({]?\W?\w{1,4}[\])}]?[.:]?")
_EXPONENT = re.compile(r"[-−+]?[\d,]{1,6}|[-−+]?\d*[a-zA-Z]|[-−+]")


class Walker:
    """Called for every node of a tree; keeps an action for the end of each open element."""

    def __init__(
        self,
        notes: Notes,
        skip: Skip | None,
        heading_style: HeadingLevel | None,
        images: bool,
        hidden: bool,
        drawn: bool,
    ) -> None:
        self.builder = BlockBuilder()
        self.notes: list[Block] = []
        self.anchors: dict[str, int] = {}
        self._marked_notes = notes
        self._skip = skip
        self._heading_style = heading_style
        self._images = images
        self._hidden = hidden
        self._shown = {"textarea"} if hidden else {"svg"} if drawn else set[str]()
        self._tables: list[Table] = []
        self._ends: list[Callable[[], None] | None] = []
        self._in_notes = 0

    def enter(self, node: Element) -> bool:
        """Handle the start of a node; return whether to visit its children."""
        tag = node.tag
        if tag == TEXT:
            self.builder.text(node.text_content or "")
            return False
        if tag is None or tag[0] == "-":
            return False
        attributes = node.attributes
        self._record_anchor(tag, attributes)
        if tag in _VOID or not _DRAWN.isdisjoint(classes_of(attributes)):
            self._void_element(node, tag, attributes)
            return False
        skipped = bool(self._skip and self._skip(node, tag, attributes))
        if skipped or self._is_ignored(node, tag, attributes):
            if tag in _BLOCKS or tag in _HEADINGS:
                self.builder.end_paragraph()
            if skipped:
                self.builder.mark_removed(2)
            self.builder.mark_omission()
            return False
        self._ends.append(
            self._note(node, tag, attributes) if self._is_note(node) else self._open(node, tag, attributes)
        )
        return True

    def leave(self, node: Element) -> None:
        """Handle the end of an element."""
        end = self._ends.pop()
        if end:
            end()

    def _record_anchor(self, tag: str, attributes: Attributes) -> None:
        if attributes and not self._in_notes:
            for name in (attributes.get("id"), attributes.get("name") if tag == "a" else None):
                if name:
                    self.anchors.setdefault(name, self.builder.position)

    def _void_element(self, node: Element, tag: str, attributes: Attributes) -> None:
        """Handle an element without children to visit: a line break, a rule, an image, a formula."""
        if tag == "br":
            self.builder.line_break()
        elif tag == "hr":
            self.builder.rule()
        elif tag == "img":
            alt = attributes.get("alt") or ""
            if self._images or (len(alt) == 1 and alt.isalpha()) or "math" in (attributes.get("class") or ""):
                self.builder.text(alt.replace(r"{\displaystyle ", "{"))
        elif tag == "script":
            self.builder.text(node.text() if _is_tex(node) else "")
        elif not is_hidden(tag, attributes) and not (node.next is not None and _is_tex(node.next)):
            math = node if tag == "math" else node.css_first("math") or node
            displayed = math.attributes.get("display") == "block"
            if displayed:
                self.builder.end_paragraph()
            self.builder.text(formula_text(math))
            if displayed:
                self.builder.end_paragraph()

    def _is_ignored(self, node: Element, tag: str, attributes: Attributes) -> bool:
        if (tag in NO_TEXT and tag not in self._shown) or node.mem_id in self._marked_notes.marks:
            return True
        if not attributes and tag != "dialog":
            return False
        if is_label(node, tag, attributes) or (not self._hidden and is_hidden(tag, attributes)):
            return True
        if tag != "a":
            return False
        if node.parent is not None and node.parent.tag in _HEADINGS and short_text(node) in HEADING_SIGNS:
            return True
        return bool(self._in_notes) and points_back(attributes, short_text(node))

    def _is_note(self, node: Element) -> bool:
        return not self._in_notes and node.mem_id in self._marked_notes.elements

    def _note(self, node: Element, tag: str, attributes: Attributes) -> Callable[[], None]:
        """Begin a note, which is collected separately with its number; return what to do at its end."""
        if tag == "li":
            self._open(node, tag, attributes)
        self.builder.begin_aside(keep_marker=True)
        self._in_notes += 1
        end = self._open(node, tag, attributes) if tag != "li" else None

        def leave() -> None:
            if end:
                end()
            found = self.builder.end_aside()
            self._in_notes -= 1
            if found and found[0].heading:  # the title of the notes
                found = found[1:]
            self.notes += [replace(one, heading=max(2, one.heading)) if one.heading else one for one in found]
            self.builder.mark_removed()

        return leave

    def _open(self, node: Element, tag: str, attributes: Attributes) -> Callable[[], None] | None:
        """Begin an element; return what to do at its end."""
        builder = self.builder
        level = _heading(tag, attributes) or (self._heading_style(node, tag, attributes) if self._heading_style else 0)
        if level:
            builder.open_heading()
            return lambda: builder.close_heading(level)
        opener = _OPENERS.get(tag)
        if opener:
            return opener(self, attributes)
        if tag in _BLOCKS or (attributes and _BLOCK_STYLE.search(attributes.get("style") or "")):
            builder.end_paragraph()
            return builder.end_paragraph
        return None

    def _listing(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.open_verbatim()
        return self.builder.close_verbatim

    def _bullets(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.open_list(None)
        return self.builder.close_list

    def _numbers(self, attributes: Attributes) -> Callable[[], None]:
        start = _number(attributes.get("start"))
        self.builder.open_list(1 if start is None else start)
        return self.builder.close_list

    def _item(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.open_item(_number(attributes.get("value")))
        return self.builder.close_item

    def _terms(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.close_item()
        return self.builder.close_item

    def _definition(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.end_paragraph()
        return self.builder.close_item

    def _term(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.end_paragraph()
        self.builder.begin_aside()
        return lambda: self.builder.term(self.builder.end_aside())

    def _table(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.end_paragraph()
        formula = any(name in ("ltx_eqn_table", "ltx_equation", "ltx_equationgroup") for name in classes_of(attributes))
        self._tables.append(Table(for_layout=attributes.get("role") in ("presentation", "none"), formula=formula))
        return lambda: self.builder.add_blocks(table_blocks(self._tables.pop()))

    def _row(self, attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].add_row()

    def _cell(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.end_paragraph()
        if not self._tables:
            return self.builder.end_paragraph
        table = self._tables[-1]
        columns, rows = (_number(attributes.get(name)) or 1 for name in ("colspan", "rowspan"))
        self.builder.begin_aside()
        return lambda: table.add_cell(self.builder.end_aside(), columns=columns, rows=rows)

    def _caption(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.end_paragraph()
        if not self._tables:
            return self.builder.end_paragraph
        caption = self._tables[-1].caption
        self.builder.begin_aside()
        return lambda: caption.extend(self.builder.end_aside())

    def _superscript(self, attributes: Attributes) -> Callable[[], None]:
        mark = self.builder.mark()
        return lambda: self._end_superscript(mark)

    def _end_superscript(self, mark: int) -> None:
        """End a superscript: an exponent gets a ``^``, and separators left over from note marks are removed."""
        text = self.builder.take(mark)
        before = self.builder.last_character()
        plain = text.strip()
        if self._in_notes and not before:
            if plain:
                self.builder.label(text)
            return
        if not any(character.isalnum() for character in plain) and not _EXPONENT.fullmatch(plain):
            text = "" if _SEPARATORS.fullmatch(plain) else text
        elif _EXPONENT.fullmatch(plain) and before.strip() and not (before.isdigit() and plain.isalpha()):
            text = "^" + plain
        self.builder.text(text)

    def _link(self, attributes: Attributes) -> Callable[[], None] | None:
        if not self._in_notes or self.builder.last_character():
            return None
        mark = self.builder.mark()
        return lambda: self._note_number(self.builder.take(mark))

    def _note_number(self, text: str) -> None:
        if _NOTE_MARK.fullmatch(text.strip()):
            self.builder.label(text)
        else:
            self.builder.text(text)

    def _quoted(self, attributes: Attributes) -> Callable[[], None]:
        self.builder.text("“")
        return lambda: self.builder.text("”")


_OPENERS: Mapping[str, Callable[[Walker, Attributes], Callable[[], None] | None]] = {
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), Walker._listing),
    **dict.fromkeys(("ul", "menu", "dir"), Walker._bullets),
    **dict.fromkeys(("td", "th"), Walker._cell),
    "ol": Walker._numbers,
    "li": Walker._item,
    "dl": Walker._terms,
    "dt": Walker._term,
    "dd": Walker._definition,
    "table": Walker._table,
    "tr": Walker._row,
    "caption": Walker._caption,
    "a": Walker._link,
    "sup": Walker._superscript,
    "q": Walker._quoted,
}


def _heading(tag: str, attributes: Attributes) -> int:
    """Return the level of a heading, or 0."""
    if attributes and attributes.get("role") == "heading":
        return min(6, max(1, _number(attributes.get("aria-level")) or 2))
    return _HEADINGS.get(tag, 0)


def _number(value: str | None) -> int | None:
    """Return the number in an attribute, or None."""
    return int(value) if value and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", value) else None
