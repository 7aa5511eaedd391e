"""Methods of the user, from a file or an installed package."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from readagent.errors import ReadAgentError, UsageError
from readagent_bench.example import Asked, Outcome
from readagent_bench.plugins import called, failed, fingerprint, load, place_of
from readagent_bench.reading import ReadingContext


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
