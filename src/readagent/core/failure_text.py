"""What is left of the reading of failure texts, for callers that do not ask in a form yet. Nothing is recognised."""

from __future__ import annotations

from dataclasses import dataclass

REFUSED = "the model refused"
SHOWS = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a text is no reply, and the words that show it."""

    reason: str
    words: str
    offer: bool = False


def find_failure(text: str) -> Failure | None:
    """Return None: a wording shows nothing."""
    return None


def failure_in(text: str) -> str:
    """Return "": a wording shows nothing."""
    return ""


def is_refusal(text: str) -> bool:
    """Return False: a wording shows nothing."""
    return False


def may_be_failure(text: str) -> bool:
    """Return False: a wording shows nothing."""
    return False


def task_talk(reply: str, text: str) -> str:
    """Return "": a wording shows nothing."""
    return ""
