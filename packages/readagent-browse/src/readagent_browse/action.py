"""Action: one operation on one element of a page, or on the page as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from readagent_browse.material import quoted

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
