"""Which documents calls are about: the replies to them are not cached once one of these is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_subjects: ContextVar[tuple[str, ...]] = ContextVar("readagent_subjects", default=())


@contextmanager
def calls_about(*document_ids: str) -> Iterator[None]:
    """Let the calls that are made in the block, also in tasks that start there, be about these documents."""
    before = _subjects.set(document_ids)
    try:
        yield
    finally:
        _subjects.reset(before)


def subjects() -> tuple[str, ...]:
    """Return the ids of the documents that calls are about now; none if they are not known."""
    return _subjects.get()
