"""AsyncConversation: a memory for chat clients. Add turns, ask about them, get what the next turn needs to know."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.asking.context import context
from readagent.core.document import Document, Paragraph
from readagent.core.memory import GistMemory
from readagent.core.pages.growing import extended, longer
from readagent.core.plan import Plan, preset
from readagent.core.question import Answer, Question
from readagent.core.words import count_words, estimate_tokens
from readagent.errors import LibraryError, NotInLibraryError, UsageError

TALK = replace(preset("meetings"), recent=8)
_SOURCE = "conversation:"
_BLANKS = re.compile(r"\n[ \t]*\n\s*")


class AsyncConversation:
    """What was said, in a document that grows turn by turn; with a library it is found again by its name.

    The newest turns are kept as they are, and no model is asked about them. When they are more than a page, it is
    closed: one call finds where it ends, one makes its gist. Older gists are shortened as they age (``plan.recent``).
    """

    def __init__(self, agent: AsyncReadAgent, name: str = "conversation", *, plan: Plan | None = None) -> None:
        if not name.strip():
            raise UsageError("a conversation needs a name")
        self.agent, self.name = agent, name.strip()
        self.plan = replace(plan or TALK, scale=False)
        self._memory: GistMemory | None = None
        self._turn = asyncio.Lock()

    async def memory(self) -> GistMemory:
        """The memory of all that was said, the newest turns as they are on its last page."""
        if self._memory is None:
            self._memory = await self._resumed()
        return self._memory

    async def add(self, speaker: str, text: str) -> None:
        """Add a turn. It is kept before a model is asked: where that fails, do not add it again; the next turn will do.

        Another process may have added to the same conversation meanwhile; the turn then comes after that.
        """
        turn = said(speaker, text)
        async with self._turn:
            while True:
                memory = await self.memory()
                added = longer(memory.document, turn)
                try:
                    self._memory = await self.agent.append(memory, added, live=True)
                    return
                except NotInLibraryError:
                    self._memory = await self._resumed()
                    if not self._memory.pages:
                        raise  # it was not added to but removed
                    if self._memory.document.text.startswith(added.text):
                        return
                except LibraryError:
                    raise
                except BaseException:
                    self._memory = extended(memory, added)
                    raise

    async def ask(self, question: str | Question, **how: Any) -> Answer:
        """The answer to a question about what was said; ``how`` is what the agent's ``ask`` takes."""
        memory = await self.memory()
        if not memory.pages:
            raise UsageError("nothing was said yet", hint="add a turn first")
        return await self.agent.ask(memory, question, **how)

    async def context(self, words: int | None = None, *, tokens: int | None = None) -> str:
        """What to show a model before its next turn: gists of older pages, the newest turns as they are.

        It never has more than so many ``words`` (1,500) or ``tokens``, tags included. The same conversation gives the
        same text, and most of it stays the same from turn to turn.
        """
        if words is not None and tokens is not None:
            raise UsageError("a budget is given in words or in tokens, not in both")
        budget = 1500 if words is None and tokens is None else words if words is not None else tokens
        assert budget is not None
        if budget < 1:
            raise UsageError(f"nothing fits into {budget} words or tokens")
        memory = await self.agent.aged(await self.memory())
        return context(memory, budget, count_words if tokens is None else estimate_tokens)

    async def _resumed(self) -> GistMemory:
        """The conversation of this name as far as the library has it; an empty one where it has none."""
        session = await self.agent.session(self.plan)
        empty = GistMemory(
            Document("", (), title=self.name, source=f"{_SOURCE}{self.name}"), (), (), self.plan,
            session.model.name, session.prompts.fingerprint,
        )  # fmt: skip
        library = self.agent.library
        known = None if library is None else library.newest_at(empty.document.source)
        if library is None or known is None:
            return empty
        memory = library.memory(known, key=empty.key) or await self.agent.recall(known, merge=False)
        if memory is None:
            return extended(empty, library.document(known))
        plan = replace(memory.plan, recent=self.plan.recent, floor_words=self.plan.floor_words)
        return replace(memory, plan=plan)


def said(speaker: str, text: str) -> Document:
    """A turn as a document: "Speaker: text", a paragraph for each of its own."""
    pieces = [piece.strip() for piece in _BLANKS.split(text.strip())]
    if not any(pieces):
        raise UsageError("a turn must say something")
    if speaker.strip():
        pieces[0] = f"{' '.join(speaker.split())}: {pieces[0]}"
    paragraphs, at = [], 0
    for index, piece in enumerate(pieces):
        end = at + len(piece) + (2 if index + 1 < len(pieces) else 0)
        paragraphs.append(Paragraph(index, at, end, lines="\n" in piece))
        at = end
    return Document("\n\n".join(pieces), tuple(paragraphs))
