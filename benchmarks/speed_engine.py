"""The embedded engine: is a shared prefix of prompts processed once, and are two slots used?"""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter
from typing import Any

from common import STORY, Rows, Value

from readagent.core.words import sentences, truncate
from readagent.embedded.engine import Engine

_QUESTIONS = ("Who is Mira?", "What did the dial read?", "Where does the bus go?", "Why was the weight put back?")
_WORDS = 500  # of the memory shared by the questions
_REPLY = 16  # tokens; the prompts are what is measured


def engine_side_by_side(weights: Path) -> tuple[dict[str, Rows | str], dict[str, Value]]:
    """Measure questions with the memory first and with the question first, and gists with one and two slots."""
    memory = truncate(STORY.read_text("utf-8"), _WORDS)
    pieces = sentences(STORY.read_text("utf-8"))
    gists = [f"Shorten this: {' '.join(pieces[at : at + 12])}" for at in range(0, 96, 12)]
    runs = {
        "4 questions, the memory first": ([f"{memory}\n\n{one}" for one in _QUESTIONS], 1),
        "4 questions, the question first": ([f"{one}\n\n{memory}" for one in _QUESTIONS], 1),
        "8 gists, 1 slot": (gists, 1),
        "8 gists, 2 slots": (gists, 2),
    }
    model = weights / "smollm2" / "model.gguf"
    rows = [{"what": what, **asyncio.run(_timed(model, *run))} for what, run in runs.items()]
    shared, apart, one, two = ({name: float(row[name]) for name in row if name != "what"} for row in rows)
    figures: dict[str, Value] = {
        "engine_cached_share": shared["tokens cached"] / shared["prompt tokens"],
        "engine_memory_first_to_question_first": shared["seconds"] / apart["seconds"],
        "engine_two_slots_to_one": two["seconds"] / one["seconds"],
    }
    return {"The embedded engine (SmolLM2), cached tokens as it states them": rows}, figures


async def _timed(model: Path, prompts: list[str], slots: int) -> dict[str, Value]:
    """Time the prompts, as many at once as there are slots; the model is loaded before the clock starts."""
    async with Engine(model, window=2048, parallel=slots) as engine:
        free = asyncio.Semaphore(slots)

        async def ask(prompt: str) -> dict[str, Any]:
            body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": _REPLY, "temperature": 0}
            async with free:
                reply: dict[str, Any] = await engine.post("/chat/completions", body)
            return dict(reply["usage"])

        await ask("Say yes.")
        began = perf_counter()
        usages = await asyncio.gather(*map(ask, prompts))
        seconds = perf_counter() - began
    return {
        "calls": len(usages),
        "prompt tokens": sum(usage["prompt_tokens"] for usage in usages),
        "tokens cached": sum(usage.get("prompt_tokens_details", {}).get("cached_tokens", 0) for usage in usages),
        "reply tokens": sum(usage["completion_tokens"] for usage in usages),
        "seconds": seconds,
    }
