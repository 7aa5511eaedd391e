"""Markdown for the page: markdown-it-py finds its parts, of which the page makes elements."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.lheading import lheading
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from readagent.web.operations import Call, Operation
from readagent.web.page_guard import MARKDOWN

_LONGEST = 50_000  # characters of a text; a longer one stays as it was written


def _underlined(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take a heading that is underlined with ===; a line of --- after a paragraph is a rule, as models mean it."""
    before, line = len(state.tokens), state.line
    if not lheading(state, start, end, silent):
        return False
    if state.tokens[before].markup == "=":
        return True
    del state.tokens[before:]
    state.line = line
    return False


def _underscores(state: StateInline, silent: bool) -> bool:
    """Take several underscores as they are: they belong to a name, as in __init__."""
    found = _SEVERAL.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.pending += found[0]
    state.pos = found.end()
    return True


_SEVERAL = re.compile("__+")
_PARSER = MarkdownIt("js-default", {"html": False}).disable(
    ["link", "image", "autolink", "reference", "entity", "html_inline", "html_block", "code"]
)
_PARSER.block.ruler.at("lheading", _underlined)
_PARSER.inline.ruler.before("emphasis", "underscores", _underscores)


class Texts(msgspec.Struct, forbid_unknown_fields=True):
    """Texts in Markdown."""

    texts: list[str]


class Part(msgspec.Struct, omit_defaults=True):
    """A token: the start (``nesting`` is 1) or end (-1) of an element, or (0) what stands in it."""

    type: str
    tag: str = ""
    nesting: int = 0
    hidden: bool = False
    content: str = ""
    start: int | None = None
    align: str = ""
    children: list[Part] = []


def _parts(tokens: Sequence[Token]) -> list[Part]:
    return [
        Part(
            one.type,
            one.tag,
            one.nesting,
            one.hidden,
            "" if one.children else one.content,
            int(start) if (start := one.attrGet("start")) is not None else None,
            str(one.attrGet("style") or "").removeprefix("text-align:"),
            _parts(one.children or ()),
        )
        for one in tokens
    ]


def _markdown(call: Call) -> list[list[Part] | None]:
    return [_parts(_PARSER.parse(text)) if len(text) <= _LONGEST else None for text in call.body.texts]


OPERATIONS = (
    Operation("POST", MARKDOWN, _markdown, "Find the parts of texts in Markdown.", list[list[Part] | None], Texts),
)
