"""The methods that answer questions about documents, by name, as on the command line: ``bm25:3``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import isawaitable
from typing import Any, Generic, TypeVar

from readagent.core.model import Embedder
from readagent.errors import ReadAgentError, UsageError
from readagent_bench.plugins import called, failed, fingerprint, is_file, load
from readagent_bench.reading import ReadingContext
from readagent_bench.records import Asked, Outcome
from readagent_bench.study import Method as AnyMethod
from readagent_bench.study import Titled

Method = AnyMethod[Asked, ReadingContext, Outcome]
MethodT = TypeVar("MethodT", covariant=True)


@dataclass(frozen=True, slots=True)
class Entry(Generic[MethodT]):
    """A kind of method. ``make`` takes the number after the colon, or ``default``."""

    make: Callable[[int], MethodT]
    help: str
    number: str = ""  # what the number counts; empty if the method takes none
    default: int = 0
    embeds: bool = False  # whether it needs an embedder
    gists: bool = True  # whether it uses the gists of a document


def _entries() -> Mapping[str, Entry[Method]]:
    found: dict[str, Entry[Method]] = {}

    def add(module: str, kind: str, text: str, number: str = "", default: int = 0, **needs: bool) -> None:
        def make(count: int) -> Method:  # its module, and what that needs, is imported only then
            made: Method = import_module(f"readagent_bench.methods.{module}").make(kind, count)
            return made

        found[kind] = Entry(make, text, number, default, **needs)

    at_most = "pages at most, 1 or 1-6"
    add("readagent", "readagent-p", "ReadAgent, chooses all pages at once", at_most, 6)
    add("readagent", "readagent-s", "ReadAgent, chooses one page after another", at_most, 6)
    add("readagent", "readagent-direct", "ReadAgent, answers from gists and snippets or asks for pages", at_most, 6)
    add("readagent", "uniform-p", "ReadAgent-P on pages of equal length", at_most, 6)
    add("readagent", "conditional-p", "ReadAgent-P, gists written for the question", at_most, 6)
    add("retrieval", "gistmem", "the gists alone")
    add("retrieval", "gistmem+neural", "the gists, and the nearest pages in full", "pages", 1, embeds=True)
    add("retrieval", "bm25", "the best pages by BM25", "pages", 3, gists=False)
    add("retrieval", "neural", "the nearest pages by vectors of pages", "pages", 3, embeds=True, gists=False)
    add("retrieval", "neural-gist", "the nearest pages by vectors of gists", "pages", 3, embeds=True)
    add("text", "closed-book", "the question alone, without the text", gists=False)
    add("text", "full", "the whole text", gists=False)
    add("text", "first", "the first words of the text", "words", 6000, gists=False)
    add("text", "last", "the last words of the text", "words", 6000, gists=False)
    add("memwalker", "memwalker", "a tree of summaries, walked from the root", gists=False)
    add("dos_rag", "dos-rag", "the nearest chunks, in the order of the text", "tokens", 4000, embeds=True, gists=False)
    add("dos_rag", "bm25-chunks", "as dos-rag, with chunks ranked by BM25", "tokens", 4000, gists=False)
    return found


METHODS = _entries()


def method(name: str) -> Method:
    """Return the method with this name, such as ``readagent-p:1-6``, or one of the user: ``FILE.py:CLASS``."""
    return _own_method(name) if is_file(name) else method_named(name, METHODS)


def method_named(name: str, entries: Mapping[str, Entry[MethodT]]) -> MethodT:
    """Return the method with this name. What counts something "at most" may be a range from 1, as in ``1-6``."""
    kind, colon, number = name.partition(":")
    entry = entries.get(kind)
    if entry is None:
        raise UsageError(f"unknown method {kind!r}", hint=f"methods: {', '.join(entries)}")
    last = number.removeprefix("1-") if "at most" in entry.number else number
    if colon and not (entry.number and last.isdecimal() and int(last) > 0):
        hint = f"for example {kind}:{entry.default}" if entry.number else f"{kind} takes no number"
        raise UsageError(f"invalid method {name!r}", hint=hint)
    return entry.make(int(last or entry.default))


def uses_gists(method: Titled) -> bool:
    """Return whether a method uses gists."""
    return _needs(method, METHODS, "gists", usual=True)


def require_embedder(methods: Iterable[Titled], entries: Mapping[str, Entry[Any]], embedder: Embedder | None) -> None:
    """Raise UsageError if one of the methods needs an embedder and there is none."""
    needing = next((one.name for one in methods if _needs(one, entries, "embeds", usual=False)), "")
    if needing and embedder is None:
        raise UsageError(
            f"{needing} needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
        )


def _needs(method: Titled, entries: Mapping[str, Entry[Any]], what: str, *, usual: bool) -> bool:
    """Return what the list says of a method, or what the class of the user says."""
    return bool(getattr(entries.get(method.name.partition(":")[0], method), what, usual))


@dataclass(frozen=True, slots=True)
class OwnMethod:
    """A method of the user. What goes wrong in its code becomes the error of one prediction.

    ``embeds`` and ``gists`` are whether it needs an embedder, and whether it uses gists.
    """

    method: Any
    name: str
    title: str
    source: str
    embeds: bool = False
    gists: bool = True

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        what = f"the method {self.name}"
        try:
            outcome = self.method.answer(asked, context)
            outcome = await outcome if isawaitable(outcome) else outcome
        except ReadAgentError:
            raise
        except Exception as error:
            raise failed(error, f"{what} failed") from error
        if not isinstance(outcome, Outcome):
            raise UsageError(f"{what} returned {type(outcome).__name__}, not an Outcome")
        return outcome


def _own_method(name: str) -> OwnMethod:
    """Return a method of the user, ``mine.py:Middle`` or ``mine.py:Middle:200``."""
    path, _, rest = name.rpartition(".py:")
    attribute, _, number = rest.partition(":")
    file, what = f"{path}.py:{attribute}", f"the method {name}"
    made = load(file, "method")
    if number and not (number.isdigit() and int(number) > 0 and callable(made)):
        raise UsageError(f"invalid method {name!r}", hint=f"for example {file}:3, if that is a class with an argument")
    if callable(made) and (isinstance(made, type) or not hasattr(made, "answer")):
        made = called(lambda: made(int(number)) if number else made(), f"cannot make {what}")
    for attribute in ("name", "title"):
        value = getattr(made, attribute, None)
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{what} has no {attribute}", hint=f'give it an attribute "{attribute}", a string')
    if not callable(getattr(made, "answer", None)):
        raise UsageError(f"{what} cannot answer", hint="give it a method `async def answer(self, asked, context)`")
    if made.name.partition(":")[0] in METHODS:
        raise UsageError(f"there is a method {made.name!r} already", hint='give yours another "name"')
    needs = {"embeds": bool(getattr(made, "embeds", False)), "gists": bool(getattr(made, "gists", True))}
    return OwnMethod(made, made.name, made.title, fingerprint(file), **needs)
