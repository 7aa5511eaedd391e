"""Who is told about each call that was paid for, also if its caller no longer waits for the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from readagent.core.trace import Usage

OnPaid = Callable[[Usage], None]
_on_paid: ContextVar[OnPaid | None] = ContextVar("readagent_on_paid", default=None)


@contextmanager
def payments_to(on_paid: OnPaid) -> Iterator[None]:
    """Call ``on_paid`` for each paid call that begins in the block, also in tasks that start there."""
    before = _on_paid.set(on_paid)
    try:
        yield
    finally:
        _on_paid.reset(before)


def report_paid(usage: Usage) -> None:
    """Report what a call of the current task has cost."""
    on_paid = _on_paid.get()
    if on_paid is not None:
        on_paid(usage)
