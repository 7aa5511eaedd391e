"""Situation: a question, the memory it is asked of, and the prompts made from them."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.memory import GistMemory
from readagent.core.model import Hint, Material
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.tags import escape_tags


@dataclass(frozen=True, slots=True)
class Situation:
    """A question about a memory, with what all prompts for one answer share.

    ``history`` is the earlier turns of the conversation, as text. ``hints`` are the pages that a search finds.
    ``excerpts`` if the memory consists of parts of the text, and the rest is not shown.
    """

    memory: GistMemory
    question: Question
    history: str = ""
    hints: tuple[Hint, ...] = ()
    excerpts: bool = False

    def prompt(self, session: Session, template: str, opened: tuple[int, ...] = (), **values: object) -> str:
        """Return a prompt with the memory, the opened pages in full, the history and the question."""
        return session.prompts.fill(
            template,
            memory=self.memory.render(frozenset(opened)),
            several=bool(self.memory.parts),
            excerpts=self.excerpts,
            whole=self.memory.is_whole(opened),
            history=escape_tags(self.history),
            question=escape_tags(self.question.shown()),
            **values,
        )

    def material(self, opened: tuple[int, ...] = ()) -> Material:
        """Return the same content as data, for models that do not use the prompt."""
        return Material(memory=self.memory, question=self.question, opened=opened)
