"""Sessions and texts that many tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan, preset
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.testing.scripted import ScriptedModel, Skimmer

T = TypeVar("T")

EXAMPLES = Path(__file__).parent.parent / "examples"
SMALL = Plan(page_words=60, min_page_words=20)
TWO_STEPS = replace(preset("auto"), mode="paper")  # the default plan with a call for each pause and gist


class Counting(Skimmer):
    """A skimmer that records what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asks: list[Ask] = []

    async def complete(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        return await super().complete(ask)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


async def read_and_fit(document: Document, session: Session) -> GistMemory:
    """Return the memory of a document, with an index over it if it is too long for one prompt."""
    return await fit(await read(document, session), session)


def sensible(ask: Ask) -> str:
    """Reply like a well-behaved model: pause late, shorten to the limit, open the first pages."""
    match ask.step:
        case "paginate":
            assert ask.choice is not None
            return f"Break point: <{ask.choice.values[len(ask.choice.values) * 3 // 4]}>\nBecause the scene ends."
        case "gist" | "merge":
            return f"Gist: {' '.join(ask.material.passages[0].split()[: ask.material.words])}"
        case "look_up":
            assert ask.choice is not None
            pages = "1" if ask.choice.most == 1 else "1, 0"
            return "STOP" if "STOP" in ask.choice.values else f"{ask.choice.label}: {pages}"
        case "check":
            return supported(ask)
        case "direct" if not ask.material.opened:
            return "Pages: 1, 0"
        case _:
            decided = "choice" if ask.choice and ask.choice.texts else "claim" if ask.choice else "free"
            kind = ask.material.question.kind if ask.material.question else decided
            return {"choice": "Answer: (B)", "claim": "Answer: true", "free": "Because."}[kind]


def supported(ask: Ask) -> str:
    """Reply to a check that every statement is supported."""
    return "\n".join(f"{number}: yes" for number in range(1, len(ask.material.statements) + 1))


def make_session(
    model: Callable[[Ask], str | Reply | Exception] | list[str | Reply | Exception] = sensible,
    plan: Plan = SMALL,
    window: int | None = None,
) -> Session:
    return Session(ScriptedModel(model), Prompts.load(), plan, Window(window))


def pausing(*replies: str) -> Callable[[Ask], str]:
    """Return a model that gives these replies to paginate, one after another, and sensible ones to all others."""
    left = list(replies)

    def reply(ask: Ask) -> str:
        return left.pop(0) if ask.step == "paginate" else sensible(ask)

    return reply


def prose(paragraphs: int, words: int = 15) -> Document:
    """Return paragraphs of numbered words, one sentence each, separated by blank lines."""
    lines = [" ".join(f"w{i * words + j}" for j in range(words)).capitalize() + "." for i in range(paragraphs)]
    return Document.from_text("\n\n".join(lines))
