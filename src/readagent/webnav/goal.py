"""Goal: what is to be done on a page, and what was done for it already."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.session import Session
from readagent.core.words import estimate_tokens
from readagent.errors import UsageError
from readagent.webnav.templates import templates

_NOTHING = "nothing yet"


@dataclass(frozen=True, slots=True)
class Goal:
    """An instruction, and the actions taken for it so far, a line each (see ``Action.told``)."""

    instruction: str
    done: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.instruction.strip():
            raise UsageError("the instruction is empty", hint="say what is to be done on the page")

    def shown(self, session: Session) -> str:
        """As it stands in prompts: the instruction, and as many of the latest actions as there is room for."""
        room = session.window.question - estimate_tokens(self.instruction)
        if room < 0 and session.window.tokens is not None:
            raise UsageError(
                f"the instruction is too long for a window of {session.window.tokens} tokens",
                hint="shorten it, or use a model with a larger window",
            )
        told: list[str] = []
        for action in reversed(self.done):
            room -= estimate_tokens(action)
            if room < 0:
                told.insert(0, "...")
                break
            told.insert(0, action)
        return templates().fill("goal", instruction=self.instruction.strip(), done="\n".join(told) or _NOTHING)

    def words(self) -> str:
        """All its words, for searches."""
        return "\n".join((self.instruction, *self.done[-1:]))
