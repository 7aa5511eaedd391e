"""The exception for each kind of refusal, and what is said about a call that is repeated or given up."""

from __future__ import annotations

from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ContentRefusedError,
    ContextOverflowError,
    ModelError,
    PageTooLongError,
    RateLimitedError,
    ReadAgentError,
    RejectedError,
    ServerFaultError,
    SlowReplyError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.refusal import Refusal

_BEHIND_GATEWAY = frozenset({502, 504, *range(520, 528)})  # a gateway says that the server behind it is down


class UnreachableError(ConnectionFailedError):
    """No connection to the server could be opened."""


class OversizedReplyError(BadReplyError):
    """A reply that is longer than any reply should be."""


def error_from(refusal: Refusal, *, model: str = "", key_name: str = "", has_key: bool = True) -> ModelError:
    """Return the exception for an error response."""
    error = _error_of(refusal, model, key_name, has_key)
    if refusal.body is not None:
        error.response = refusal.status, refusal.headers, refusal.body
    return error


def _error_of(refusal: Refusal, model: str, key_name: str, has_key: bool) -> ModelError:
    status, message = refusal.status, refusal.message or f"HTTP {refusal.status}"
    if refusal.too_large:
        return _too_large(refusal, message)
    match refusal.kind:
        case "unauthorized":
            hint = f"set the environment variable {key_name} to your key" if key_name else ""
            return UnauthorizedError(f"{_about_key(status, has_key)}: {message}", hint=hint)
        case "payment":
            hint = "check the plan and the billing of your account"
            left = "too little credit for this request" if refusal.reply_limit else "no credit left"
            return RejectedError(f"your account has {left}: {message}", hint=hint)
        case "rate_limit":
            return RateLimitedError(f"the server is limiting requests: {message}", retry_after=refusal.retry_after)
        case "content":
            hint = "its content filter refuses the text; another model may accept it"
            return ContentRefusedError(f"the server does not process this text: {message}", hint=hint)
        case "no_model":
            return UnknownModelError(f"the server has no model {model!r}: {message}")
        case "busy":
            said = f"the server is busy ({status}): {message}"
            return ServerFaultError(said, retry_after=refusal.retry_after, busy=True)
        case "fault":
            said, down = f"the server failed ({status}): {message}", status in _BEHIND_GATEWAY
            return ServerFaultError(said, retry_after=refusal.retry_after, busy=down)
        case "page_too_long":
            return PageTooLongError(f"the server refuses this text as too long ({status}): {message}")
        case "reply_too_long":
            return RejectedError(f"the server allows only shorter replies: {message}")
    if 300 <= status < 400:
        hint = "if that is the right server, use its address as the base URL"
        return RejectedError(f"the server does not answer here: {message}", hint=hint)
    if status == 200:
        return BadReplyError(f"the server replied with an error: {refusal.message or 'without a message'}")
    return RejectedError(f"the server rejected the request ({status}): {message}")


def _too_large(refusal: Refusal, message: str) -> ContextOverflowError:
    if refusal.kind == "rate_limit":
        said = "the prompt has more tokens than your account may send in one request"
        hint = f"read with a smaller window: `window={refusal.window}`"
    else:
        said = "the prompt is too long for the model"
        hint = "read with smaller pages, or set the window with `window`"
    return ContextOverflowError(
        f"{said}: {message}", hint=hint, window=refusal.window, prompt_tokens=refusal.prompt_tokens
    )


def _about_key(status: int, has_key: bool) -> str:
    if not has_key:
        return "the server requires an API key"
    return "the server refuses access" if status == 403 else "the server rejected the API key"


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
