"""Markdown: markdown-it-py makes HTML of it, and that becomes blocks; notes ([^1] and ^[such]) stand after the text.

The lines before it between ``---`` are read for title, author, date and language.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

from readagent.core.document import Document
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.html.content import blocks_of, notes_in, read, with_notes
from readagent.loaders.html.tree import tree_of
from readagent.loaders.markdown.front_matter import front_matter
from readagent.loaders.text.decode import decode

_NOTE = re.compile(r"\[\^([^\]\s]{1,100})\]:[ \t]*")
_REFERENCE = re.compile(r"\[\^([^\]\s]{1,100})\]")
_NOTE_IN_LINE = re.compile(r"\^\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\])++)\]", re.DOTALL)
_OPENS_BLOCK = re.compile(r"[#>|]|[-*+][ \t]|\d+[.)][ \t]|```|~~~")
_ATTRIBUTES = re.compile(r"[ \t]+\{[ \t]*[#.-][^{}\n]{0,300}\}[ \t]*$")
_DEEPEST = 60  # quotes and lists in one another
_DEEPEST_IN_LINE = 20  # links, emphasis and the like in one another
_INDENT = 4  # of a note's further paragraphs


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a Markdown text."""
    head, text = front_matter(decode(data, name)[0])
    notes: dict[str, Any] = {}
    root = tree_of(_reader().render(text, notes))
    marked = read(root, notes_in(root), images=True)
    title = head.pop("title", "") or _title_in(marked.blocks)
    return compose(with_notes(marked.blocks, [*marked.notes, *_notes(notes)]), title=title, metadata=head)


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    reader.block.ruler.before("reference", "note", _note, {"alt": ["paragraph", "reference"]})
    reader.inline.ruler.before("link", "note_mark", _note_mark)
    reader.core.ruler.after("block", "before_lines", _before_lines)
    return reader


def _title_in(blocks: list[Block]) -> str:
    """The heading the text opens with, where it is the only one of its level."""
    first = [block.text for block in blocks if block.heading == 1]
    return first[0] if len(first) == 1 and blocks[0].heading == 1 else ""


def _notes(written: dict[str, Any]) -> list[Block]:
    """The notes in the order they are cited, then those that are not, each with its number."""
    texts: dict[str, str] = written.get("notes", {})
    cited: dict[str, None] = written.setdefault("cited", {})
    waiting, seen = [*cited, *texts], set[str]()
    items = list[str]()
    reader = _reader()
    for label in waiting:  # a note may cite further ones, so there may be more while we go
        if label in texts and label not in seen:
            seen.add(label)
            items.append(f"<li>{reader.render(texts[label], written)}</li>")
            waiting += [further for further in cited if further not in seen] if len(cited) > len(seen) else []
    return blocks_of(f"<ol>{''.join(items)}</ol>", images=True)


def _note(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``[^1]: text``: a note, with the lines that belong to it. It is kept, and stands nowhere in the text."""
    found = _NOTE.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if not found or state.is_code_block(start):
        return False
    if silent:
        return True
    after = last = start + 1
    while after < end:
        indented = state.sCount[after] - state.blkIndent >= _INDENT
        if not state.isEmpty(after):
            if not indented and (last < after or _opens_block(state, after)):
                break
            last = after + 1
        after += 1
    rest = state.getLines(start + 1, last, state.blkIndent + _INDENT, False)
    state.env.setdefault("notes", {}).setdefault(found[1], f"{state.src[found.end() : state.eMarks[start]]}\n{rest}")
    state.line = last
    return True


def _opens_block(state: StateBlock, line: int) -> bool:
    at = state.bMarks[line] + state.tShift[line]
    return bool(_OPENS_BLOCK.match(state.src, at) or _NOTE.match(state.src, at))


def _note_mark(state: StateInline, silent: bool) -> bool:
    """``[^1]`` and ``^[a note right here]``: the mark goes, the note is kept."""
    within = _NOTE_IN_LINE.match(state.src, state.pos)
    mark = None if within else _REFERENCE.match(state.src, state.pos)
    notes = state.env.setdefault("notes", {})
    label = f"^{state.pos} {within[1]}" if within else mark[1] if mark else ""
    if not label or not (within or label in notes or label in state.env.get("cited", ())):
        return False
    if not silent:
        if within:
            notes[label] = within[1]
        state.env.setdefault("cited", {}).setdefault(label)
        state.push("html_inline", "", 0).content = "<a hidden></a>"
    found = within or mark
    state.pos = found.end() if found else state.pos
    return True


def _before_lines(state: StateCore) -> None:
    """Between blocks and what is in their lines: pandoc's ``{#name .class}`` after a heading is no text.

    What is in lines may nest less, since the time it takes grows with that.
    """
    state.md.options["maxNesting"] = _DEEPEST_IN_LINE
    for before, token in pairwise(state.tokens):
        if before.type == "heading_open":
            token.content = _ATTRIBUTES.sub("", token.content)
