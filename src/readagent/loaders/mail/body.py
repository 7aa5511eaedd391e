"""The text of a message: its plain or HTML part as passages, without encoded files and signatures of programs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readagent.core.paragraphs import has_rows
from readagent.loaders.blocks import Block, with_notes
from readagent.loaders.html.content import notes_in, read
from readagent.loaders.html.tree import TEXT, Attributes, Element, classes_of, tree_of, walk
from readagent.loaders.mail.history import Passage

_QUOTE = re.compile(r"[ ]?((?:[>|][ ]?)+)")
_ORIGINAL = re.compile(
    r"[ \t]*-{2,}[ ]?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)"
    r"[^\n]{0,80}-{2,}[ \t]*|_{20,}[ \t]*(?=\nFrom:)|\*?From:\*?[^\n]+\n\*?(?:Sent|Date):\*?[^\n]+",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"--[ ]?|_{20,}|-{30,}")
_ENCODED = re.compile(
    r"^-----BEGIN PGP SIGNATURE-----$.*?^-----END PGP SIGNATURE-----$"
    r"|^-----BEGIN PGP SIGNED MESSAGE-----$\n(?:Hash:[^\n]*\n)?"
    r"|^begin [0-7]{3,4} \S[^\n]*\n(?:[ -`]{1,62}\n)+?end$"
    r"|(?:^[A-Za-z0-9+/]{56,}={0,2}$\n?){4,}(?:^[A-Za-z0-9+/]+={0,2}$)?",
    re.MULTILINE | re.DOTALL,
)
_QUOTE_CLASSES = frozenset({"gmail_quote", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote", "gmail_extra"})
_QUOTE_IDS = frozenset({"divrplyfwdmsg", "appendonsend", "replyblockquote"})


def plain_passages(text: str, *, flowed: bool = False) -> list[Passage]:
    """Return the paragraphs of a plain text; quoted lines are recognised by their ``>``."""
    text = _ENCODED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    original = _ORIGINAL.search(text)
    own = text[: original.start()] if original else text
    passages = list(_paragraphs(own.split("\n"), flowed=flowed))
    if original:
        rest = _paragraphs(text[original.start() :].split("\n"), flowed=flowed)
        passages += [Passage(one.block, quoted=True) for one in rest]
    return passages


def _paragraphs(lines: list[str], *, flowed: bool) -> Iterator[Passage]:
    kept: list[str] = []
    depth = 0
    repeated = False

    def paragraph() -> Iterator[Passage]:
        if any(line.strip() for line in kept):
            text = "\n".join(kept)
            yield Passage(Block(text, lines=_keeps_lines(kept, flowed)), depth > 0, repeated)
        kept.clear()

    for line in lines:
        found = _QUOTE.match(line) if line[:2].strip()[:1] in (">", "|") else None
        level = found[1].count(">") + found[1].count("|") if found else 0
        content = line[found.end() :] if found else line
        if level != depth or not content.strip():
            yield from paragraph()
            depth = level
        if not level and _SIGNATURE.fullmatch(line):
            yield from paragraph()
            repeated = True
            continue
        if content.strip():
            kept.append(content)
    yield from paragraph()


def _keeps_lines(lines: list[str], flowed: bool) -> bool:
    """Whether the lines of a paragraph mean something: a list, an address, code, a table."""
    if len(lines) < 2 or (flowed and any(line.endswith(" ") for line in lines[:-1])):
        return False
    return max(map(len, lines[:-1])) < 50 or has_rows("\n".join(lines)) or any(line[:1] in " \t" for line in lines[1:])


def html_passages(html: str) -> list[Passage]:
    """Return the paragraphs of an HTML text; quoted messages are recognised by the elements of mail programs."""
    root = tree_of(html)
    quotes: list[Element] = []

    def is_quote(element: Element, tag: str, attributes: Attributes) -> bool:
        known_id = (attributes.get("id") or "").lower() in _QUOTE_IDS
        marked = tag == "blockquote" or known_id or _QUOTE_CLASSES.intersection(classes_of(attributes))
        if marked and _has_text(element):
            quotes.append(element)
            return True
        return False

    content = read(root, notes=notes_in(root), skip=is_quote)
    own = [Passage(block) for block in with_notes(content.blocks, content.notes)]
    quoted = [Passage(block, quoted=True) for element in quotes for block in read(element).blocks]
    return own + quoted


def _has_text(element: Element) -> bool:
    found = False

    def enter(node: Element) -> bool:
        nonlocal found
        found = found or (node.tag == TEXT and bool((node.text_content or "").strip()))
        return not found

    walk(element, enter, lambda _: None)
    return found
