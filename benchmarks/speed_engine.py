"""The embedded engine: whether the beginning that prompts share is read once, and whether two slots are used."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter

from common import STORY, Rows, Value

from readagent.core.model import Ask, Reply
from readagent.core.words import sentences, truncate
from readagent.embedded.engine import Engine
from readagent.models.endpoint import Endpoint

_QUESTIONS = ("Who is Mira?", "What did the dial read?", "Where does the bus go?", "Why was the weight put back?")
_WORDS = 500  # of the memory that the questions share


def engine_side_by_side(weights: Path) -> tuple[dict[str, Rows | str], dict[str, Value]]:
    """Questions on one memory, with the memory first and with the question first; and gists with one and two slots."""
    model = weights / "smollm2" / "model.gguf"
    shared = asyncio.run(_questions(model, memory_first=True))
    apart = asyncio.run(_questions(model, memory_first=False))
    one, two = asyncio.run(_gists(model, 1)), asyncio.run(_gists(model, 2))
    rows = [
        {"what": "4 questions, the memory first", **shared},
        {"what": "4 questions, the question first", **apart},
        {"what": "8 gists, 1 slot", **one},
        {"what": "8 gists, 2 slots", **two},
    ]
    figures: dict[str, Value] = {
        "engine_cached_share": float(shared["tokens cached"]) / float(shared["prompt tokens"]),
        "engine_memory_first_to_question_first": float(shared["seconds"]) / float(apart["seconds"]),
        "engine_two_slots_to_one": float(two["seconds"]) / float(one["seconds"]),
    }
    return {"The embedded engine (SmolLM2), cached tokens as it states them": rows}, figures


async def _questions(model: Path, *, memory_first: bool) -> dict[str, Value]:
    memory = truncate(STORY.read_text("utf-8"), _WORDS)
    prompts = [f"{memory}\n\n{one}" if memory_first else f"{one}\n\n{memory}" for one in _QUESTIONS]
    async with Engine(model, window=2048, parallel=1) as engine:
        endpoint = await engine.endpoint()
        return _told(*await _timed(endpoint, prompts))


async def _gists(model: Path, slots: int) -> dict[str, Value]:
    pieces = sentences(STORY.read_text("utf-8"))
    prompts = [f"Shorten this: {' '.join(pieces[at : at + 12])}" for at in range(0, 96, 12)]
    async with Engine(model, window=2048, parallel=slots) as engine:
        endpoint = await engine.endpoint()
        return _told(*await _timed(endpoint, prompts, at_once=slots))


async def _timed(endpoint: Endpoint, prompts: list[str], at_once: int = 1) -> tuple[list[Reply], float]:
    """The replies, so many at a time, and the seconds; the model is loaded before the clock starts."""
    capped = Endpoint(endpoint._line.base_url, endpoint.model, key=endpoint._key, max_reply_tokens=16, timeout=3600)
    await capped.complete(Ask("gist", "Say yes."))
    free, began = asyncio.Semaphore(at_once), perf_counter()

    async def one(prompt: str) -> Reply:
        async with free:
            return await capped.complete(Ask("gist", prompt))

    replies = await asyncio.gather(*map(one, prompts))
    seconds = perf_counter() - began
    await capped.aclose()
    await endpoint.aclose()
    return replies, seconds


def _told(replies: list[Reply], seconds: float) -> dict[str, Value]:
    return {
        "calls": len(replies),
        "prompt tokens": sum(reply.usage.prompt_tokens for reply in replies),
        "tokens cached": sum(reply.usage.cached_tokens for reply in replies),
        "reply tokens": sum(reply.usage.reply_tokens for reply in replies),
        "seconds": seconds,
    }
