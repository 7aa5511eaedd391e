"""Entries of a list of methods: how a name becomes a method, and methods of the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Generic, TypeVar

from readagent.core.model import Embedder
from readagent.errors import ReadAgentError, UsageError
from readagent_bench.example import Asked, Outcome
from readagent_bench.plugins import called, failed, fingerprint, load, place_of
from readagent_bench.reading import ReadingContext
from readagent_bench.task import Titled

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


def method_named(name: str, entries: Mapping[str, Entry[MethodT]]) -> MethodT:
    """Return the method with this name. What counts something "at most" may be a range from 1, as in ``1-6``."""
    kind, _, number = name.partition(":")
    entry = entries.get(kind)
    if entry is None:
        raise UsageError(f"unknown method {kind!r}", hint=f"methods: {', '.join(entries)}")
    ranged = "at most" in entry.number
    last = number.removeprefix("1-") if ranged else number
    if (":" in name) and not (entry.number and last.isdecimal() and int(last) > 0):
        example = f"{kind}:{entry.default}" + (f" or {kind}:1-{entry.default}" if ranged else "")
        hint = f"for example {example}" if entry.number else f"{kind} takes no number"
        raise UsageError(f"invalid method {name!r}", hint=hint)
    return entry.make(int(last or entry.default))


def require_embedder(methods: Iterable[Titled], entries: Mapping[str, Entry[Any]], embedder: Embedder | None) -> None:
    """Raise UsageError if one of the methods needs an embedder and there is none."""

    def embeds(method: Titled) -> bool:
        entry = entries.get(method.name.partition(":")[0])
        return bool(getattr(method, "embeds", False)) if entry is None else entry.embeds

    needing = next((method.name for method in methods if embeds(method)), "")
    if needing and embedder is None:
        raise UsageError(
            f"{needing} needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
        )


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
        try:
            answering = self.method.answer(asked, context)
            outcome = await answering if isawaitable(answering) else None
        except ReadAgentError:
            raise
        except Exception as error:
            raise failed(error, f"the method {self.name} failed", self.method) from error
        if not isawaitable(answering):
            raise UsageError(
                f"the method {self.name} cannot be awaited{place_of(self.method)}",
                hint="write `async def answer(self, asked, context)`",
            )
        if not isinstance(outcome, Outcome):
            raise UsageError(f"the method {self.name} returned {type(outcome).__name__}, not an Outcome")
        return outcome


def own_method(name: str, number: str = "") -> OwnMethod:
    """Return a method of the user: ``mine.py:Middle`` or the name of an entry point, made with a number if given."""
    what = f"the method {name}"
    made = load(name, "method")
    if number and not (number.isdigit() and int(number) > 0):
        raise UsageError(f"invalid method {f'{name}:{number}'!r}", hint=f"for example {name}:3")
    if number and not callable(made):
        raise UsageError(f"{what} takes no number", hint="a class takes the number as its argument")
    if isinstance(made, type) or (callable(made) and not hasattr(made, "answer")):
        made = called(lambda: made(int(number)) if number else made(), f"cannot make {what}", made)
    for attribute in ("name", "title"):
        value = getattr(made, attribute, None)
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{what} has no {attribute}", hint=f'give it an attribute "{attribute}", a string')
    if not callable(getattr(made, "answer", None)):
        raise UsageError(f"{what} cannot answer", hint="give it a method `async def answer(self, asked, context)`")
    needs = {each: bool(getattr(made, each, usual)) for each, usual in (("embeds", False), ("gists", True))}
    return OwnMethod(made, made.name, made.title, fingerprint(name, "method"), **needs)
