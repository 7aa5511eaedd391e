"""What the name of a new shelf or corpus must be like."""

from __future__ import annotations

from readagent.core.controls import visible
from readagent.errors import UsageError

_LONGEST = 100  # characters


def check_name(name: str, of: str, hint: str) -> None:
    """Raise UsageError for a name that a new shelf or corpus cannot have; ``of`` says which, such as ``shelf``."""
    if not name:
        raise UsageError(f"a {of} needs a name", hint=hint)
    if visible(name) != name:
        raise UsageError(f"the name of a {of} cannot have control characters", hint=hint)
    if len(name) > _LONGEST:
        raise UsageError(f"the name of a {of} can have at most {_LONGEST} characters", hint=hint)
