"""Estimates equal the reading and the summary that they are made for."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest

from readagent import AsyncReadAgent, Document, Plan, ReadAgent, load
from readagent.core.model import Ask
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.estimates import estimated
from readagent.testing import ScriptedModel, skim
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

FAST = replace(preset("articles"), mode="fast")
LONG = Document.from_text("\n\n".join([(EXAMPLES / "story.txt").read_text("utf-8")] * 2))


@pytest.mark.anyio
@pytest.mark.slow
async def test_the_estimate_equals_the_reading() -> None:
    guess = await estimated(LONG, FAST, Prompts.load(), Window())
    async with LoopbackServer() as server, AsyncReadAgent("skimmer", base_url=server.base_url, plan=FAST) as agent:
        memory = await agent.read(LONG)
    assert guess.reading.calls == len(memory.trace.calls)
    assert guess.reading.words == memory.trace.words_read


WORDY = "{} is told here with reasons, and whoever was there had an opinion on how it came about and on what it meant [Page {}]."


def _wordy(ask: Ask) -> str:
    """Write sentences of 22 words of one's own about evenly chosen pages, as many as asked for, and doubt none."""
    if ask.step == "check":
        return "\n".join(f"{at}: yes" for at in range(1, len(ask.material.statements) + 1))
    if ask.step != "write":
        return skim(ask.prompt)
    pages, count = ask.material.opened, max(1, ask.material.words // 22)
    names = re.findall(r"\b[A-Z][a-z]{3,}\b", ask.prompt) or ["Something"]
    return " ".join(WORDY.format(names[at % len(names)], pages[at * len(pages) // count]) for at in range(count))


@pytest.mark.slow
def test_a_long_summary_takes_about_what_was_estimated() -> None:
    words = 300
    document, plan = load(EXAMPLES / "story.txt"), Plan()
    told = asyncio.run(estimated(document, plan, Prompts.load(), Window(8192), summary=words)).summary
    assert told is not None
    model = ScriptedModel(_wordy)
    with ReadAgent(model, window=8192, plan=plan) as agent:
        summary = agent.summary(agent.read(document), words=words)
    written = estimate_tokens(" ".join(point.text for point in (*summary.points, *summary.dropped)))
    assert written > words
    assert len(summary.trace.calls) <= told.calls <= 1.5 * len(summary.trace.calls) + 1
    assert written <= told.reply_tokens <= 2.5 * written
