"""Situation: a question, what is shown of the memory it is asked of, and the prompts made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from readagent.core.asking.view import View
from readagent.core.escaping import escape_tags
from readagent.core.memory import GistMemory
from readagent.core.model import Material
from readagent.core.question import Question
from readagent.core.session import Session


@dataclass(frozen=True, slots=True)
class Situation:
    """A question about a memory, with what all prompts for one answer share.

    ``history`` is the earlier turns of the conversation, as text. ``found`` are the pages that a search finds, the
    likeliest first. ``excerpts`` if the memory consists of parts of the text, and the rest is not shown. With
    ``may_be_whole`` the model may reply that the question is about the whole text.
    """

    view: View
    question: Question
    history: str = ""
    found: tuple[int, ...] = ()
    excerpts: bool = False
    may_be_whole: bool = False

    @classmethod
    def of(cls, memory: GistMemory, question: Question, *, excerpts: bool = False) -> Self:
        """Return a question about a memory all of whose gists are shown."""
        return cls(View.of(memory), question, excerpts=excerpts)

    @property
    def memory(self) -> GistMemory:
        """The memory with all pages of the text."""
        return self.view.memory

    def only(self, opened: Sequence[int], others: Sequence[int] = ()) -> Situation:
        """Return the same question about opened pages, and others as they are shown now."""
        return replace(self, view=self.view.only(opened, others), excerpts=True, may_be_whole=False)

    def prompt(self, session: Session, template: str, opened: tuple[int, ...] = (), **values: Any) -> str:
        """Return a prompt with the memory, the opened pages in full, the history and the question."""
        values.setdefault("language", "the language of the question")
        return session.prompts.fill(
            template,
            memory=self.view.render(frozenset(opened)),
            several=bool(self.memory.parts),
            tree=self.view.is_index and not self.excerpts,
            excerpts=self.excerpts,
            whole=self.view.is_whole(opened),
            found=bool(self.view.snippets.keys() - {*opened}),
            history=escape_tags(self.history),
            question=escape_tags(self.question.shown()),
            **values,
        )

    def material(self, opened: tuple[int, ...] = ()) -> Material:
        """Return the same content as data, for models that do not use the prompt."""
        return Material(memory=self.memory, question=self.question, opened=opened)
