"""Front matter: the few lines before a Markdown text that say its title, author, date and language.

Between ``---`` (YAML) or ``+++`` (TOML) only plain ``name: value`` lines and short lists are understood, which is what
people write there; also the three lines with ``%`` that pandoc knows.
"""

from __future__ import annotations

import re

_FENCED = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PERCENT = re.compile(r"\A\ufeff?%[ \t]+(.*(?:\n[ \t]+\S.*)*)(?:\n%[ \t]*(.*))?(?:\n%[ \t]*(.*))?(?:\n|\Z)")
_LONGEST = 20_000  # characters of front matter
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
    """What the lines before a text say, by the names title, author, date and language; and the text after them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    fenced = _FENCED.match(text[:_LONGEST])
    if fenced and any(_LINE.match(line) for line in fenced[2].split("\n")):
        return _said(fenced[2].split("\n")), text[fenced.end() :]
    percent = _PERCENT.match(text[:_LONGEST]) if text.lstrip("\ufeff").startswith(("% ", "%\t")) else None
    if percent:
        values = zip(("title", "author", "date"), percent.groups(), strict=True)
        return {name: " ".join(value.split()) for name, value in values if value}, text[percent.end() :]
    return {}, text


def _said(lines: list[str]) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        pair, item = _LINE.match(line), _ITEM.match(line)
        if pair:
            name = _NAMES.get(pair[1].lower(), "")
            values = _values((pair[2] or "").strip())
        elif item or (line[:1] in (" ", "\t") and name):
            values = [_bare(item[1])] if item else [_bare(line.strip())] if ":" not in line else []
        else:
            name, values = "", []
        if name:
            said.setdefault(name, []).extend(value for value in values if value)
    joined = {name: (", " if name == "author" else " ").join(values) for name, values in said.items() if values}
    if day := _DAY.match(joined.get("date", "")):
        joined["date"] = day[0]
    return joined


def _values(written: str) -> list[str]:
    """One value, or those of a list in brackets; the signs that only open a longer one are none."""
    if written in ("|", ">", "|-", ">-", "|+", ">+"):
        return []
    if written.startswith("[") and written.endswith("]"):
        return [_bare(value) for value in written[1:-1].split(",")]
    return [_bare(written)]


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace('\\"', '"').replace("''", "'")
    return re.sub(r"[ \t]+#.*", "", value).rstrip(",")
