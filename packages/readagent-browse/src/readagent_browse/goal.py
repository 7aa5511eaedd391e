"""Goal: the instruction to carry out on a page, and the actions already performed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from readagent.core.session import Session
from readagent.core.tags import escape_tags
from readagent.errors import UsageError
from readagent_browse.material import harmless
from readagent_browse.templates import templates

_NOTHING = "nothing yet"


@dataclass(frozen=True, slots=True)
class Goal:
    """An instruction, and the actions performed so far, one line each (see ``Action.describe``).

    ``events`` are the numbers of the lines that are no actions but what pages did; they are left out first.
    """

    instruction: str
    done: tuple[str, ...] = ()
    events: frozenset[int] = frozenset()

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
        done = "\n".join(self._latest(room, session.window.count)) or _NOTHING
        return templates().fill("goal", instruction=escape_tags(self.instruction.strip()), done=done)

    def _latest(self, room: int, count: Callable[[str], int]) -> list[str]:
        """Return the latest lines that fit, first actions and then events; dots are in place of the earlier ones."""
        lines, kept = [harmless(line) for line in self.done], set[int]()
        for is_event in (False, True):
            for number in reversed(range(len(lines))):
                if (number in self.events) is is_event:
                    room -= count(lines[number])
                    if room < 0:
                        break
                    kept.add(number)
        shown: list[str] = []
        for number, line in enumerate(lines):
            if number in kept:
                shown.append(line)
            elif shown[-1:] != ["..."]:
                shown.append("...")
        return shown

    def search_text(self) -> str:
        """Return the instruction and the last action, as the query for a search over the page."""
        return "\n".join((self.instruction, *self.done[-1:]))
