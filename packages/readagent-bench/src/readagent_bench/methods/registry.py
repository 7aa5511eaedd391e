"""The methods that answer questions about documents, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from readagent.errors import UsageError
from readagent_bench.example import Asked, Outcome
from readagent_bench.methods.entry import Entry, OwnMethod, method_named, own_method
from readagent_bench.plugins import installed, is_file
from readagent_bench.reading import ReadingContext
from readagent_bench.task import Method as TaskMethod
from readagent_bench.task import Titled

Method = TaskMethod[Asked, ReadingContext, Outcome]


def _in(module: str, kind: str) -> Callable[[int], Method]:
    """Return a function that makes a method; its module, and what that needs, is imported only then."""

    def make(number: int) -> Method:
        made: Method = import_module(f"readagent_bench.methods.{module}").make(kind, number)
        return made

    return make


def _ours(kind: str, text: str) -> Entry[Method]:
    return Entry(_in("readagent", kind), text, "pages at most", 6)


METHODS: Mapping[str, Entry[Method]] = {
    "readagent-p": Entry(
        _in("readagent", "readagent-p"), "ReadAgent, chooses all pages at once", "pages at most, 1 or 1-6", 6
    ),
    "readagent-s": _ours("readagent-s", "ReadAgent, chooses one page after another"),
    "readagent-direct": _ours("readagent-direct", "ReadAgent, answers from gists and snippets or asks for pages"),
    "uniform-p": _ours("uniform-p", "ReadAgent-P on pages of equal length"),
    "readagent-fit": Entry(
        _in("readagent_fit", ""), "ReadAgent-P, gists and opened pages within some tokens", "tokens", 4000
    ),
    "conditional-p": _ours("conditional-p", "ReadAgent-P, gists written for the question"),
    "conversation": _ours("conversation", "ReadAgent-P, reads part by part, shortens older gists"),
    "shelf": Entry(_in("shelf", ""), "ReadAgent-P over all documents of the run on one shelf", "documents at most", 4),
    "gistmem": Entry(_in("gistmem", "gistmem"), "the gists alone"),
    "gistmem+neural": Entry(
        _in("gistmem", "gistmem+neural"), "the gists, and the nearest pages in full", "pages", 1, embeds=True
    ),
    "bm25": Entry(_in("bm25", ""), "the best pages by BM25", "pages", 3, gists=False),
    "neural": Entry(
        _in("neural", "neural"), "the nearest pages by vectors of pages", "pages", 3, embeds=True, gists=False
    ),
    "neural-gist": Entry(
        _in("neural", "neural-gist"), "the nearest pages by vectors of gists", "pages", 3, embeds=True
    ),
    "hints": Entry(_in("hints", ""), "the best pages by the search of the product", "pages", 3),
    "closed-book": Entry(_in("closed_book", ""), "the question alone, without the text", gists=False),
    "full": Entry(_in("full", "full"), "the whole text", gists=False),
    "first": Entry(_in("full", "first"), "the first words of the text", "words", 6000, gists=False),
    "last": Entry(_in("full", "last"), "the last words of the text", "words", 6000, gists=False),
    "summary": Entry(_in("summary", "summary"), "ReadAgent's summary, written over all gists", "words", 100),
    "lead": Entry(
        _in("summary", "lead"), "the first words of the text as they are, without a model", "words", 100, gists=False
    ),
    "memwalker": Entry(_in("memwalker", ""), "a tree of summaries, walked from the root", gists=False),
    "dos-rag": Entry(
        _in("dos_rag", "dos-rag"),
        "the nearest chunks, in the order of the text",
        "tokens",
        4000,
        embeds=True,
        gists=False,
    ),
    "bm25-chunks": Entry(
        _in("dos_rag", "bm25-chunks"), "as dos-rag, with chunks ranked by BM25", "tokens", 4000, gists=False
    ),
}


def method(name: str) -> Method:
    """Return the method with this name, such as ``readagent-p:1-6``, of an entry point, or ``FILE.py:CLASS``."""
    if is_file(name):
        path, _, rest = name.rpartition(".py:")
        attribute, _, number = rest.partition(":")
        return _new(own_method(f"{path}.py:{attribute}", number))
    kind, _, number = name.partition(":")
    if kind not in METHODS and kind in installed("method"):
        return _new(own_method(kind, number))
    return method_named(name, METHODS)


def _new(made: OwnMethod) -> OwnMethod:
    if made.name.partition(":")[0] in METHODS:
        raise UsageError(f"there is a method {made.name!r} already", hint='give yours another "name"')
    return made


def uses_gists(method: Titled) -> bool:
    """Return whether a method uses gists; one that is not in the list may."""
    entry = METHODS.get(method.name.partition(":")[0])
    return bool(getattr(method, "gists", True)) if entry is None else entry.gists
