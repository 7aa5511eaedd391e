"""What is said about a call that is repeated: what it waits for, and why it ends."""

from __future__ import annotations

from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ModelError,
    RateLimitedError,
    ReadAgentError,
    ServerFaultError,
    SlowReplyError,
)
from readagent.models.failures import UnreachableError

_LATER = "nothing is lost: run the same again later to continue, or set a longer `patience`"


def is_fault(error: ReadAgentError) -> bool:
    """Whether a server failed, but neither limits requests nor is busy: one text, or all of them, may cause that."""
    return isinstance(error, ServerFaultError) and not error.busy and error.retry_after is None


def is_of_no_use(error: ReadAgentError) -> bool:
    """Whether a server failed in a way that waiting may not mend: a fault, no usable reply, or a lost connection."""
    if isinstance(error, SlowReplyError):
        return False
    return is_fault(error) or isinstance(error, BadReplyError | ConnectionFailedError)


def reason_for(error: ReadAgentError) -> str:
    """Return in a few words what a call waits for."""
    match error:
        case RateLimitedError():
            return "the server asks to slow down"
        case ServerFaultError():
            return "the server failed" if is_fault(error) else "the server is busy"
        case SlowReplyError():
            return "the server was too slow"
        case ConnectionFailedError():
            return "the connection to the server failed"
        case BadReplyError():
            return "the server sent a broken reply"
        case _:
            return "a call failed"


def out_of_patience(error: ReadAgentError, failing: float) -> ReadAgentError:
    """Return the error of a server that has been failing for this many seconds, with how to continue."""
    return _ended(error, f"tried again for {duration(failing)}")


def waited_together(error: ReadAgentError, waited: float) -> ReadAgentError:
    """Return the error of a server for which several calls have waited this many seconds, with how to continue."""
    return _ended(error, f"calls have waited {duration(waited)} in all, and would have to wait longer")


def too_long_a_wait(error: ReadAgentError, after: float) -> ReadAgentError:
    """Return the error of a server that asks to wait for too many seconds, with how to continue."""
    return _ended(error, f"the server asks to wait {duration(after)}, which is longer than the patience allows")


def _ended(error: ReadAgentError, tried: str) -> ReadAgentError:
    if isinstance(error, ServerFaultError):
        error.busy = True  # whatever it was asked
    error.args = (f"{error} ({tried})",)
    error.hint = _LATER
    return error


def given_up(error: ReadAgentError) -> ReadAgentError:
    """Return the error of a server that was reached, with a hint that says how to continue."""
    if not isinstance(error, UnreachableError):
        error.hint = "; ".join(filter(None, ("nothing is lost: run the same again to continue", error.hint)))
    return error


def of_this_call(error: ReadAgentError, attempts: int, failing: float) -> ServerFaultError:
    """Return the error of a server that answers other calls, but has not answered this one for so many seconds."""
    tried = f"tried {attempts} times in {duration(failing)}, while other calls were answered"
    failed = ServerFaultError(f"{error} ({tried})")
    failed.response = error.response if isinstance(error, ModelError) else None
    return failed


def duration(seconds: float) -> str:
    """Return a time in words: 40 s, 20 min, 3.5 h."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h".replace(".0", "")
