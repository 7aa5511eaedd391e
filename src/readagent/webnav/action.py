"""Action: one thing done on a page, to one element of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Operation = Literal["click", "type", "select"]


@dataclass(frozen=True, slots=True)
class Action:
    """The element by its id, what is done to it, and the text that is typed or the option that is selected."""

    element: str
    operation: Operation
    value: str = ""

    def describe(self, label: str = "") -> str:
        """One line for prompts and histories; ``label`` says what the element is called."""
        target = f'"{label}" [{self.element}]' if label else f"[{self.element}]"
        if self.operation == "type":
            return f'type "{self.value}" into {target}'
        if self.operation == "select":
            return f'select "{self.value}" in {target}'
        return f"click {target}"
