"""Conversations that do not fit a window of 8,192 tokens, with facts at known places; and scripted models for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from common import book

from readagent.core.words import count_words, lead, sentences
from readagent.testing.loopback.requests import tokens
from readagent.testing.skim import skim

WINDOW = 8192
REPLY = 1024  # tokens for the reply
KINDS = ("same words", "paraphrase", "no word shared")
_SYSTEM = "You help the keeper of a harbour. Be brief."
_OWN = ("Shorten the passage", "Below is ", "Below are excerpts")
_BLOCK = re.compile(r"^<(Page|Part) (\d+)(?:, pages \d+ to \d+)?>$", re.M)
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, and a question about it of each kind."""

    told: str
    questions: tuple[str, str, str]


_FACTS = (
    ("The ferry to Skarholm leaves at ten past six.", "When does the ferry to Skarholm leave?",
     "At what hour does one board the ferry to the island?", "Which boat should early risers catch?"),
    ("Old Mertens keeps his savings in a biscuit tin.", "What does old Mertens keep in a biscuit tin?",
     "In which tin is the old man's money?", "Where has the retired lamplighter hidden cash?"),
    ("Doctor Abels is allergic to peanuts.", "What is doctor Abels allergic to?",
     "Which food must the doctor never eat?", "What snack could kill our physician?"),
    ("The red bicycle was bought for ninety crowns.", "For how many crowns was the red bicycle bought?",
     "What did someone pay for the red bike?", "How expensive was that two-wheeler?"),
    ("Katrin plays the viola on Thursdays.", "What does Katrin play on Thursdays?",
     "Which instrument can be heard on Thursdays?", "Who makes music, midweek?"),
    ("The mayor proposed to build a windmill on Gull Hill.", "Where did the mayor propose to build a windmill?",
     "On which hill shall the mill stand?", "What plan for renewable power came up?"),
    ("Jonas broke his left wrist when he fell from the loft.", "What did Jonas break when he fell from the loft?",
     "Which wrist did the boy injure?", "Whose accident needed plaster?"),
    ("The invoice from Halberg has number 40771.", "What number has the invoice from Halberg?",
     "Under which number was the bill from that firm filed?", "What reference must we quote to pay?"),
    ("Grandmother's recipe needs three spoons of molasses.", "How many spoons of molasses does the recipe need?",
     "How much syrup goes into the recipe?", "What sweetens granny's cake?"),
    ("The password for the boathouse is heliotrope.", "What is the password for the boathouse?",
     "Which word opens the boathouse?", "How do I unlock the shed beside our jetty?"),
    ("Inspector Wall suspects the chimney sweep.", "Whom does inspector Wall suspect?",
     "Which tradesman does the inspector believe to be guilty?", "Who may have done it, say police?"),
    ("The wedding was moved to the second of April.", "To which day was the wedding moved?",
     "On what date will the wedding take place?", "When do they marry?"),
    ("Lena's parrot can whistle the national anthem.", "What can Lena's parrot whistle?",
     "Which tune does the parrot know?", "What has her pet bird learnt?"),
    ("The north wall of the chapel is damp.", "Which wall of the chapel is damp?",
     "On what side of the chapel is there moisture?", "Where does our church let water in?"),
    ("Tomas sold his shares to a bank in Utrecht.", "To whom did Tomas sell his shares?",
     "Who owns the shares now?", "Which buyer took over the stake?"),
)  # fmt: skip
FACTS = tuple(Fact(told, (same, other, none)) for told, same, other, none in _FACTS)


class Talks:
    """Conversations made of two books, or of generated prose where there are no books."""

    def __init__(self, data: Any, words: int) -> None:
        self.words = words
        text, _ = book("don-quixote", words, data, otherwise=words)
        self.paragraphs = [one for one in text.split("\n\n") if one.strip()]
        talk, self.source = book("war-and-peace", words, data, otherwise=words)
        self._said = iter([one for one in talk.split("\n\n") if count_words(one) > 8] * 40)

    def _some(self, words: int, fact: str = "") -> str:
        """Return a text of about so many words, with a fact in its middle."""
        taken, left = list[str](), words
        while left > 0:
            piece = lead(next(self._said), max(8, left))
            taken.append(piece)
            left -= count_words(piece)
        return "\n\n".join([*taken[: len(taken) // 2], *([fact] if fact else []), *taken[len(taken) // 2 :]])

    def _facts(self, count: int) -> dict[int, str]:
        return {(2 * at + 1) * count // (2 * len(FACTS)): fact.told for at, fact in enumerate(FACTS)}

    def chat(self, turns: int, words: int, *, facts: bool = True) -> list[Message]:
        """Return turns in which both say something, with facts."""
        told, messages = self._facts(turns) if facts else {}, list[Message]()
        for turn in range(turns):
            messages.append({"role": "user", "content": self._some(words, told.get(turn, ""))})
            messages.append({"role": "assistant", "content": self._some(words)})
        return messages

    def tools(self, calls: int, words: int, *, facts: bool = True) -> list[Message]:
        """Return calls of a tool with their results, with facts."""
        told, messages = self._facts(calls) if facts else {}, list[Message]()
        for call in range(calls):
            function = {"name": "read_log", "arguments": f'{{"day": {call}}}'}
            asked = {"id": f"call_{call}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [asked]})
            result = self._some(words, told.get(call, ""))
            messages.append({"role": "tool", "tool_call_id": f"call_{call}", "content": result})
        return [{"role": "user", "content": "Look through the log."}, *messages, _done("I have looked through it.")]

    def book(self, words: int, *, facts: bool = True) -> str:
        """Return a long text with facts as paragraphs of their own."""
        share = max(1, len(self.paragraphs) * words // self.words)
        paragraphs = self.paragraphs[:share]
        for place, told in sorted(self._facts(len(paragraphs)).items(), reverse=True) if facts else ():
            paragraphs.insert(place, told)
        return "\n\n".join(paragraphs)

    def cases(self, turns: int, calls: int) -> dict[str, list[Message]]:
        """Return the conversations by name."""
        start = [{"role": "system", "content": _SYSTEM}]
        rules = f"{_SYSTEM}\n\n{self.book(self.words // 5)}"
        read = {"role": "user", "content": f"Read this.\n\n{self.book(self.words)}"}
        plain = {"role": "user", "content": f"Read this.\n\n{self.book(self.words, facts=False)}"}
        return {
            f"a book of {self.words:,} words": [*start, read, _done("I have read it.")],
            f"{turns} turns": [*start, *self.chat(turns, 150)],
            f"{calls} results of tools": [*start, *self.tools(calls, 400)],
            "all of these, facts in the turns": [
                {"role": "system", "content": f"{_SYSTEM}\n\n{self.book(self.words // 5, facts=False)}"},
                plain, _done("I have read it."), *self.tools(calls, 400, facts=False), *self.chat(turns, 150),
            ],
            f"a system prompt of {self.words // 5:,} words": [{"role": "system", "content": rules}],
        }  # fmt: skip


def _done(text: str) -> Message:
    return {"role": "assistant", "content": text}


def ideal(prompt: str, constraint: dict[str, Any] | None) -> str:
    """Answer as a reader whose gists have every fact, and who opens what shows the fact that is asked about."""
    if not prompt.startswith(_OWN):
        return "Noted."
    if prompt.startswith("Shorten"):
        return _gist(prompt, facts=True)
    return _choice(prompt) or "Pages: none"


def first_words(prompt: str, constraint: dict[str, Any] | None) -> str:
    """Answer as a reader whose gists are the first words of a text, and who opens what shares words with a question."""
    if not prompt.startswith(_OWN):
        return "Noted."
    if prompt.startswith("Shorten"):
        return _gist(prompt, facts=False)
    return _choice(prompt) or skim(prompt)


def _gist(prompt: str, *, facts: bool) -> str:
    """Return the first sentences of the passage, after them those with facts, as far as the limit allows."""
    passage = prompt.split("<passage>\n")[1].split("\n</passage>")[0]
    limit = int((re.search(r"at most (\d+) words", prompt) or [0, 60])[1])
    told = [fact.told for fact in FACTS if facts and fact.told in passage]
    taken, left = list[str](), limit - sum(map(count_words, told))
    for sentence in sentences(passage):
        left -= count_words(sentence)
        if left < 0:
            break
        if sentence not in told:
            taken.append(sentence)
    return f"Gist: {' '.join([*taken, *told]) or lead(passage, limit)}"


def blocks(prompt: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a look-up shows: page or part, its number, and its text."""
    parts = _BLOCK.split(prompt.split("<memory>\n")[1].split("\n</memory>")[0])
    return zip(parts[1::3], parts[2::3], parts[3::3], strict=True)


def _choice(prompt: str) -> str:
    asked = fact_in(prompt.split("<question>\n")[1])
    kinds = ("Page", "Part")
    shown = {kind: [number for one, number, text in blocks(prompt) if one == kind and asked and asked.told in text]
             for kind in kinds}  # fmt: skip
    return next((f"{kind}s: {', '.join(shown[kind][:3])}" for kind in kinds if shown[kind]), "")


def fact_in(question: str) -> Fact | None:
    """Return the fact that is asked about."""
    return next((fact for fact in FACTS for one in fact.questions if one in question), None)


def size(messages: list[Message]) -> int:
    """Return the tokens of messages as the model's server counts them."""
    return tokens("\n\n".join(str(one["content"]) for one in messages))
