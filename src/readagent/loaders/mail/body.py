"""The text of a message: its parts decoded, without encoded files and signatures of programs."""

from __future__ import annotations

import base64
import email.errors
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from email.message import Message

from readagent.core.words import has_rows
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, with_notes
from readagent.loaders.html.parser import notes_in, read
from readagent.loaders.html.tree import TEXT, Attributes, Element, classes_of, tree_of, walk
from readagent.loaders.text.decode import decode

PART_ERRORS = (LookupError, ValueError, TypeError, AttributeError, email.errors.MessageError)
_NOT_PLAIN = (b"%PDF-", b"%!PS", b"{\\rtf")  # files that may consist of letters only
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_MIN_BASE64 = 40  # characters before other text; a shorter run may be a word


def text_of(part: Message, name: str) -> str:
    """Return the text of a part that contains text; ``name`` is the file, for messages."""
    data = _bytes_of(part)
    with suppress(*PART_ERRORS):
        charset = part.get_content_charset() or ""
        if charset in ("iso-8859-1", "latin-1", "latin1"):  # most programs mean the encoding of Windows
            charset = "cp1252"
        if charset not in ("", "us-ascii", "ascii", "unknown-8bit"):
            return data.decode(charset)
    try:
        return decode(data, name)[0]
    except LoadError:
        return data.replace(b"\x00", b"").decode("cp1252", "replace")


def is_text(part: Message) -> bool:
    """Whether a part that need not be declared as text contains plain text."""
    kind = part.get_content_type()
    if not (kind.startswith(("text/", "multipart/")) or kind == "application/octet-stream"):
        return False
    data = _bytes_of(part)
    try:
        return bool(decode(data, "")[0].strip()) and not data.lstrip().startswith(_NOT_PLAIN)
    except LoadError:
        return False


def _bytes_of(part: Message) -> bytes:
    """Return the content of a part; text that is labelled base64 and is not is returned as it is."""
    with suppress(*PART_ERRORS):
        raw = part.get_payload()
        if isinstance(raw, str) and str(part.get("content-transfer-encoding", "")).strip().lower() == "base64":
            return _from_base64(raw)
    with suppress(*PART_ERRORS):
        payload: object = part.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else b""
    return b""


def _from_base64(text: str) -> bytes:
    """Decode base64; servers of mailing lists add plain text below it."""
    lines = text.splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if not _BASE64_LINE.fullmatch(line.strip())), len(lines))
    code = "".join("".join(lines[:end]).split()).rstrip("=")
    rest = "".join(lines[end:])
    if rest.strip() and len(code) < _MIN_BASE64:
        return text.encode("utf-8", "surrogateescape")
    code = code[: len(code) - (len(code) % 4 == 1)]
    below = f"\n\n{rest}" if rest.strip() else ""
    return base64.b64decode(code + "=" * (-len(code) % 4)) + below.encode("utf-8", "surrogateescape")


_WORD = re.compile(r"\w+")
_RUN = 4  # words that are compared together
_KNOWN_SHARE = 0.8  # of the runs of a passage that appeared before
_REMINDER_WORDS = 12  # of a quoted passage that is answered, if it appeared before
_MAX_INTRODUCTION = 30  # words of a line such as "On Monday, Anna wrote:"


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of a message; ``quoted`` if it is from another message, ``repeated`` if it is a signature."""

    block: Block
    quoted: bool = False
    repeated: bool = False


class History:
    """Remembers what was written in the messages so far."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, ...]] = set()

    def new_in(self, passages: Sequence[Passage]) -> Iterator[Block]:
        """Yield what is new in a message. A known passage that is answered below is shortened."""
        known = [(one.quoted or one.repeated) and self._is_known(one.block.text) for one in passages]
        new = [at for at, one in enumerate(passages) if not (known[at] or one.repeated)]
        for index, one in enumerate(passages):
            if known[index]:
                answered = one.quoted and new and index < new[-1]
                if answered and not (index and known[index - 1]):
                    yield Block(f"> {_start(one.block.text)}")
            elif not (_introduces(one.block.text) and index + 1 < len(passages) and known[index + 1]):
                yield replace(one.block, text=f"> {one.block.text}") if one.quoted else one.block
        for one in passages:
            self._seen.update(_runs(one.block.text))

    def _is_known(self, text: str) -> bool:
        runs = _runs(text)
        return sum(run in self._seen for run in runs) >= _KNOWN_SHARE * len(runs)


def _runs(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return [tuple(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1))] if words else []


def _start(text: str) -> str:
    words = text.split()
    return " ".join(words[:_REMINDER_WORDS]) + (" …" if len(words) > _REMINDER_WORDS else "")


def _introduces(text: str) -> bool:
    return text.rstrip().endswith(":") and len(text.split()) <= _MAX_INTRODUCTION


_QUOTE = re.compile(r"[ ]?((?:[>|][ ]?)+)")
_ORIGINAL = re.compile(  # a line such as "---- Original Message ----", or a rule, and a header below it
    r"^[ \t]*(?:-{2,}[ ]?\w[^\n]{2,80}?[ ]?-{2,}|_{20,})[ \t]*(?=\n\s*\*?[^\W\d_]{2,12} ?:)"
    r"|^\*?From:\*?[^\n]+\n\*?(?:Sent|Date):\*?[^\n]+",
    re.MULTILINE,
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
