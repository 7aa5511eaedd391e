"""Conversations with facts at known places, and a scripted model that knows only what it is shown."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from common import SEED, generated

from readagent.core.words import truncate
from readagent.testing.loopback.requests import ReceivedRequest, tokens
from readagent.testing.skim import gist, skim

WINDOW = 8192
REPLY = 1024  # tokens for the reply
SUMMARY_WORDS = 350
_COLOURS = "amber black copper green indigo mauve ochre red silver white".split()
_ANIMALS = "badger cormorant dormouse falcon heron lynx marten otter raven stoat".split()
_ASKED = re.compile(r"What is the code of the (\w+ \w+) locker\?")
_NOTED = re.compile(r"Please note: [^.]*\.")
_SYSTEM = "You help the keeper of a harbour. Be brief."
_OWN = ("Shorten the passage", "Below is your memory", "Below are excerpts")

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, and the turn, or the share of the text, at which it is told."""

    name: str
    code: int
    place: float

    @property
    def told(self) -> str:
        return f"Please note: the code of the {self.name} locker is {self.code}."

    @property
    def question(self) -> str:
        return f"What is the code of the {self.name} locker?"


def facts(count: int, last: float) -> list[Fact]:
    """Return facts that are told from the first place to before the last one, at equal distances."""
    dice = random.Random(SEED)
    names = [f"{colour} {animal}" for colour in _COLOURS for animal in _ANIMALS]
    dice.shuffle(names)
    return [Fact(names[at], dice.randint(1000, 9999), at * last / count) for at in range(count)]


def conversation(turns: int, planted: list[Fact], words: int = 150) -> list[Message]:
    """Return a conversation in which the user tells the facts at their turns; it ends with the assistant."""
    at = {int(fact.place): fact.told for fact in planted}
    messages: list[Message] = [{"role": "system", "content": _SYSTEM}]
    for turn in range(turns):
        said = generated(words, SEED + 2 * turn).replace("Chapter 1\n\n", "")
        reply = generated(words, SEED + 2 * turn + 1).replace("Chapter 1\n\n", "")
        messages.append({"role": "user", "content": f"{said} {at.get(turn, '')}".strip()})
        messages.append({"role": "assistant", "content": reply})
    return messages


def pasted(words: int, planted: list[Fact]) -> list[Message]:
    """Return a conversation that begins with a long text; the facts are at their shares of it."""
    paragraphs = generated(words).split("\n\n")
    for fact in sorted(planted, key=lambda one: -one.place):
        paragraphs.insert(1 + int(fact.place * (len(paragraphs) - 2)), fact.told)
    text = "\n\n".join(paragraphs)
    return [
        {"role": "system", "content": _SYSTEM},
        {
            "role": "user",
            "content": f"Read this log, and then answer my questions.\n\n{text}\n\nTell me when you have.",
        },
        {"role": "assistant", "content": "I have read it."},
    ]


def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
    """Answer as a model that knows only what it is shown; a summary has sentences from all parts of the text."""
    return _reply(prompt, constraint, "")


def attentive(prompt: str, constraint: dict[str, Any] | None) -> str:
    """Answer in the same way, but begin a summary with all that was said after "please note"."""
    return _reply(prompt, constraint, " ".join(dict.fromkeys(_NOTED.findall(prompt))))


def _reply(prompt: str, constraint: dict[str, Any] | None, noted: str) -> str:
    if prompt.startswith(_OWN):
        return skim(prompt, constraint)
    if not prompt.startswith(_SYSTEM):
        material = prompt.partition("\n\n")[2] or prompt
        return truncate(f"{noted} {gist(material, SUMMARY_WORDS / len(material.split()))}", SUMMARY_WORDS)
    asked = _ASKED.findall(prompt)
    found = re.search(rf"the code of the {asked[-1]} locker is (\d+)", prompt) if asked else None
    return f"It is {found[1]}." if found else "I cannot see that."


def is_answer(request: ReceivedRequest) -> bool:
    """Whether a request is for an answer, and not for a gist, a look-up or a summary."""
    return request.prompt.startswith(_SYSTEM)


def size(messages: list[Message]) -> int:
    """Return the tokens of messages as the model's server counts them."""
    return tokens("\n\n".join(str(one["content"]) for one in messages))
