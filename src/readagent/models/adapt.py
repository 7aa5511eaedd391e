"""Adapting a request to what a server refused of it, so that the next one has a chance."""

from __future__ import annotations

import re
from typing import Any

from readagent.core.words import estimate_tokens
from readagent.models.capabilities import Facts
from readagent.models.failures import Refusal

LEAST_REPLY = 256
_CONSTRAINT = re.compile(r"schema|response_format|guided|structured|grammar|enum\b|choice", re.I)
_PROMPT = re.compile(r"context|prompt|input|message", re.I)


def speaks_of_constraint(refusal: Refusal) -> bool:
    """Whether it was the constraint that the server did not like."""
    return refusal.status in (400, 422, 500, 501) and bool(_CONSTRAINT.search(refusal.message))


def adapt(draft: Facts, refusal: Refusal, body: dict[str, Any], way: str | None) -> bool:
    """Change the draft so that the next request leaves out what was refused; False where nothing can be left out."""
    if refusal.status not in (400, 415, 422, 500, 501):
        return False
    said = f"{refusal.message} {refusal.code}".lower()
    cap = next((name for name in ("max_tokens", "max_completion_tokens") if name in body), None)
    if cap is not None and refusal.reply_limit and refusal.reply_limit < body[cap]:
        draft.reply_limit = refusal.reply_limit
        return True
    if refusal.overflow and not (cap is not None and cap in said and not _PROMPT.search(refusal.message)):
        return _make_room(draft, refusal, body, cap)
    if refusal.no_model or (refusal.status == 500 and not speaks_of_constraint(refusal)):
        return False
    return _leave_out(draft, said, body, cap, way)


def _leave_out(draft: Facts, said: str, body: dict[str, Any], cap: str | None, way: str | None) -> bool:
    """Leave out the parameter that was named; where none was, the constraint, which servers name in many ways."""
    for name in ("stream_options", "temperature", cap):
        if name is not None and name in body and name in said:
            draft.drop.add(name)
            return True
    if "stream" in body and "stream" in said:
        draft.streams = False
        return True
    if way is not None:
        draft.drop.add(way)
        return True
    return False


def _make_room(draft: Facts, refusal: Refusal, body: dict[str, Any], cap: str | None) -> bool:
    """Where prompt and reply together were too much, but the prompt alone is not, a shorter reply is asked for."""
    if cap is None or not refusal.window:
        return False
    estimate = estimate_tokens(body["messages"][0]["content"])
    draft.window = refusal.window
    has_room = refusal.window - (refusal.prompt_tokens or estimate) >= LEAST_REPLY
    return has_room and max(LEAST_REPLY, refusal.window - estimate) < int(body[cap])
