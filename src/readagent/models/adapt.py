"""Adapt a request to what a server rejected, so that the next attempt can succeed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from readagent.models.capabilities import Capabilities
from readagent.models.failures import Refusal

MIN_REPLY_TOKENS = 256
_CONSTRAINT = re.compile(r"schema|response_format|guided|structured|grammar|enum\b|choice", re.I)
_PROMPT = re.compile(r"context|prompt|input|message", re.I)


def mentions_constraint(refusal: Refusal) -> bool:
    """Whether the server rejected the constraint on the output."""
    return refusal.status in (400, 422, 500, 501) and bool(_CONSTRAINT.search(refusal.message))


def adapt(
    draft: Capabilities, refusal: Refusal, body: dict[str, Any], constraint: str | None, count: Callable[[str], int]
) -> bool:
    """Update the draft so that the next request omits what was rejected.

    ``constraint`` is the parameter in the body that constrains the output. ``count`` estimates tokens.
    Returns False if nothing can be omitted.
    """
    if refusal.status not in (400, 415, 422, 500, 501):
        return False
    message = f"{refusal.message} {refusal.code}".lower()
    cap = next((name for name in ("max_tokens", "max_completion_tokens") if name in body), None)
    if cap is not None and refusal.reply_limit and refusal.reply_limit < body[cap]:
        draft.reply_limit = refusal.reply_limit
        return True
    if refusal.overflow and not (cap is not None and cap in message and not _PROMPT.search(refusal.message)):
        return _shorten_reply(draft, refusal, body, cap, count(body["messages"][0]["content"]))
    if refusal.no_model or (refusal.status == 500 and not mentions_constraint(refusal)):
        return False
    return _omit_parameter(draft, message, body, cap, constraint)


def _omit_parameter(
    draft: Capabilities, message: str, body: dict[str, Any], cap: str | None, constraint: str | None
) -> bool:
    """Omit the parameter that the message names; if it names none, the constraint, for which servers use many names."""
    for name in ("stream_options", "temperature", cap):
        if name is not None and name in body and name in message:
            draft.drop.add(name)
            return True
    if "stream" in body and "stream" in message:
        draft.streams = False
        return True
    if constraint is not None:
        draft.drop.add(constraint)
        return True
    return False


def _shorten_reply(draft: Capabilities, refusal: Refusal, body: dict[str, Any], cap: str | None, estimate: int) -> bool:
    """If prompt and reply together exceed the window but the prompt alone does not, request a shorter reply."""
    if cap is None or not refusal.window:
        return False
    draft.window = refusal.window
    prompt_fits = refusal.window - (refusal.prompt_tokens or estimate) >= MIN_REPLY_TOKENS
    return prompt_fits and max(MIN_REPLY_TOKENS, refusal.window - estimate) < int(body[cap])
