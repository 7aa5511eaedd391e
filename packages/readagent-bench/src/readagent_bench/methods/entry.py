"""Entries of a list of methods, and how a name such as ``readagent-p:1-6`` becomes a method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from readagent.core.model import Embedder
from readagent.errors import UsageError
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
