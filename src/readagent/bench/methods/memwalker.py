"""MemWalker: a tree of summaries over segments of the text, walked from the root towards the answer, and back again.

Segments have about 750 words (1,000 tokens) in whole sentences; a summary stands for up to 8 nodes below it. At each
node the model names a part to go into, or goes back; at a segment it answers or goes back. A decision that cannot be
read is asked for three times in all; then the search has failed, and so it has when there is nowhere left to go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readagent.bench.desk import Desk, excerpt
from readagent.bench.example import Outcome
from readagent.bench.templates import templates
from readagent.core.choice import Choice
from readagent.core.document import Document
from readagent.core.model import Ask, Material
from readagent.core.question import Question
from readagent.core.reader import Reader
from readagent.core.together import together
from readagent.core.trace import Fallback, Trace
from readagent.core.words import count_words, truncate
from readagent.retrieval.passages import passages

SEGMENT_WORDS = 750
FAN_OUT = 8
SUMMARY_WORDS = 120
TRIES = 3
MOST_STEPS = 24


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the text: its summary, and what it is made of; a leaf is made of its own text."""

    summary: str
    text: str = ""
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A document's tree, and what it took to grow it."""

    root: Node
    trace: Trace


@dataclass(slots=True)
class MemWalkerMethod:
    """One tree for each document of a run."""

    name: str = "memwalker"
    title: str = "MemWalker"
    _trees: dict[str, asyncio.Task[Tree]] = field(default_factory=dict)

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        tree = await self._tree(document, desk)
        reader = await desk.reader()
        walk = Walk(question, reader)
        leaf = await walk.find(tree.root)
        if leaf is None:
            return Outcome("", None, None, 0, reader.trace, tree.trace, notes=("search failed",))
        shown = excerpt(document, [*(f"{summary}\n\n" for summary in walk.seen), leaf.text])
        outcome = await desk.answer(shown, range(len(shown.pages)), question)
        outcome.trace.calls[:0] = reader.trace.calls
        outcome.trace.fallbacks[:0] = reader.trace.fallbacks
        return replace(outcome, pages=None, reading=tree.trace)

    async def _tree(self, document: Document, desk: Desk) -> Tree:
        if document.id not in self._trees:
            self._trees[document.id] = asyncio.create_task(_grow(document, desk))
        return await asyncio.shield(self._trees[document.id])


async def _grow(document: Document, desk: Desk) -> Tree:
    reader = await desk.reader()
    segments = passages(document.text, SEGMENT_WORDS)
    summaries = await together(_summary(reader, segment) for segment in segments)
    nodes = [Node(summary, segment) for summary, segment in zip(summaries, segments, strict=True)]
    while len(nodes) > 1:
        groups = [tuple(nodes[i : i + FAN_OUT]) for i in range(0, len(nodes), FAN_OUT)]
        summaries = await together(_summary(reader, "\n\n".join(node.summary for node in group)) for group in groups)
        nodes = [Node(summary, children=group) for summary, group in zip(summaries, groups, strict=True)]
    return Tree(nodes[0], reader.trace)


async def _summary(reader: Reader, text: str) -> str:
    """A summary; the opening of the text where the model gives none, which is recorded."""
    words = min(SUMMARY_WORDS, max(20, count_words(text) // 2))
    prompt = templates().fill("summarise", text=text, words=words)
    reply = await reader.ask(Ask("gist", prompt, material=Material(passages=(text,), words=words)))
    if reply.finish != "refused" and reply.text.strip():
        return truncate(reply.text.strip(), 2 * words)
    reader.fell_back(Fallback("gist", "it was empty", "the opening of the text"))
    return truncate(text, words)


@dataclass(slots=True)
class Walk:
    """One search: where it has been, and the summaries on the way to where it is."""

    question: Question
    reader: Reader
    seen: list[str] = field(default_factory=list)
    _left: int = MOST_STEPS

    async def find(self, root: Node) -> Node | None:
        """The segment to answer from; None where the search fails."""
        path, closed = [root], set[int]()
        while path and self._left > 0:
            node = path[-1]
            self.seen = [step.summary for step in path[:-1]]
            choices = [child for child in node.children if id(child) not in closed]
            if node.children and not choices:
                closed.add(id(path.pop()))
                continue
            decided = await (self._decide_leaf(node) if not node.children else self._decide(choices, len(path) > 1))
            if decided is None:
                return None
            if decided == "ANSWER":
                return node
            if decided == "BACK":
                closed.add(id(path.pop()))
            else:
                path.append(choices[int(decided)])
        return None

    async def _decide(self, choices: Sequence[Node], may_go_back: bool) -> str | None:
        parts = "\n\n".join(f"Part {number}: {node.summary}" for number, node in enumerate(choices))
        prompt = self._filled("walk", parts=parts)
        values = (*(str(number) for number in range(len(choices))), *(["BACK"] if may_go_back else []))
        return await self._ask(prompt, values, [node.summary for node in choices])

    async def _decide_leaf(self, node: Node) -> str | None:
        return await self._ask(self._filled("leaf", passage=node.text), ("ANSWER", "BACK"), [node.text])

    def _filled(self, template: str, **values: str) -> str:
        seen = "\n\n".join(self.seen) or "nothing yet"
        return templates().fill(template, question=self.question.shown(), seen=seen, **values)

    async def _ask(self, prompt: str, values: tuple[str, ...], passages: list[str]) -> str | None:
        """One of the values; None if three replies named none."""
        self._left -= 1
        choice = Choice(values, cues=("part", "answer"))
        ask = Ask("walk", prompt, choice, Material(passages=tuple(passages), question=self.question))
        for attempt in range(TRIES):
            reminder = f"\n\n(Try {attempt + 1}: reply with one of {choice.listed()}.)" if attempt else ""
            reply = await self.reader.ask(replace(ask, prompt=prompt + reminder))
            chosen = choice.parse(reply.text)
            if chosen is not None:
                return chosen[0]
        self.reader.fell_back(Fallback("walk", "three replies named no part", "the search failed"))
        return None


def make(kind: str, number: int) -> MemWalkerMethod:
    return MemWalkerMethod()
