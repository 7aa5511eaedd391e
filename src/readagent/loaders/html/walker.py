"""The walk over a tree of HTML that tells a flow what it meets: paragraphs, headings, lists, tables, notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from readagent.loaders.block_builder import Flow
from readagent.loaders.blocks import Block
from readagent.loaders.html.formula import formula_text
from readagent.loaders.html.notes import Notes, points_back, words_of
from readagent.loaders.html.tree import TEXT, Attributes, Element, Levels, Skip, classes_of
from readagent.loaders.html.visibility import NO_TEXT, unseen
from readagent.loaders.table import Table, table_blocks

_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form header hgroup html legend li listing main menu nav ol option p pre search section summary table td th"
    " ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_AS_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|table|list-item)\b", re.IGNORECASE)
_ALONE = frozenset({"br", "hr", "img", "math", "script"})
_ONLY_MARKS = re.compile(r"[\[\](){},;\s–-]*")
_MARK = re.compile(r"[\[({]?\W?\w{1,4}[\])}]?[.:]?")
_POWER = re.compile(r"[-−+]?[\d,]{1,6}|[-−+]?\d*[a-zA-Z]|[-−+]")


class Walker:
    """Walks over a tree; each open element has what is to be done at its end."""

    def __init__(
        self,
        notes: Notes,
        skip: Skip | None,
        looks: Levels | None,
        images: bool,
    ) -> None:
        self.flow = Flow()
        self.notes: list[Block] = []
        self.places: dict[str, int] = {}
        self._known = notes
        self._skip = skip
        self._looks = looks
        self._images = images
        self._tables: list[Table] = []
        self._ends: list[Callable[[], None] | None] = []
        self._in_notes = 0

    def enter(self, node: Element) -> bool:
        """A node begins; whether to go inside."""
        tag = node.tag
        if tag == TEXT:
            self.flow.text(node.text_content or "")
            return False
        if tag is None or tag[0] == "-":
            return False
        attributes = node.attributes
        self._name(tag, attributes)
        if tag in _ALONE:
            self._single(node, tag, attributes)
            return False
        skipped = bool(self._skip and self._skip(node, tag, attributes))
        if skipped or self._is_left_out(node, tag, attributes):
            if tag in _BLOCKS or tag in _HEADINGS:
                self.flow.end()
            if skipped:
                self.flow.hollow(2)
            self.flow.gap()
            return False
        self._ends.append(
            self._note(node, tag, attributes) if self._is_note(node) else self._open(node, tag, attributes)
        )
        return True

    def leave(self, node: Element) -> None:
        """An element ends."""
        end = self._ends.pop()
        if end:
            end()

    def _name(self, tag: str, attributes: Attributes) -> None:
        if attributes and not self._in_notes:
            for name in (attributes.get("id"), attributes.get("name") if tag == "a" else None):
                if name:
                    self.places.setdefault(name, self.flow.position)

    def _single(self, node: Element, tag: str, attributes: Attributes) -> None:
        """What stands for itself: the end of a line, a rule, an image, a formula."""
        if tag == "br":
            self.flow.line_end()
        elif tag == "hr":
            self.flow.rule()
        elif tag == "img":
            said = attributes.get("alt") or ""
            if self._images or (len(said) == 1 and said.isalpha()) or "math" in (attributes.get("class") or ""):
                self.flow.text(said.replace(r"{\displaystyle ", "{"))
        elif tag == "math" and not unseen(node, tag, attributes):
            apart = attributes.get("display") == "block"
            if apart:
                self.flow.end()
            self.flow.text(formula_text(node))
            if apart:
                self.flow.end()
        elif tag == "script" and (attributes.get("type") or "").startswith("math/tex"):
            self.flow.text(node.text())

    def _is_left_out(self, node: Element, tag: str, attributes: Attributes) -> bool:
        if tag in NO_TEXT or node.mem_id in self._known.marks:
            return True
        if not attributes and tag != "dialog":
            return False
        return unseen(node, tag, attributes) or (
            tag == "a" and bool(self._in_notes) and points_back(attributes, words_of(node))
        )

    def _is_note(self, node: Element) -> bool:
        return not self._in_notes and node.mem_id in self._known.elements

    def _note(self, node: Element, tag: str, attributes: Attributes) -> Callable[[], None]:
        """A note begins: it goes apart, with the number it has where it stands."""
        if tag == "li":
            self._open(node, tag, attributes)
        self.flow.divert(keep_marker=True)
        self._in_notes += 1
        end = self._open(node, tag, attributes) if tag != "li" else None

        def leave() -> None:
            if end:
                end()
            found = self.flow.rejoin()
            self._in_notes -= 1
            if found and found[0].heading:  # what the notes are called
                found = found[1:]
            self.notes += [replace(one, heading=max(2, one.heading)) if one.heading else one for one in found]
            self.flow.hollow()

        return leave

    def _open(self, node: Element, tag: str, attributes: Attributes) -> Callable[[], None] | None:
        """An element begins; what is to be done at its end."""
        flow = self.flow
        level = _heading(tag, attributes) or (self._looks(node, tag, attributes) if self._looks else 0)
        if level:
            flow.open_heading()
            return lambda: flow.close_heading(level)
        opener = _OPENERS.get(tag)
        if opener:
            return opener(self, attributes)
        if tag in _BLOCKS or (attributes and _AS_BLOCK.search(attributes.get("style") or "")):
            flow.end()
            return flow.end
        return None

    def _listing(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.open_verbatim()
        return self.flow.close_verbatim

    def _bullets(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.open_list(None)
        return self.flow.close_list

    def _numbers(self, attributes: Attributes) -> Callable[[], None]:
        start = _number(attributes.get("start"))
        self.flow.open_list(1 if start is None else start)
        return self.flow.close_list

    def _item(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.open_item(_number(attributes.get("value")))
        return self.flow.close_item

    def _terms(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.close_item()
        return self.flow.close_item

    def _definition(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.end()
        return self.flow.close_item

    def _term(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.end()
        self.flow.divert()
        return lambda: self.flow.term(self.flow.rejoin())

    def _table(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.end()
        formula = any(name in ("ltx_eqn_table", "ltx_equation", "ltx_equationgroup") for name in classes_of(attributes))
        self._tables.append(Table(for_layout=attributes.get("role") in ("presentation", "none"), formula=formula))
        return lambda: self.flow.add_whole(table_blocks(self._tables.pop()))

    def _row(self, attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].rows.append([])

    def _cell(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.end()
        if not self._tables:
            return self.flow.end
        rows = self._tables[-1].rows
        row = rows[-1] if rows else []
        if not rows:
            rows.append(row)
        self.flow.divert()
        return lambda: row.append(self.flow.rejoin())

    def _caption(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.end()
        if not self._tables:
            return self.flow.end
        caption = self._tables[-1].caption
        self.flow.divert()
        return lambda: caption.extend(self.flow.rejoin())

    def _raised(self, attributes: Attributes) -> Callable[[], None]:
        mark = self.flow.mark()
        return lambda: self._lower(mark)

    def _lower(self, mark: int) -> None:
        """What was raised: a power gets its sign, and what is left of the marks of notes goes."""
        said = self.flow.take(mark)
        before = self.flow.last_character()
        plain = said.strip()
        if self._in_notes and not before:
            if plain:
                self.flow.label(said)
            return
        if not any(character.isalnum() for character in plain) and not _POWER.fullmatch(plain):
            said = "" if _ONLY_MARKS.fullmatch(plain) else said
        elif _POWER.fullmatch(plain) and before.strip() and not (before.isdigit() and plain.isalpha()):
            said = "^" + plain
        self.flow.text(said)

    def _link(self, attributes: Attributes) -> Callable[[], None] | None:
        if not self._in_notes or self.flow.last_character():
            return None
        mark = self.flow.mark()
        return lambda: self._number_of_note(self.flow.take(mark))

    def _number_of_note(self, said: str) -> None:
        if _MARK.fullmatch(said.strip()):
            self.flow.label(said)
        else:
            self.flow.text(said)

    def _quoted(self, attributes: Attributes) -> Callable[[], None]:
        self.flow.text("“")
        return lambda: self.flow.text("”")


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
    "sup": Walker._raised,
    "q": Walker._quoted,
}


def _heading(tag: str, attributes: Attributes) -> int:
    """The level of a heading, 0 for anything else."""
    if attributes and attributes.get("role") == "heading":
        return min(6, max(1, _number(attributes.get("aria-level")) or 2))
    return _HEADINGS.get(tag, 0)


def _number(value: str | None) -> int | None:
    """A number as an attribute gives it, None where it gives none."""
    return int(value) if value and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", value) else None
