"""Errors in the form of OpenAI's API, for requests that the proxy itself cannot serve."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from readagent.errors import ConnectionFailedError, ReadAgentError, SlowReplyError, UnauthorizedError, UsageError
from readagent.option_names import as_options

_KINDS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error"}


class RefusedRequestError(ReadAgentError):
    """A request that is answered with this status."""

    def __init__(self, status: int, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status, self.code = status, code


def refusal_of(error: ReadAgentError) -> RefusedRequestError:
    """Return what the client gets for an error: a server that cannot be reached is a bad gateway."""
    if isinstance(error, RefusedRequestError):
        return error
    statuses = ((SlowReplyError, 504), (ConnectionFailedError, 502), (UnauthorizedError, 401), (UsageError, 400))
    status = next((status for kind, status in statuses if isinstance(error, kind)), 500)
    return RefusedRequestError(status, str(error), hint=error.hint)


def response_to(error: RefusedRequestError) -> Response:
    """Return the response for a refused request. What is left of its body is not read."""
    said = f"{error} ({as_options(error.hint)})" if error.hint else str(error)
    kind = _KINDS.get(error.status, "invalid_request_error" if error.status < 500 else "api_error")
    value = {"error": {"message": said, "type": kind, "param": None, "code": error.code}}
    headers = {"connection": "close"} if error.status in (408, 413) else None
    return JSONResponse(value, error.status, headers)
