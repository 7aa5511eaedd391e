"""The scripted server's vectors: hashed bags of words, always the same for the same text and near for similar ones."""

from __future__ import annotations

import re
import zlib
from typing import Any

from readagent.errors import BadReplyError
from readagent.models.wire import decode
from readagent.testing.loopback.http import Request
from readagent.testing.loopback.requests import Refused, Served, tokens

WIDTH = 64


def read_embeddings(request: Request) -> Served:
    """The request for vectors that stands in the body; its texts are the parameter ``input``."""
    try:
        body = decode(request.body)
        texts = [body["input"]] if isinstance(body["input"], str) else [str(text) for text in body["input"]]
    except (BadReplyError, KeyError, TypeError) as error:
        raise Refused(400, f"We could not parse the body of your request: {error}") from error
    if not texts or not all(texts):
        raise Refused(400, "'$.input' is invalid: it must not be empty", param="input")
    return Served("\n".join(texts), {**body, "input": texts}, request.headers)


def vectors_of(served: Served) -> dict[str, Any]:
    """The reply; its rows are not in order, since a client must go by the index."""
    texts: list[str] = served.parameters["input"]
    rows = [{"object": "embedding", "index": i, "embedding": bag_of_words(text)} for i, text in enumerate(texts)]
    used = sum(map(tokens, texts))
    return {
        "object": "list",
        "model": served.parameters["model"],
        "data": rows[::-1],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def bag_of_words(text: str) -> list[float]:
    """A place and a sign for each word, added up; never all zeros, and not of length one."""
    values = [0.1] + [0.0] * (WIDTH - 1)
    for word in re.findall(r"\w+", text.lower()):
        number = zlib.crc32(word.encode("utf-8", "replace"))
        values[number % WIDTH] += 1.0 if number & 0x10000 else -1.0
    return values
