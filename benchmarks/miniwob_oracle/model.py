"""Oracle: a model that replies to the prompts of web navigation with what the task needs."""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from readagent.core.model import Ask, Reply
from readagent.testing.scripted import reply_to

from .policies import decide
from .seen import DONE, Intent, Seen, wanted

_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w{2,}")
_PART = re.compile(r'^\{"index": (\d+), "content": (.*)\}$', re.MULTILINE)


class Oracle:
    """Solves tasks that it has a policy for, by naming ids found in the prompt."""

    name = "oracle"

    async def complete(self, ask: Ask) -> Reply:
        """Reply to a prompt."""
        await asyncio.sleep(0)
        return reply_to(ask, answer(ask.prompt))


def answer(prompt: str) -> str:
    """Return the reply to a prompt: a gist, parts to open, or an action."""
    asked = wanted(prompt)
    if asked == "gist":
        return _gist(prompt)
    seen = Seen.of(prompt)
    if asked == "parts":
        return _parts(prompt, seen.instruction)
    return f"Action: {_command(decide(seen))}"


def _command(intent: Intent) -> str:
    if intent == DONE:
        return "done"
    return " ".join(filter(None, (intent.operation, intent.id and f"[{intent.id}]", intent.value)))


def _gist(prompt: str) -> str:
    """Return the first words of a part, without tags."""
    part = prompt.partition("<part>")[2].rpartition("</part>")[0]
    most = int(re.findall(r"at most (\d+) words", prompt)[-1])
    return f"Gist: {' '.join(_TAG.sub(' ', part).split()[:most])}"


def _parts(prompt: str, instruction: str) -> str:
    """Choose the part that shares the rarest words with the instruction, the one after it, and the next best."""
    most = int(re.findall(r"at most (\d+) of the parts", prompt)[-1])
    parts = {int(index): set(_WORD.findall(content.lower())) for index, content in _PART.findall(prompt)}
    having = Counter(word for words in parts.values() for word in words)
    asked = set(_WORD.findall(instruction.lower()))
    ranked = sorted(parts, key=lambda index: (-sum(1 / having[word] for word in asked & parts[index]), index))
    opened = dict.fromkeys((ranked[0], *([ranked[0] + 1] if ranked[0] + 1 in parts else []), *ranked))
    return f"Parts: {', '.join(map(str, [*opened][:most]))}"
