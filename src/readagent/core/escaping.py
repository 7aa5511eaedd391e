"""Show texts that are not ours: short reprs, no control characters, nothing that acts as markup or as a tag.

Prompts mark pages, passages and questions with tags such as ``<Page 7>`` and ``</memory>``, and places with labels such
as ``<12>``. Servers put the marks of chat templates around prompts, such as ``<|im_start|>`` and ``[INST]``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from html import escape
from typing import Any

from readagent.core.patterns import lazy_pattern

TURNING = "\u202a-\u202e\u2066-\u2069"  # bidirectional embeddings, overrides and isolates
_JOINER = lazy_pattern("(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\u200c\u200d])")


def visible(text: str) -> str:
    """Return a text without invisible characters, with pictures in place of control characters but tab and line feed.

    Joiners stay between letters of scripts that are spelt with them and in emoji, and so do the marks that Hebrew and
    Arabic need, which turn no letters.
    """
    if text.isprintable():
        return text
    return _JOINER.sub("", text.replace("\r\n", "\n")).translate(_SHOWN)


class _Shown(dict[int, str]):
    """What is shown for a character, by its category in Unicode."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Cf":
            directed = unicodedata.bidirectional(character) in ("L", "R", "AL", "AN")
            shown = character if directed or character in "\u200c\u200d" else ""
        elif category in ("Cs", "Co") or (category == "Cn" and code >= _LAST_PLANES):  # below are letters of tomorrow
            shown = "\N{REPLACEMENT CHARACTER}"
        elif category == "Cc" and character not in "\t\n":
            shown = chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
        else:
            shown = character
        self[code] = shown
        return shown


_LAST_PLANES = 0xE0000  # tags and private characters
_SHOWN = _Shown()


MOST = 200  # characters of a repr
_TEXT = 60  # characters of a text in it
_FEW = 3  # items of a collection that are shown


def brief(thing: object, text: str, *facts: str) -> str:
    """Return ``<Kind 'text': fact, fact>``; facts that are empty are left out."""
    head = f"{type(thing).__name__} {excerpt(text)!r}" if text else type(thing).__name__
    return _bounded(f"<{': '.join(filter(None, (head, ', '.join(filter(None, facts)))))}", ">")


def short_repr(record: Any) -> str:
    """Return the repr of a dataclass with those of its fields that are not at their default, long values cut."""
    shown = [one for one in fields(record) if one.repr and getattr(record, one.name) != _default(one)]
    values = ", ".join(f"{one.name}={_value(getattr(record, one.name))}" for one in shown)
    return _bounded(f"{type(record).__name__}({values}", ")")


def excerpt(text: str, most: int = _TEXT) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(visible(text[: 4 * most]).split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 2].rstrip()} …"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 page", "1,200 pages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _value(value: object) -> str:
    if isinstance(value, str):
        return repr(excerpt(value))
    if isinstance(value, Collection) and len(value) > _FEW:
        return f"<{len(value)} items>"
    return repr(value)


def _default(one: Field[Any]) -> object:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def _bounded(text: str, end: str) -> str:
    return text + end if len(text) < MOST else f"{text[: MOST - 3]} …{end}"


_INLINE = lazy_pattern(r"([\\\[\]`*_~])")  # of links, images, code and emphasis
_BLOCK = lazy_pattern(  # of headings, lists, quotations and tables
    r"^([ \t]*)(#|>|=+[ \t]*$|[-+](?=\s|$)|-+[ \t]*$|\|)", re.M
)
_NUMBERED = lazy_pattern(r"^([ \t]*\d{1,9})([.)])(?=\s|$)", re.M)
_NOT_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def marked_up(text: str) -> str:
    """Return a text for the content of an element, or for the value of an attribute."""
    return escape(_NOT_XML.sub("\ufffd", visible(text)))


def in_markdown(text: str) -> str:
    """Return a text as it reads in Markdown: nothing in it is a tag, an image, a link, a heading or a block of code.

    Control characters, which a terminal that shows the file would obey, are replaced by their pictures.
    """
    text = _INLINE.sub(r"\\\1", visible(text.strip()).replace("&", "&amp;").replace("<", "&lt;"))
    return _NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\1\\\2", text))


_NAMES = (
    "page|document|memory|opened|passage|question|history|previous|earlier|cards|statements|quotes"
    "|instruction|done|part|options"  # of web navigation
)
_TAG = lazy_pattern(rf"\s*/?\s*(?:(?:{_NAMES})\b|\d+\s*[>›])")
_TOKEN = lazy_pattern(
    r"\|[^\s<>|]+\|>|/?(?:s|bos|eos|pad|unk|sop|eop|think|(?:start|end)_of_\w+|(?:fim|reserved|unused|extra_id)_?\w+)>"
    r"|[<‹]?/?sys>>|sys>>"
)
_BRACKETED = lazy_pattern(r"/?(?:inst|gmask|system_prompt|available_tools|tool_calls|tool_results)\]")
_LONGEST = 80  # characters after a bracket that are examined
_SAME_LETTER = str.maketrans(  # Cyrillic, Greek, Armenian and small capital letters
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u0261\u043c\u0442\u0433\u043f"
    "\u043d\u0432\u043a\u04cf\u04bd\u0475\u03b1\u03bf\u03c1\u03b5\u03b9\u03c5\u03bd\u03b7\u03c4\u03bc\u03ba\u03f2"
    "\u0585\u0578\u057d\u0570\u0131\u1d00\u1d04\u1d05\u1d07\u0262\u029c\u026a\u1d0d\u0274\u1d0f\u1d18\u0280\ua731"
    "\u1d1b\u1d1c\u1d20\u028f\u2223\u01c0\u2581",
    "aeopcyxsijhdqgmtrnhbklevaopeiuvntmkconshiacdeghimnoprstuvy||_",
)


def escape_tags(text: str) -> str:
    """Return a text for a prompt, without anything that looks like a tag of ours."""
    return _ANGLE.sub(lambda found: "‹" if _begins(_TAG, found) else found[0], text)


def escape_tokens(text: str) -> str:
    """Return a text for a prompt, without anything that looks like a mark of a chat template."""
    text = _ANGLE.sub(lambda found: "‹" if _begins(_TOKEN, found) else found[0], text)
    return _SQUARE.sub(lambda found: "⁅" if _begins(_BRACKETED, found) else found[0], text)


def restore_tags(text: str) -> str:
    """Return what a model copied from a prompt as it stands in the text."""
    text = _ESCAPED.sub(lambda found: "<" if _begins(_TAG, found) or _begins(_TOKEN, found) else found[0], text)
    return _ESCAPED_SQUARE.sub(lambda found: "[" if _begins(_BRACKETED, found) else found[0], text)


_ANGLE, _SQUARE = lazy_pattern("[<\uff1c\ufe64]"), lazy_pattern(r"\[")
_ESCAPED, _ESCAPED_SQUARE = lazy_pattern("‹"), lazy_pattern("⁅")


def _begins(tag: re.Pattern[str], bracket: re.Match[str]) -> bool:
    """Whether a tag follows a bracket, as a reader sees it: without accents and invisible characters."""
    following = bracket.string[bracket.end() : bracket.end() + _LONGEST]
    return tag.match(following.lower() if following.isascii() else _seen(following)) is not None


def _seen(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold().translate(_SAME_LETTER)
    return "".join(one for one in letters if unicodedata.category(one) not in ("Cf", "Mn", "Me", "Cc") or one in "\n\t")
