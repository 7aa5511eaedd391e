"""Goal: the instruction to carry out; Action: one operation on one element of a page, or on the page as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from readagent.core.escaping import escape_tags
from readagent.core.session import Session
from readagent.errors import UsageError
from readagent_browse.material import harmless, quoted, templates

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


Operation = Literal[
    "click", "double-click", "drag", "type", "select", "hover", "press", "scroll", "upload", "back", "tab", "close",
    "wait", "note", "done",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Action:
    """The id of an element, the operation on it, and the text to type or the option to select.

    The value of ``press`` is a key, that of ``scroll`` a direction, that of ``upload`` the name of a file, and that of
    ``drag`` a place (``to 15``, ``before 15``, ``after 15``); keys and scrolling may have no element. ``back``,
    ``tab``, ``close``, ``wait``, ``note`` and ``done`` have none; the values of ``tab``, ``wait``, ``note`` and
    ``done`` are the number of a tab, a number of seconds, what to remember, and the answer.
    """

    element: str
    operation: Operation
    value: str = ""

    def describe(self, label: str = "") -> str:
        """Return the action in one line, for prompts and histories; ``label`` is the name of the element."""
        target = f"{quoted(label)} [{self.element}]" if label else f"[{self.element}]"
        match self.operation:
            case "type":
                return f"type {quoted(self.value)} into {target}"
            case "select":
                return f"select {quoted(self.value)} in {target}"
            case "press" | "scroll":
                return f"{self.operation} {self.value}{f' in {target}' if self.element else ''}"
            case "drag":
                where, _, goal = self.value.partition(" ")
                return f"drag {target} {where} [{goal}]"
            case "upload":
                return f"upload {quoted(self.value)} to {target}"
            case "back":
                return "go back"
            case "tab":
                return f"switch to tab {self.value}"
            case "close":
                return "close the tab"
            case "wait":
                return f"wait {self.value} s"
            case "note":
                return f"note: {self.value}"
            case "done":
                return "nothing left to do"
            case _:
                return f"{self.operation} {target}"
