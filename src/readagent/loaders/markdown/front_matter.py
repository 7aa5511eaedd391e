"""Front matter: the lines before a Markdown text with its title, author, date and language.

Between ``---`` (YAML) or ``+++`` (TOML) only plain ``name: value`` lines and short lists are understood, which covers
what people write there. The three ``%`` lines of pandoc are understood too.
"""

from __future__ import annotations

import re

_FENCED = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PERCENT = re.compile(r"\A\ufeff?%[ \t]+(.*(?:\n[ \t]+\S.*)*)(?:\n%[ \t]*(.*))?(?:\n%[ \t]*(.*))?(?:\n|\Z)")
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
    percent = _PERCENT.match(text[:_MAX_LENGTH]) if text.lstrip("\ufeff").startswith(("% ", "%\t")) else None
    if percent:
        values = zip(("title", "author", "date"), percent.groups(), strict=True)
        return {name: " ".join(value.split()) for name, value in values if value}, text[percent.end() :]
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
