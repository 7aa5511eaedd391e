"""AsyncConversation: a memory for chat clients. Add turns, ask about them, and get the context for the next turn."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import replace
from typing import Unpack

from readagent.agent import AsyncReadAgent
from readagent.core.asking.context import context
from readagent.core.brief import excerpt
from readagent.core.document import Document, Paragraph
from readagent.core.memory import GistMemory
from readagent.core.pages.growing import extend, lengthen
from readagent.core.plan import Plan, preset
from readagent.core.question import Answer, Question
from readagent.core.tokens import estimate_tokens
from readagent.core.words import count_words
from readagent.errors import LibraryError, NotInLibraryError, UsageError
from readagent.options import AskOptions

TALK = replace(preset("meetings"), recent=8)
_SOURCE = "conversation:"
_BLANKS = re.compile(r"\n[ \t]*\n\s*")


class AsyncConversation:
    """A document that grows turn by turn, found again in the library by its name.

    The newest turns are kept as they are, without a call to the model. When they are more than a page, the page is
    closed: one call finds its end, one writes its gist. Older gists are shortened as they age (``plan.recent``).
    """

    def __init__(self, agent: AsyncReadAgent, name: str = "conversation", *, plan: Plan | None = None) -> None:
        if not name.strip():
            raise UsageError("a conversation needs a name")
        self.agent, self.name = agent, name.strip()
        self.plan = replace(plan or TALK, scale=False)
        self._memory: GistMemory | None = None
        self._turn = asyncio.Lock()

    def __repr__(self) -> str:
        return f"<Conversation {excerpt(self.name)!r}>"

    async def memory(self) -> GistMemory:
        """Return the memory of the whole conversation; its last page holds the newest turns as they are."""
        if self._memory is None:
            self._memory = await self._resumed()
        return self._memory

    async def add(self, speaker: str, text: str) -> None:
        """Add a turn. It is kept before the model is asked, so after an error it need not be added again.

        If another process has added to the conversation meanwhile, the turn comes after that.
        """
        turn = said(speaker, text)
        async with self._turn:
            while True:
                memory = await self.memory()
                added = lengthen(memory.document, turn)
                try:
                    self._memory = await self.agent.append(memory, added, live=True)
                    return
                except NotInLibraryError:
                    self._memory = await self._resumed()
                    if not self._memory.pages:
                        raise  # it was removed
                    if self._memory.document.text.startswith(added.text):
                        return
                except LibraryError:
                    raise
                except BaseException:
                    self._memory = extend(memory, added)
                    raise

    async def ask(self, question: str | Question, **options: Unpack[AskOptions]) -> Answer:
        """Return the answer to a question about the conversation; the keywords are those of ``AsyncReadAgent.ask``."""
        memory = await self.memory()
        if not memory.pages:
            raise UsageError("the conversation is empty", hint="add a turn first")
        return await self.agent.ask(memory, question, **options)

    async def context(self, words: int | None = None, *, tokens: int | None = None) -> str:
        """Return the context for the model's next turn: the gists of older pages and the newest turns as they are.

        It has at most that many ``words`` (1,500) or ``tokens``, tags included. The same conversation gives the same
        text, and most of it stays the same from turn to turn.
        """
        if words is not None and tokens is not None:
            raise UsageError("give either words or tokens, not both")
        budget = 1500 if words is None and tokens is None else words if words is not None else tokens
        assert budget is not None
        if budget < 1:
            raise UsageError(f"words and tokens must be at least 1, not {budget}")
        memory = await self.agent.aged(await self.memory())
        return context(memory, budget, count_words if tokens is None else estimate_tokens)

    async def _resumed(self) -> GistMemory:
        """Return the conversation of this name from the library, or an empty one."""
        session = await self.agent.session(self.plan)
        empty = GistMemory(
            Document("", (), title=self.name, source=f"{_SOURCE}{self.name}"), (), (), self.plan,
            session.model.name, session.prompts.fingerprint,
        )  # fmt: skip
        library = self.agent.library
        while True:
            known = library.newest_at(empty.document.source)
            if known is None:
                return empty
            memory = library.memory(known, key=empty.key) or await self.agent.recall(known, merge=False)
            if memory is not None:
                break
            with suppress(NotInLibraryError):  # another process has added a turn at this moment
                return extend(empty, library.document(known))
        plan = replace(memory.plan, recent=self.plan.recent, floor_words=self.plan.floor_words)
        return replace(memory, plan=plan)


def said(speaker: str, text: str) -> Document:
    """Return a turn as a document: "Speaker: text", with the paragraphs of the text."""
    pieces = [piece.strip() for piece in _BLANKS.split(text.strip())]
    if not any(pieces):
        raise UsageError("a turn must have some text")
    if speaker.strip():
        pieces[0] = f"{' '.join(speaker.split())}: {pieces[0]}"
    paragraphs, at = [], 0
    for index, piece in enumerate(pieces):
        end = at + len(piece) + (2 if index + 1 < len(pieces) else 0)
        paragraphs.append(Paragraph(index, at, end, lines="\n" in piece))
        at = end
    return Document("\n\n".join(pieces), tuple(paragraphs))
