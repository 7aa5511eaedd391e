"""What RTF control words change: the state of a group, and the data in the header of the file."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.loaders.formulas import Part
from readagent.loaders.office.rtf_blocks import RtfBlocks

# Groups without text of the document. Unknown groups that begin with a star are ignored anyway.
IGNORED_GROUPS = frozenset(
    "aftncn aftnsep aftnsepc annotation atnauthor atndate atnicn atnid atnparent atnref atntime bkmkend bkmkstart "
    "buptim category colortbl comment company datafield doccomm docvar falt fchars ffname file filetbl fldinst "
    "fontemb fontfile footer footerf footerl footerr ftncn ftnsep ftnsepc generator header headerf headerl headerr "
    "hlinkbase keywords latentstyles lchars levelnumbers leveltext list listlevel listname listoverride "
    "listoverridetable listtable manager mmathPict nonesttables objclass objdata objname operator panose password "
    "pgdsctbl pict pnseclvl pntxta pntxtb printim private propname revtbl revtim rsidtbl rxe shppict shprslt sn sp "
    "staticval subject sv tc template themedata txe userprops xe xmlnstbl".split()
)

CHARACTERS = {
    "bullet": "•",
    "emdash": "—",
    "emspace": " ",
    "endash": "–",
    "enspace": " ",
    "ldblquote": "“",
    "line": "\n",
    "lquote": "‘",
    "qmspace": " ",
    "rdblquote": "”",
    "rquote": "’",
    "softline": "\n",
    "tab": "\t",
    "zwj": "\u200d",
    "zwnj": "\u200c",
}
SYMBOLS = {"~": "\u00a0", "_": "\u2011", "\\": "\\", "{": "{", "}": "}", "\t": "\t"}

_CHARSETS = {
    77: "mac_roman", 78: "shift_jis", 79: "big5", 80: "euc_kr", 81: "mac_arabic", 83: "mac_greek", 84: "mac_cyrillic",
    85: "gb2312", 86: "mac_romanian", 88: "mac_latin2", 89: "mac_latin2", 128: "cp932", 129: "cp949", 130: "johab",
    134: "gbk", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip


def code_page(charset: int) -> str:
    """Return the encoding for a font's charset number; empty if it is that of the document."""
    return _CHARSETS.get(charset, "")


_KNOWN = frozenset(
    "ansicpg author creatim deff deflang deleted do dptxbxtext dy f fcharset fmodern fonttbl footnote fs ilvl info "
    "intbl lang listtext mac moMath moMathPara mo outlinelevel pard plain pntext qc qj ql qr s shpinst shptxt "
    "stylesheet title uc ud upr v yr".split()
)
_TEXT_IN = {"upr": "ud", "do": "dptxbxtext"}  # groups of which only this part is read
_MAX_SKIPPED = 20


@dataclass(slots=True)
class State:
    """The state that holds until the end of a group."""

    blocks: RtfBlocks
    label: list[str] | None = None  # collects text that is not part of the document, such as the name of a style
    group: str = ""  # the kind of a special group
    ignored: bool = False
    hidden: bool = False
    skip: int = 1  # fallback characters after each Unicode character, for old programs
    page: str = ""  # the code page of the font
    monospaced: bool = False
    style: int = 0
    outline: int = -1
    in_table: bool = False
    centred: bool = False
    depth: int = 0  # in lists
    size: int = 24  # of characters, in half points
    math: list[Part] | None = None  # in a formula: what the open element has, its kind, and its properties
    kind: str = ""
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Style:
    """A paragraph style: its name in lower case, and its outline level from 0, or -1."""

    name: str = ""
    outline: int = -1


@dataclass(slots=True)
class Header:
    """The data in the header of the file: fonts, styles and metadata."""

    page: str = "cp1252"
    font: int = 0
    fonts: dict[int, str] = field(default_factory=dict)
    monospaced: set[int] = field(default_factory=set)
    styles: dict[int, Style] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    date: dict[str, int] = field(default_factory=dict)
    language: int = 0


def apply(word: str, number: int | None, starred: bool, state: State, header: Header) -> None:
    """Apply a control word to the state and the header. A starred unknown word makes its group ignored."""
    if word in IGNORED_GROUPS or (starred and word not in _KNOWN):
        state.ignored = True
    elif word not in _KNOWN:
        if state.math is not None and not state.kind and word.startswith("m"):
            state.kind = word[1:]  # as Office MathML names it
    elif word in _TEXT_IN and not state.ignored:
        state.group, state.ignored = word, True
    elif _TEXT_IN.get(state.group) == word:
        state.ignored = False
        _group(word, state, header)
    elif not state.ignored:
        if number is None:
            _group(word, state, header)
        _paragraph(word, number, state)
        _character(word, number, state, header)


def _group(word: str, state: State, header: Header) -> None:
    """Apply a word that sets the kind of a group."""
    match word:
        case "footnote" | "shptxt" | "dptxbxtext":
            state.group, state.blocks, state.label = word, RtfBlocks(), None
            _paragraph("pard", None, state)
        case "fonttbl" | "stylesheet" | "info" | "listtext" | "pntext":
            state.group, state.label = word, []
        case "title" | "author" if state.group == "info":
            state.group, state.label = word, []
        case "moMath":
            state.math, state.kind = [], "oMath"
        case "creatim":
            state.group = word
        case "mac":
            header.page = "mac_roman"


def _paragraph(word: str, number: int | None, state: State) -> None:
    """Apply a word that formats a paragraph."""
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


def _character(word: str, number: int | None, state: State, header: Header) -> None:
    """Apply a word that formats characters, or that describes the file."""
    match word:
        case "plain":
            state.hidden, state.size = False, 24
            _font(header.font, state, header)
        case "fs":
            state.size = number or 24
        case "v" | "deleted":
            state.hidden = number != 0
        case "uc":
            state.skip = min(max(number if number is not None else 1, 0), _MAX_SKIPPED)
        case "f" if number is not None:
            _font(number, state, header)
        case "fcharset" if state.group == "fonttbl" and number is not None:
            header.fonts[state.style] = code_page(number)
        case "fmodern" if state.group == "fonttbl":
            header.monospaced.add(state.style)
        case "deff":
            header.font = number or 0
        case "ansicpg" if number is not None:
            header.page = _page(number) or header.page
        case "deflang" | "lang" if number not in (None, 0, 255, 1024):
            header.language = header.language or number or 0
        case "yr" | "mo" | "dy" if state.group == "creatim" and number is not None:
            header.date.setdefault(word, number)


def _font(number: int, state: State, header: Header) -> None:
    """Select a font: in the font table to describe it, elsewhere to use it."""
    if state.group == "fonttbl":
        state.style = number
    else:
        state.page, state.monospaced = header.fonts.get(number, ""), number in header.monospaced


def _page(number: int) -> str:
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return ""
