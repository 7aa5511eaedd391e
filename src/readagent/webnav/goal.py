"""Goal: the instruction to carry out on a page, and the actions already performed for it."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.session import Session
from readagent.core.tags import escape_tags
from readagent.errors import UsageError
from readagent.webnav.material import harmless
from readagent.webnav.templates import templates

_NOTHING = "nothing yet"


@dataclass(frozen=True, slots=True)
class Goal:
    """An instruction, and the actions performed so far, one line each (see ``Action.describe``)."""

    instruction: str
    done: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.instruction.strip():
            raise UsageError("the instruction is empty", hint="say what to do on the page")

    def render(self, session: Session) -> str:
        """Return the goal as prompts contain it: the instruction, and as many of the latest actions as fit."""
        room = session.window.question - session.window.count(self.instruction)
        if room < 0 and session.window.tokens is not None:
            raise UsageError(
                f"the instruction is too long for a window of {session.window.tokens} tokens",
                hint="shorten it, or use a model with a larger window",
            )
        lines: list[str] = []
        for action in map(harmless, reversed(self.done)):
            room -= session.window.count(action)
            if room < 0:
                lines.insert(0, "...")
                break
            lines.insert(0, action)
        done = "\n".join(lines) or _NOTHING
        return templates().fill("goal", instruction=escape_tags(self.instruction.strip()), done=done)

    def search_text(self) -> str:
        """Return the instruction and the last action, as the query for a search over the page."""
        return "\n".join((self.instruction, *self.done[-1:]))
