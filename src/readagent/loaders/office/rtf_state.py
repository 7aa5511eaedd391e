"""What the words of RTF change: what holds until the end of a group, and what the file says of itself."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field

from readagent.loaders.office.rtf_blocks import RtfFlow
from readagent.loaders.office.rtf_keywords import UNREAD, code_page

_KNOWN = frozenset(
    "ansicpg author creatim deff deflang deleted dy f fcharset fldinst fmodern fonttbl footnote fs ilvl info intbl "
    "lang listtext mac moMath mo mr outlinelevel pard pc pca plain pntext qc qj ql qr s shpinst shptxt stylesheet "
    "title uc v yr".split()
)
_MOST_SKIPPED = 20


@dataclass(slots=True)
class State:
    """What holds until the end of a group."""

    flow: RtfFlow
    label: list[str] | None = None  # where text goes that is none of the document's, such as the name of a style
    group: str = ""  # what the group is, where it is of a kind of its own
    unread: bool = False
    hidden: bool = False
    skip: int = 1  # characters that stand after each character given by its number, for older programs
    page: str = ""  # the code page of the font
    typed: bool = False  # whether the font is one of a typewriter
    style: int = 0
    outline: int = -1
    in_table: bool = False
    centred: bool = False
    depth: int = 0  # in lists
    size: int = 24  # of characters, in half points


@dataclass(slots=True)
class Style:
    """A style of paragraphs: its name in small letters, and its level in the outline, from 0, or -1."""

    name: str = ""
    outline: int = -1


@dataclass(slots=True)
class Facts:
    """What the file says of itself."""

    page: str = "cp1252"
    font: int = 0
    fonts: dict[int, str] = field(default_factory=dict)
    typed: set[int] = field(default_factory=set)
    styles: dict[int, Style] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    day: dict[str, int] = field(default_factory=dict)
    language: int = 0


def obey(word: str, number: int | None, starred: bool, state: State, facts: Facts) -> None:
    """Change the state, and note the facts, as this word says. Unknown words that are starred make a group unread."""
    if word in UNREAD or (starred and word not in _KNOWN):
        state.unread = True
    elif word not in _KNOWN:
        return
    elif word in ("mr", "moMath"):
        _formula(word, state)
    elif not state.unread:
        if number is None:
            _group(word, state, facts)
        _paragraph(word, number, state)
        _character(word, number, state, facts)


def _formula(word: str, state: State) -> None:
    """Of a formula only its runs are read, and not what says how to draw it."""
    if word == "moMath" and not state.unread:
        state.group, state.unread = word, True
    elif word == "mr" and state.group == "moMath":
        state.unread = False


def _group(word: str, state: State, facts: Facts) -> None:
    """Words that say what a group is."""
    match word:
        case "footnote" | "shptxt":
            state.group, state.flow, state.label = word, RtfFlow(), None
            _paragraph("pard", None, state)
        case "fonttbl" | "stylesheet" | "info" | "listtext" | "pntext" | "fldinst":
            state.group, state.label = word, []
        case "title" | "author" if state.group == "info":
            state.group, state.label = word, []
        case "creatim":
            state.group = word
        case "mac":
            facts.page = "mac_roman"
        case "pc":
            facts.page = "cp437"
        case "pca":
            facts.page = "cp850"


def _paragraph(word: str, number: int | None, state: State) -> None:
    """Words that say what a paragraph is like."""
    match word:
        case "pard":
            state.style, state.outline, state.in_table, state.centred, state.depth = 0, -1, False, False, 0
        case "s":
            state.style = number or 0
        case "outlinelevel":
            state.outline = number if number is not None else -1
        case "qc" | "ql" | "qr" | "qj":
            state.centred = word == "qc"
        case "ilvl":
            state.depth = max(0, number or 0)
        case "intbl":
            state.in_table = number != 0


def _character(word: str, number: int | None, state: State, facts: Facts) -> None:
    """Words that say what characters are like, or the whole file."""
    match word:
        case "plain":
            state.hidden, state.size = False, 24
            _font(facts.font, state, facts)
        case "fs":
            state.size = number or 24
        case "v" | "deleted":
            state.hidden = number != 0
        case "uc":
            state.skip = min(max(number if number is not None else 1, 0), _MOST_SKIPPED)
        case "f" if number is not None:
            _font(number, state, facts)
        case "fcharset" if state.group == "fonttbl" and number is not None:
            facts.fonts[state.style] = code_page(number)
        case "fmodern" if state.group == "fonttbl":
            facts.typed.add(state.style)
        case "deff":
            facts.font = number or 0
        case "ansicpg" if number is not None:
            facts.page = _page(number) or facts.page
        case "deflang" | "lang" if number not in (None, 0, 255, 1024):
            facts.language = facts.language or number or 0
        case "yr" | "mo" | "dy" if state.group == "creatim" and number is not None:
            facts.day.setdefault(word, number)


def _font(number: int, state: State, facts: Facts) -> None:
    """A font is named, in the table of fonts to be described, and elsewhere to be used."""
    if state.group == "fonttbl":
        state.style = number
    else:
        state.page, state.typed = facts.fonts.get(number, ""), number in facts.typed


def _page(number: int) -> str:
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return ""
