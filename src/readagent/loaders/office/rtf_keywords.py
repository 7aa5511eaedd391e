"""RTF control words: groups without text, words that stand for characters, and code pages."""

from __future__ import annotations

# Groups without text of the document. Unknown groups that begin with a star are ignored anyway.
IGNORED_GROUPS = frozenset(
    "aftncn aftnsep aftnsepc annotation atnauthor atndate atnicn atnid atnparent atnref atntime bkmkend bkmkstart "
    "buptim category colortbl comment company datafield do doccomm docvar falt fchars ffname file filetbl "
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
