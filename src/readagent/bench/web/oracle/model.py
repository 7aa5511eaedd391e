"""Oracle: a model that replies to the prompts of web navigation with what the task needs, read off the prompt alone."""

from __future__ import annotations

import asyncio
import re

from readagent.bench.web.oracle.policies import decide
from readagent.bench.web.oracle.seen import Intent, Seen, plain, wanted
from readagent.core.model import Ask, Reply
from readagent.models.scripted import reply_to

_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w{2,}")
_PART = re.compile(r'^\{"index": (\d+), "content": (.*)\}$', re.MULTILINE)


class Oracle:
    """Solves tasks it has a policy for, by naming ids that it found in the prompt. It knows no other way to see."""

    name = "oracle"

    async def complete(self, ask: Ask) -> Reply:
        """The reply to a prompt."""
        await asyncio.sleep(0)
        return reply_to(ask, answer(ask.prompt))


def answer(prompt: str) -> str:
    """What is replied to a prompt: a gist, parts to open, an element, an operation, an option or a text."""
    asked = wanted(prompt)
    if asked == "gist":
        return _gist(prompt)
    seen = Seen.of(prompt)
    if asked == "parts":
        return _parts(prompt, seen.instruction)
    intent = decide(seen)
    if asked == "element":
        return f"Element: {intent.id}" if intent.id else "DONE"
    if asked == "operation":
        return f"Action: {intent.operation}"
    return f"Option: {_option(prompt, intent)}" if asked == "option" else intent.value


def _gist(prompt: str) -> str:
    """The first words of a part, without its tags."""
    part = prompt.partition("<part>")[2].rpartition("</part>")[0]
    most = int(re.findall(r"at most (\d+) words", prompt)[-1])
    return " ".join(_TAG.sub(" ", part).split()[:most])


def _parts(prompt: str, instruction: str) -> str:
    """The parts that share most words with the instruction, up to as many as may be opened."""
    most = int(re.findall(r"at most (\d+) of the parts", prompt)[-1])
    asked = set(_WORD.findall(instruction.lower()))
    parts = [(int(index), set(_WORD.findall(content.lower()))) for index, content in _PART.findall(prompt)]
    shared = sorted(((len(asked & words), -index) for index, words in parts), reverse=True)
    best = sorted(-index for _, index in shared[:most])
    return f"I want to look up Part [{', '.join(map(str, best))}] to go on."


def _option(prompt: str, intent: Intent) -> str:
    options = re.findall(r"^(\d+)\. (.*)$", prompt.rpartition("Its options are:")[2], re.MULTILINE)
    numbers: list[str] = [number for number, option in options if plain(option) == plain(intent.value)]
    return numbers[0]
