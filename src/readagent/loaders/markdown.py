"""Markdown: markdown-it-py converts it to HTML, which becomes blocks; notes ([^1] and ^[inline]) come last.

The front matter gives title, author, date and language. The only module that uses markdown-it-py.
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
from readagent.loaders.blocks import Block, compose, with_notes
from readagent.loaders.formats import Options
from readagent.loaders.html.parser import blocks_of, notes_in, read
from readagent.loaders.html.tree import tree_of
from readagent.loaders.text.decode import decode
from readagent.loaders.text.titles import is_entry

_FENCED = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_LENGTH = 20_000  # characters
_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*[:=](?:[ \t]+(.*)|$)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?:name:[ \t]*)?(.+)")
_NAMES = {
    **dict.fromkeys(("author", "authors", "creator", "by"), "author"),
    **dict.fromkeys(("date", "published", "pubdate"), "date"),
    **dict.fromkeys(("lang", "language", "locale"), "language"),
    "title": "title",
}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=[T ]\d)")


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the front matter (title, author, date, language) and the text after it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    fenced = _FENCED.match(text[:_MAX_LENGTH])
    if fenced and any(_LINE.match(line) for line in fenced[2].split("\n")):
        return _fields(fenced[2].split("\n")), text[fenced.end() :]
    return {}, text


def _fields(lines: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        pair, item = _LINE.match(line), _ITEM.match(line)
        if pair:
            name = _NAMES.get(pair[1].lower(), "")
            values = _values((pair[2] or "").strip())
        elif item or (line[:1] in (" ", "\t") and name):
            values = [_unquoted(item[1])] if item else [_unquoted(line.strip())] if ":" not in line else []
        else:
            name, values = "", []
        if name:
            found.setdefault(name, []).extend(value for value in values if value)
    joined = {name: (", " if name == "author" else " ").join(values) for name, values in found.items() if values}
    if day := _DAY.match(joined.get("date", "")):
        joined["date"] = day[0]
    return joined


def _values(value: str) -> list[str]:
    """Return one value, or those of a list in brackets; block scalar signs such as ``|`` give none."""
    if value in ("|", ">", "|-", ">-", "|+", ">+"):
        return []
    if value.startswith("[") and value.endswith("]"):
        return [_unquoted(item) for item in value[1:-1].split(",")]
    return [_unquoted(value)]


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace('\\"', '"').replace("''", "'")
    return re.sub(r"[ \t]+#.*", "", value).rstrip(",")


_NOTE = re.compile(r"\[\^([^\]\s]{1,100})\]:[ \t]*")
_REFERENCE = re.compile(r"\[\^([^\]\s]{1,100})\]")
_INLINE_NOTE = re.compile(r"\^\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\])++)\]", re.DOTALL)
_OPENS_BLOCK = re.compile(r"[#>|]|[-*+][ \t]|\d+[.)][ \t]|```|~~~")
_ATTRIBUTES = re.compile(r"[ \t]+\{[ \t]*[#.-][^{}\n]{0,300}\}[ \t]*$")
_MAX_BLOCK_NESTING = 60  # quotes and lists; what is deeper is one paragraph
_MAX_INLINE_NESTING = 20  # links, emphasis and so on; parsing time grows with it
_INDENT = 4  # of the further paragraphs of a note


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a Markdown text as a document."""
    metadata, text = front_matter(decode(data, name)[0])
    blocks = blocks_in(text)
    title = metadata.pop("title", "") or title_in(blocks_in(text[:_MAX_LENGTH], images=False)) or title_in(blocks)
    return compose(blocks, title=title, metadata=metadata)


def blocks_in(text: str, *, images: bool = True) -> list[Block]:
    """Return the blocks of a Markdown text, its notes last; ``images`` keeps the alternative texts."""
    env: dict[str, Any] = {}
    root = tree_of(_converter().render(text, env))
    content = read(root, notes=notes_in(root), images=images)
    return with_notes(content.blocks, [*content.notes, *_notes(env)])


def _converter() -> MarkdownIt:
    converter = MarkdownIt("commonmark", {"maxNesting": _MAX_BLOCK_NESTING + 1}).enable(["table", "strikethrough"])
    converter.block.ruler.before("reference", "note", _note, {"alt": ["paragraph", "reference"]})
    converter.block.ruler.before("table", "too_deep", _too_deep)
    converter.inline.ruler.before("link", "note_mark", _note_mark)
    converter.core.ruler.after("block", "before_inline", _before_inline)
    return converter


def title_in(blocks: list[Block]) -> str:
    """Return the first heading, if the text begins with it or no other is of level 1, unless it is an entry."""
    found = [block for block in blocks if block.heading]
    if not found:
        return ""
    level = [block.text for block in found if block.heading == found[0].heading]
    first = found[0] is blocks[0] or (found[0].heading == 1 and len(level) == 1)
    return level[0] if first and not is_entry(level) else ""


def _notes(env: dict[str, Any]) -> list[Block]:
    """Return the notes in the order of their citation, then those that are not cited, each with its number."""
    texts: dict[str, str] = env.get("notes", {})
    cited: dict[str, None] = env.setdefault("cited", {})
    queue, seen = [*cited, *texts], set[str]()
    items = list[str]()
    converter = _converter()
    for label in queue:  # grows in the loop: a note may cite further ones
        if label in texts and label not in seen:
            seen.add(label)
            items.append(f"<li>{converter.render(texts[label], env)}</li>")
            queue += [further for further in cited if further not in seen] if len(cited) > len(seen) else []
    return blocks_of(f"<ol>{''.join(items)}</ol>", images=True)


def _note(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse ``[^1]: text`` with its continuation lines. The note is stored and removed from the text."""
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


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse all that is nested too deeply as a paragraph, of which markdown-it would drop everything."""
    if silent or state.level < _MAX_BLOCK_NESTING:
        return False
    state.push("paragraph_open", "p", 1)
    text = state.push("inline", "", 0)
    text.content, text.children = state.getLines(start, end, 0, False).strip(), []
    state.push("paragraph_close", "p", -1)
    state.line = end
    return True


def _note_mark(state: StateInline, silent: bool) -> bool:
    """Parse ``[^1]`` and ``^[an inline note]``: the mark is removed, the note is stored."""
    inline = _INLINE_NOTE.match(state.src, state.pos)
    mark = None if inline else _REFERENCE.match(state.src, state.pos)
    notes = state.env.setdefault("notes", {})
    label = f"^{state.pos} {inline[1]}" if inline else mark[1] if mark else ""
    if not label or not (inline or label in notes or label in state.env.get("cited", ())):
        return False
    if not silent:
        if inline:
            notes[label] = inline[1]
        state.env.setdefault("cited", {}).setdefault(label)
        state.push("html_inline", "", 0).content = "<a hidden></a>"
    found = inline or mark
    state.pos = found.end() if found else state.pos
    return True


def _before_inline(state: StateCore) -> None:
    """After block parsing: remove pandoc's ``{#id .class}`` after headings, and limit the nesting of inline markup."""
    state.md.options["maxNesting"] = _MAX_INLINE_NESTING
    for before, token in pairwise(state.tokens):
        if before.type == "heading_open":
            token.content = _ATTRIBUTES.sub("", token.content)
