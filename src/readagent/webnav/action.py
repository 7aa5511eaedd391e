"""Action: one operation on one element of a page, or on the page as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Operation = Literal["click", "type", "select", "note", "done"]


@dataclass(frozen=True, slots=True)
class Action:
    """The id of an element, the operation on it, and the text to type or the option to select.

    ``note`` and ``done`` have no element; their value is what to remember, and the answer.
    """

    element: str
    operation: Operation
    value: str = ""

    def describe(self, label: str = "") -> str:
        """Return the action in one line, for prompts and histories; ``label`` is the name of the element."""
        target = f'"{label}" [{self.element}]' if label else f"[{self.element}]"
        if self.operation == "type":
            return f'type "{self.value}" into {target}'
        if self.operation == "select":
            return f'select "{self.value}" in {target}'
        if self.operation == "note":
            return f"note: {self.value}"
        return "nothing left to do" if self.operation == "done" else f"click {target}"
