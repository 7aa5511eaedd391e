"""What was spent before an error, as a note on it."""

from __future__ import annotations

from readagent.core.trace import Usage
from readagent.errors import BudgetExceededError, LibraryError, ReadAgentError

_SPENT = "were spent; everything is kept"


def note_spending(error: ReadAgentError, calls: int, paid: Usage) -> None:
    """Add to an error what was spent before it, in place of an earlier note on that.

    There is no such note if the error says so itself, or if the library could not keep what was paid for.
    """
    if hasattr(error, "__notes__"):
        error.__notes__ = [note for note in error.__notes__ if not note.endswith(_SPENT)]
    tokens = paid.prompt_tokens + paid.reply_tokens
    if tokens and not isinstance(error, BudgetExceededError | LibraryError):
        error.add_note(f"{'1 call' if calls == 1 else f'{calls:,} calls'} and {tokens:,} tokens {_SPENT}")
