"""Tell a page that a server fails on from a server that fails on everything."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.errors import (
    BadReplyError,
    ContentRefusedError,
    ModelError,
    RejectedError,
    ServerFaultError,
    SlowReplyError,
)

ONE_PAGE = (RejectedError, ServerFaultError, BadReplyError, SlowReplyError)  # errors that one text may cause
_AT_FIRST = 3  # failures before any reply which show that nothing works,
_REFUSED_AT_FIRST = 10  # or refusals, which come at once
_IN_A_ROW = 5  # failures since the last reply which show that nothing works any more


@dataclass(slots=True)
class Outage:
    """The failures of a server during one run, each by its message."""

    errors: dict[str, ModelError] = field(default_factory=dict)
    _replied: bool = False
    _in_a_row: int = 0

    def replied(self) -> None:
        """Note that the server replied to something."""
        self._replied = True
        self._in_a_row = 0

    def failed(self, error: ModelError) -> str:
        """Note that a prompt failed, and return the reason; raise the error if the server fails on everything.

        A text that a content filter refuses says nothing about other texts, unless nothing was accepted so far. A
        refusal with a hint is about the account or the settings, and a busy server is busy for all texts.
        """
        self._in_a_row += 1
        refused, content = isinstance(error, RejectedError), isinstance(error, ContentRefusedError)
        busy = isinstance(error, ServerFaultError) and (error.busy or error.retry_after is not None)
        general = busy or bool(error.hint and refused and not content)
        enough = _IN_A_ROW if self._replied else _REFUSED_AT_FIRST if refused else _AT_FIRST
        if general or (self._in_a_row >= enough and not (content and self._replied)):
            raise error
        self.errors[str(error)] = error
        return str(error)

    def check(self, lost: list[str], pages: int) -> None:
        """Raise an error if more than half of the pages have no gist because of it; ``lost`` are the reasons."""
        caused = [self.errors[reason] for reason in lost if reason in self.errors]
        if 2 * len(caused) > pages:
            raise caused[0]
