"""The estimate of a summary, compared with what a model takes that writes as much as it is asked for."""

from __future__ import annotations

import asyncio
import re

import pytest

from readagent import Plan, ReadAgent, load
from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.estimates import estimated
from readagent.testing import ScriptedModel, skim
from sessions import EXAMPLES

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
