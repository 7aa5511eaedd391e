"""Vectors of the loopback server: hashed bags of words, so that texts with the same words have similar vectors."""

from __future__ import annotations

import re
import zlib
from typing import Any

from readagent.errors import BadReplyError
from readagent.models.wire import decode
from readagent.testing.loopback.http import Request
from readagent.testing.loopback.requests import ErrorResponse, ReceivedRequest, tokens

WIDTH = 64


def read_embeddings(request: Request) -> ReceivedRequest:
    """Parse a request for embeddings; the texts are in the parameter ``input``."""
    try:
        body = decode(request.body)
        texts = [body["input"]] if isinstance(body["input"], str) else [str(text) for text in body["input"]]
    except (BadReplyError, KeyError, TypeError) as error:
        raise ErrorResponse(400, f"We could not parse the body of your request: {error}") from error
    if not texts or not all(texts):
        raise ErrorResponse(400, "'$.input' is invalid: it must not be empty", param="input")
    return ReceivedRequest("\n".join(texts), {**body, "input": texts}, request.headers)


def embeddings_response(request: ReceivedRequest) -> dict[str, Any]:
    """Return the response. Its rows are in reverse order, since clients must use the index."""
    texts: list[str] = request.parameters["input"]
    rows = [{"object": "embedding", "index": i, "embedding": bag_of_words(text)} for i, text in enumerate(texts)]
    used = sum(map(tokens, texts))
    return {
        "object": "list",
        "model": request.parameters["model"],
        "data": rows[::-1],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def bag_of_words(text: str) -> list[float]:
    """Add one at a hashed position for each word, with a hashed sign. Never all zeros, and not normalised."""
    values = [0.1] + [0.0] * (WIDTH - 1)
    for word in re.findall(r"\w+", text.lower()):
        number = zlib.crc32(word.encode("utf-8", "replace"))
        values[number % WIDTH] += 1.0 if number & 0x10000 else -1.0
    return values
