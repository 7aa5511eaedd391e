"""MemWalker: a tree of summaries over segments of the text, walked from the root to a segment that answers.

Segments have about 750 words (1,000 tokens) in whole sentences; a summary covers up to 8 nodes. At each node the model
enters a part or goes back; at a segment it answers or goes back. A decision is asked for up to three times. The search
fails if none of the replies is legible, or if no part is left to visit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.form import Choice, Form, Text
from readagent.core.model import Ask, Material, Reply
from readagent.core.question import Question
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback, Trace
from readagent.core.words import count_words, truncate
from readagent.retrieval.bm25 import passages
from readagent_bench.context import templates
from readagent_bench.reading import ReadingContext, shown_in_full
from readagent_bench.records import SEARCH_FAILED, Asked, Outcome, Preparation

SEGMENT_WORDS = 750
FAN_OUT = 8
SUMMARY_WORDS = 120
TRIES = 3
MOST_STEPS = 24
_SUMMARY = Form((Text("Summary"),))


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the text: its summary with its children, or with its own text if it is a leaf."""

    summary: str
    text: str = ""
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of a document, and the calls that built it."""

    root: Node
    trace: Trace


@dataclass(frozen=True, slots=True)
class MemWalkerMethod:
    """Builds one tree per document and walks it for each question."""

    name: str = "memwalker"
    title: str = "MemWalker"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        tree = await context.prepared(
            asked.document, "tree", lambda trace: _build(asked.document, replace(context, trace=trace))
        )
        done = context.used = Preparation(tree.trace)
        walk = Walk(asked.question, await context.session())
        leaf = await walk.find(tree.root)
        if leaf is None:
            return Outcome("", None, None, 0, done, notes=(SEARCH_FAILED,))
        texts = [*(f"Summary of the part that the last excerpt is from: {one}\n\n" for one in walk.seen), leaf.text]
        words = [*map(count_words, walk.seen), count_words(leaf.text)]
        shown = shown_in_full(asked.document, texts, words)
        outcome = await context.answer(shown, range(len(shown.pages)), asked.question, excerpts=True)
        return replace(outcome, pages=None, preparation=done)


async def _build(document: Document, context: ReadingContext) -> Tree:
    session = await context.session()
    segments = passages(document.text, SEGMENT_WORDS)
    summaries = await together(_summary(session, segment) for segment in segments)
    nodes = [Node(summary, segment) for summary, segment in zip(summaries, segments, strict=True)]
    while len(nodes) > 1:
        groups = _groups(nodes)
        summaries = await together(_summary(session, "\n\n".join(node.summary for node in group)) for group in groups)
        nodes = [Node(summary, children=group) for summary, group in zip(summaries, groups, strict=True)]
    return Tree(nodes[0], session.trace)


def _groups(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """Group neighbours as evenly as possible, at most FAN_OUT to a group."""
    count = -(-len(nodes) // FAN_OUT)
    cuts = [len(nodes) * i // count for i in range(count + 1)]
    return [tuple(nodes[a:b]) for a, b in pairwise(cuts)]


async def _summary(session: Session, text: str) -> str:
    """Return a summary, or the opening of the text if the model gives none; that is recorded."""
    words = min(SUMMARY_WORDS, max(20, count_words(text) // 2))
    prompt = templates().fill("summarise", text=text, words=words, form=_SUMMARY)
    ask = Ask("gist", prompt, form=_SUMMARY, material=Material(passages=(text,), words=words))
    said, reason = await session.judged(ask, _summarised)
    if not reason:
        return truncate(said, 2 * words)
    session.fell_back(Fallback("gist", reason, "the opening of the text"))
    return truncate(text, words)


def _summarised(reply: Reply) -> tuple[str, str]:
    """Return the summary in a reply, and why there is none; "" if there is one."""
    filled = _SUMMARY.parse(reply.text)
    said = filled.texts["Summary"] if filled is not None else ""
    return said, useless(reply) or ("" if said else "it had no summary after its label")


@dataclass(slots=True)
class Walk:
    """One search. ``seen`` are the summaries on the path to the current node."""

    question: Question
    session: Session
    seen: list[str] = field(default_factory=list)
    _left: int = MOST_STEPS

    async def find(self, root: Node) -> Node | None:
        """Return the segment to answer from; None if the search fails."""
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
        values = (*(str(number) for number in range(len(choices))), *(["BACK"] if may_go_back else []))
        choice = Choice(values, label="Part")
        prompt = self._filled("walk", form=choice, parts=parts, may_go_back=may_go_back)
        return await self._ask(prompt, choice, [node.summary for node in choices])

    async def _decide_leaf(self, node: Node) -> str | None:
        choice = Choice(("ANSWER", "BACK"))
        return await self._ask(self._filled("leaf", form=choice, passage=node.text), choice, [node.text])

    def _filled(self, template: str, **values: Any) -> str:
        seen = "\n\n".join(self.seen) or "nothing yet"
        return templates().fill(template, question=self.question.shown(), seen=seen, **values)

    async def _ask(self, prompt: str, choice: Choice, passages: list[str]) -> str | None:
        """Return one of the values; None if three replies named none."""
        self._left -= 1
        ask = Ask("walk", prompt, choice, Material(passages=tuple(passages), question=self.question))
        for attempt in range(TRIES):
            reminder = templates().fill("retry", form=choice, attempt=attempt + 1) if attempt else ""
            reply = await self.session.ask(replace(ask, prompt=prompt + reminder))
            chosen = choice.parse(reply.text)
            if chosen is not None:
                return chosen[0]
        self.session.fell_back(Fallback("walk", f"{TRIES} replies named no part", "the search failed"))
        return None


def make(kind: str, number: int) -> MemWalkerMethod:
    return MemWalkerMethod()
