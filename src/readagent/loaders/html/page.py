"""Web pages: the main text, or all visible text, with notes and metadata.

Where trafilatura is installed, which is an extra, it reads articles too: what both find is the article, and with it
what stands between. The only module that uses it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import pairwise, takewhile
from types import ModuleType

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, with_notes
from readagent.loaders.formats import LEFT_OUT, Options
from readagent.loaders.html.main_text import main_text
from readagent.loaders.html.metadata import Site, page_metadata, site_of
from readagent.loaders.html.parser import Content, decode_page, notes_in, read
from readagent.loaders.html.tree import Element, tree_of
from readagent.loaders.html.weights import ends_sentence
from readagent.loaders.text.plain import without_license

_trafilatura: ModuleType | None = None
with suppress(ImportError):
    _trafilatura = import_module("trafilatura")

_SAVE = "if a script builds the page, open it in a browser, save or print it there, and read that"
_WHOLE = f"text that is hidden or in a dialog is read with `whole=True`; {_SAVE}"
_FALLBACK = re.compile(r"</?(?:noscript|noframes|frameset|frame)\b[^<>]*>", re.I)  # around text for old browsers
_SHADOW = re.compile(r"<template(?=[^>]*\bshadowrootmode\b)", re.I)  # a template that is shown where it stands
_MIN_FALLBACK = 200  # characters; a shorter text only asks for another browser
_MAX_ARTICLE = 500_000  # characters of markup without scripts; trafilatura takes a second for such a page
_MARK = re.compile('<|="')  # a tag or an attribute: the time of trafilatura grows with the square of their number
_MAX_MARKS = 12_000  # about a second; of 351 real articles the longest has 11,921
_WORD = re.compile(r"\w+")
_FOUND = 0.5  # share of its threes of words that trafilatura has, too, in a block that both find
_AGREED = 0.3  # of all threes, in such blocks; with less, one of the two is wrong about the page
_MAX_GAP = 2  # blocks between two that both find; more are left out if none says anything
_MIN_SAID = 20  # characters of a sentence


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return the text of a web page as a document."""
    page = _SHADOW.sub("<span", decode_page(data, name))
    root = tree_of(page)
    content, left_out = _read(root, options)
    if not _length(content) and not left_out:
        root = tree_of(_FALLBACK.sub("", page))
        content, left_out = _read(root, options)
        if _length(content) < _MIN_FALLBACK:
            content = Content([], [], {})
    if not _length(content):
        raise LoadError(f"{name} contains no text", hint=_WHOLE if left_out else _SAVE)
    metadata = page_metadata(root, content.blocks)
    fields = {**metadata.fields, LEFT_OUT: str(left_out or "")}
    blocks = without_license(content.blocks)
    return compose(with_notes(blocks, content.notes), title=metadata.title, metadata=fields)


def _length(content: Content) -> int:
    return sum(len(block.text.strip()) for block in (*content.blocks, *content.notes))


def _read(root: Element, options: Options) -> tuple[Content, int]:
    """Return the content of the page, and the number of words left out."""
    notes = notes_in(root)
    if options.whole:
        return read(root, notes=notes, hidden=True), 0
    main = main_text(root, notes)
    content, left_out = read(*main.nodes, notes=notes, skip=main.skip), main.words_left_out
    if site_of(root) is Site.ARTICLE:
        blocks = article_in(content.blocks, _second_reading(root))
        left_out += _words(content.blocks) - _words(blocks)
        content = replace(content, blocks=blocks)
    return content, left_out


def _words(blocks: list[Block]) -> int:
    return sum(len(block.text.split()) for block in blocks)


def _second_reading(root: Element) -> str:
    """Return the text that trafilatura finds; nothing if the page is too long for it, or breaks it."""
    markup = root.html or ""
    if _trafilatura is None or len(_MARK.findall(markup)) > _MAX_MARKS:
        return ""
    if len(markup) - sum(len(one.text()) for one in root.css("script, style")) > _MAX_ARTICLE:
        return ""
    try:
        return _trafilatura.extract(markup, include_comments=False) or ""
    except Exception:  # noqa: BLE001 - whatever it raises, the page is read as it is without the extra
        return ""


def article_in(blocks: list[Block], second: str) -> list[Block]:
    """Return the blocks of an article: those that a second reading finds, too, what stands between, and the title.

    What follows stays as far as it is sentences. Several blocks between without a sentence go: links, authors, buttons.
    """
    known = set(_threes(second))
    threes = [_threes(block.text) for block in blocks]
    found = [n for n, own in enumerate(threes) if own and sum(one in known for one in own) >= _FOUND * len(own)]
    if not found or sum(len(threes[n]) for n in found) < _AGREED * sum(map(len, threes)):
        return blocks
    kept = {*found, *(n for n in range(found[0]) if blocks[n].heading == 1)}
    for before, after in pairwise(found):
        between = range(before + 1, after)
        if len(between) <= _MAX_GAP or any(_says_something(blocks[n]) for n in between):
            kept.update(between)
    last = found[-1] + 1
    return [blocks[n] for n in sorted(kept)] + list(takewhile(_says_something, blocks[last:]))


def _threes(text: str) -> list[tuple[str, ...]]:
    """Return each three words in a row of a text."""
    words = _WORD.findall(text.casefold())
    return [tuple(words[start : start + 3]) for start in range(max(1, len(words) - 2))] if words else []


def _says_something(block: Block) -> bool:
    return block.lines or (len(block.text) >= _MIN_SAID and ends_sentence(block.text))
