"""Web pages: the main text, or all visible text, with notes and metadata.

Where trafilatura is installed, which is an extra, it reads articles too: what both find is the article, and with it
what stands between; if they disagree about much of it, what either finds. The only module that uses it. It is imported
before the process for each file starts: later, its half a second would be paid for each article.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
_FOUND = 0.5  # share of its threes of words that a reading has, too, in a block that it finds
_MISSED = 0.2  # of the threes in what one reading says; if the other misses more, it has only a part of the article
_LINKED = 0.5  # share of its threes of words in links; what is not in the article and has fewer may belong to it
_MAX_GAP = 2  # blocks between two that both find; of more, those that are links are left out
_MIN_SAID = 20  # bytes of a sentence


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
    second = _second_reading(root) if site_of(root) is Site.ARTICLE else ""
    if second:
        everything = read(root.css_first("body") or root, notes=notes).blocks
        blocks = article_in(content.blocks, everything, second, [one.text() for one in root.css("a[href]")])
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


def article_in(ours: list[Block], everything: list[Block], second: str, links: Iterable[str] = ()) -> list[Block]:
    """Return the blocks of an article: those that a second reading finds, too, what stands between, and the title.

    Sentences before them stay, below the title if there is one, and what follows up to the last sentence before a link.
    If our reading misses much of what the second finds, the blocks are those of the whole page. If the second misses
    much of what ours says, all that either finds is the article.
    """
    known, mine = set(_threes(second)), {three for one in ours for three in _threes(one.text)}
    linked = {three for one in links for three in _threes(one)}

    def says(block: Block) -> bool:
        return _says_something(block) and _share(block, linked) < _LINKED

    theirs = [one for one in everything if _share(one, known) >= _FOUND]
    blocks = everything if _missed(theirs, mine) > _MISSED else ours
    if _missed([one for one in ours if _share(one, known) >= _FOUND or says(one)], known) > _MISSED:
        known |= mine
    found = [n for n, one in enumerate(blocks) if _share(one, known) >= _FOUND]
    if not found:
        return ours
    titles = [n for n in range(found[0]) if blocks[n].heading == 1]
    start = titles[-1] if titles else 0 if blocks is ours else found[0]
    kept = {*found, *titles, *(n for n in range(start, found[0]) if says(blocks[n]))}
    unlinked = {n for n, one in enumerate(blocks) if _share(one, linked) < _LINKED}
    for before, after in pairwise(found):
        between = range(before + 1, after)
        kept.update(between if len(between) <= _MAX_GAP else unlinked.intersection(between))
    rest = takewhile(unlinked.__contains__, range(found[-1] + 1, len(blocks)))
    last = max((n for n in rest if says(blocks[n])), default=found[-1])
    return [blocks[n] for n in sorted(kept.union(range(found[-1], last + 1)))]


def _missed(blocks: list[Block], known: set[tuple[str, ...]]) -> float:
    """Return the share of some blocks, by their length, of which the threes of words are not known."""
    return _length_of(one for one in blocks if _share(one, known) < _FOUND) / max(1, _length_of(blocks))


def _share(block: Block, known: set[tuple[str, ...]]) -> float:
    """Return the share of the threes of words of a block that are known."""
    threes = _threes(block.text)
    return sum(one in known for one in threes) / max(1, len(threes))


def _length_of(blocks: Iterable[Block]) -> int:
    return sum(len(_threes(one.text)) for one in blocks)


def _threes(text: str) -> list[tuple[str, ...]]:
    """Return each three words in a row of a text."""
    words = _WORD.findall(text.casefold())
    return [tuple(words[start : start + 3]) for start in range(max(1, len(words) - 2))] if words else []


def _says_something(block: Block) -> bool:
    return block.lines or (len(block.text.encode()) >= _MIN_SAID and ends_sentence(block.text))
