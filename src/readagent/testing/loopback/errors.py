"""The errors of the loopback server: requests that it refuses, and faults that replace a completion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from readagent.testing.loopback.http import Writer
from readagent.testing.loopback.requests import PARAMETERS, Constrain, Counts, ErrorResponse, ReceivedRequest

_BAD_GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


def check_parameters(
    received: ReceivedRequest, models: Sequence[str], rejects: Sequence[str], constrain: Constrain
) -> None:
    """Refuse a request for another model, or with a parameter that this server does not support."""
    parameters = received.parameters
    if parameters.get("model") not in models:
        raise ErrorResponse(404, f"The model `{parameters.get('model')}` does not exist", code="model_not_found")
    for name in rejects:
        if name in parameters:
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            raise ErrorResponse(400, f"Unsupported parameter: '{name}' is not supported with this model.{instead}",
                                param=name, code="unsupported_parameter")  # fmt: skip
    for name, way in PARAMETERS.items():
        if name in parameters and constrain not in (way, "ignore"):
            raise ErrorResponse(400, f"Unrecognized request argument supplied: {name}", param=name)


def check_size(received: ReceivedRequest, window: int | None, counts: Counts, count: Callable[[str], int]) -> None:
    """Refuse a request that does not fit the window."""
    size = max(map(count, received.parameters.get("input", [received.prompt])))
    reply = received.parameters.get("max_tokens", 1) if counts != "prompt" else 0
    if counts == "vague" and window is not None and size + reply > window:
        message = "Please reduce the length of the messages or completion."
        raise ErrorResponse(400, message, code="context_length_exceeded")
    if received.fault == "overflow" or (window is not None and size + reply > window):
        limit = size - 1 if window is None or size <= window else window
        raise ErrorResponse(
            400,
            f"This model's maximum context length is {limit} tokens. However, your messages resulted in {size} "
            "tokens. Please reduce the length of the messages.",
            code="context_length_exceeded",
        )


async def send_fault(received: ReceivedRequest, writer: Writer, retry_after: float | str) -> bool:
    """Send the fault that replaces the completion. Returns False if a completion must be sent."""
    fault = received.fault
    if fault == "429":
        body = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
        await writer.send(429, body, {"Retry-After": str(retry_after)})
    elif fault == "500":
        await writer.send(500, {"error": {"message": "The server had an error while processing your request"}})
    elif fault == "html":
        await writer.send(502, _BAD_GATEWAY)
    elif fault == "blocked":
        raise ErrorResponse(403, "Your input was flagged by moderation.", code="content_policy_violation")
    elif fault == "wrong key":
        raise ErrorResponse(401, "Incorrect API key provided.", code="invalid_api_key")
    elif fault == "malformed" and received.parameters.get("stream"):
        await writer.start_events()
        await writer.event('{"choices": [{"delta": {"content": "half')
        await writer.end_events()
    elif fault == "malformed":
        await writer.send(200, b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess')
    else:
        return False
    return True
