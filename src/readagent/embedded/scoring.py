"""Score how likely a text is after another, according to a language model.

Each token of the text is requested with a logit bias that forces it; the reported log-probability is the one before the
bias. The server caches the common beginning, so it is not evaluated again for the next text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from readagent.embedded.engine import Engine
from readagent.errors import BadReplyError, UsageError

_BIAS = 1000.0
_MIN = -50.0  # impossible tokens are reported with a number too low to average


async def likelihood(engine: Engine, prompt: str, continuations: Sequence[str], *, chat: bool = False) -> list[float]:
    """Return the mean log-probability per token of each continuation after the prompt: higher is likelier.

    With ``chat`` the prompt is a user message in the model's chat template, and the continuation is the beginning of
    the reply. Otherwise both are plain text, and a space between them belongs to the continuation.
    """
    start = await _prompt_tokens(engine, prompt, chat)
    return [await _mean(engine, start, await _tokens(engine, text)) for text in continuations]


async def _mean(engine: Engine, start: list[int], wanted: list[int]) -> float:
    if not wanted:
        raise UsageError("cannot score an empty text")
    scores = [await _score(engine, start + wanted[:i], token) for i, token in enumerate(wanted)]
    return sum(scores) / len(scores)


async def _score(engine: Engine, before: list[int], token: int) -> float:
    """Return the log-probability of one token after others."""
    body = {
        "prompt": before,
        "n_predict": 1,
        "logit_bias": [[token, _BIAS]],
        "n_probs": 1,
        "temperature": 0.0,
        "cache_prompt": True,
    }
    reply = await engine.post("//completion", body)
    listed = _field(reply, "completion_probabilities")
    first = listed[0] if isinstance(listed, list) and listed else None
    score = _field(first, "logprob")
    if _field(first, "id") != token or not isinstance(score, int | float):
        raise BadReplyError("the engine did not return the probability of the requested token")
    return max(_MIN, float(score))


async def _prompt_tokens(engine: Engine, prompt: str, chat: bool) -> list[int]:
    if chat:
        message = {"role": "user", "content": prompt}
        prompt = str(_field(await engine.post("//apply-template", {"messages": [message]}), "prompt"))
    found = await _tokens(engine, prompt, add_special=True, parse_special=chat)
    if not found:
        raise UsageError("cannot score a text after an empty prompt")
    return found


async def _tokens(engine: Engine, text: str, *, add_special: bool = False, parse_special: bool = False) -> list[int]:
    body = {"content": text, "add_special": add_special, "parse_special": parse_special}
    found = _field(await engine.post("//tokenize", body), "tokens")
    if not isinstance(found, list) or not all(type(token) is int for token in found):
        raise BadReplyError("the engine did not return the tokens of a text")
    return found


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
