"""Seen: a prompt parsed back into its instruction, the actions so far, and the elements of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(r'<(/?)([a-zA-Z][\w-]*)((?:\s+[\w-]+(?:=(?:"[^"]*"|[^\s<>"]+))?)*)\s*>')
_ATTRIBUTE = re.compile(r'([\w-]+)(?:=(?:"([^"]*)"|([^\s<>"]+)))?')
_RECORD = re.compile(r'^\{"index": \d+, "content": ".*"\}$', re.MULTILINE)
_PART = re.compile(r"^</?part(?: \d+)?>\n?", re.MULTILINE)
_HEAD = re.compile(r"\A(?:<(title|url)>.*</\1>\n)+")
_EMPTY = frozenset({"input", "img", "br", "hr"})


Wanted = Literal["gist", "parts", "command", "check"]


def wanted(prompt: str) -> Wanted:
    """Return what a prompt of web navigation asks for."""
    if prompt.startswith("Below is one part of a web page"):
        return "gist"
    if "</done>" not in prompt:
        return "check"
    return "parts" if "\nParts: " in prompt.rpartition("</done>")[2] else "command"


@dataclass(frozen=True, slots=True)
class Intent:
    """The next action of the oracle. Without an id it is done to the whole page."""

    id: str
    operation: Literal["click", "type", "select", "drag", "hover", "press", "scroll"] = "click"
    value: str = ""


DONE = Intent("")


@dataclass(frozen=True, slots=True)
class Item:
    """An element with an id: its tag, attributes and text, and the text just before and after it.

    ``place`` is the offset of its tag in the page.
    """

    id: str
    tag: str
    attributes: dict[str, str]
    text: str
    before: str
    after: str
    place: int

    @property
    def name(self) -> str:
        """Its text, or else its label."""
        known = (self.attributes.get(name, "") for name in ("aria-label", "placeholder", "title", "dom", "class"))
        return self.text or next((one for one in known if one), "")


@dataclass(frozen=True, slots=True)
class Seen:
    """A parsed prompt. ``page`` is the text of the page with its tags."""

    page: str
    instruction: str
    done: tuple[str, ...]
    items: tuple[Item, ...]

    @classmethod
    def of(cls, prompt: str) -> Seen:
        """Parse a prompt."""
        page = _PART.sub("", _HEAD.sub("", _between(prompt, "<page>", "</page>") + "\n").removesuffix("\n"))
        page = _RECORD.sub(lambda record: str(json.loads(record[0])["content"]), page)
        instruction = _between(prompt, "<instruction>", "</instruction>").partition("\n({")[0].strip()
        done = tuple(line for line in _between(prompt, "<done>", "</done>").splitlines() if line != "nothing yet")
        return cls(page, instruction, done, tuple(_items(page)))

    def named(self, name: str, *tags: str) -> Item:
        """Return the first element with this name and one of these tags."""
        wanted = plain(name)
        for item in self.items:
            if (not tags or item.tag in tags) and plain(item.name) == wanted:
                return item
        raise LookupError(f"no element {name} in:\n{self.page}")

    def tagged(self, *tags: str) -> list[Item]:
        """Return all elements with these tags."""
        return [item for item in self.items if item.tag in tags]

    def did(self, item: Item) -> bool:
        """Return whether this element was acted on already."""
        return any(f"[{item.id}]" in line and "(failed" not in line for line in self.done)

    def lines(self) -> list[str]:
        """Return the lines of the page without tags."""
        stripped = (" ".join(_TOKEN.sub(" ", line).split()) for line in self.page.splitlines())
        return [line for line in stripped if line]


def plain(text: str) -> str:
    """Return a text for comparison: single spaces, lower case, no surrounding quotation marks."""
    return " ".join(text.split()).strip("\"' ").lower()


def quoted(text: str) -> list[str]:
    """Return the parts between double quotation marks."""
    return [one.strip() for one in re.findall(r'"\s*(.*?)\s*"', text)]


def _between(text: str, begin: str, end: str) -> str:
    start = text.find(f"\n{begin}\n")
    stop = text.rfind(f"\n{end}")
    return text[start + len(begin) + 2 : stop] if 0 <= start < stop else ""


def _items(page: str) -> Iterator[Item]:
    tokens = list(_TOKEN.finditer(page))
    for index, token in enumerate(tokens):
        attributes = {name: quoted or bare for name, quoted, bare in _ATTRIBUTE.findall(token[3])}
        if token[1] or "id" not in attributes:
            continue
        end = _end(tokens, index, len(page))
        inner = page[token.end() : end] if token[2] not in _EMPTY else ""
        text = " ".join(_TOKEN.sub(" ", inner).split())
        before = page[tokens[index - 1].end() if index else 0 : token.start()]
        following = tokens[index + 1].start() if index + 1 < len(tokens) else len(page)
        after = page[token.end() : following]
        yield Item(attributes.pop("id"), token[2], attributes, text, before.strip(), after.strip(), token.start())


def _end(tokens: list[re.Match[str]], index: int, end: int) -> int:
    """Return the end of the element that starts at this tag: its closing tag, or the tag itself if it has none."""
    depth = 0
    tag = tokens[index][2]
    if any(sign in tokens[index][3] for sign in (" title=", " alt=")) and tag in ("span", "div", "img"):
        return tokens[index].end()  # empty elements are shown without a closing tag
    for token in tokens[index + 1 :]:
        if token[2] == tag:
            if token[1] and depth == 0:
                return token.start()
            depth += -1 if token[1] else 1
    return tokens[index].end()
