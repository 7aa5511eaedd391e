"""Scoring: how likely a language model finds a text after another, instead of what it would say itself.

Each token of the text is asked for with its own likelihood raised beyond all others', so that it must come; the
likelihood that is told is the one from before it was raised. What was read for one text is not read again for the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from readagent.embedded.engine import Engine
from readagent.errors import BadReplyError, UsageError

_RAISE = 1000.0
_LEAST = -50.0  # what is impossible is told as a number too low to be averaged


async def likelihood(engine: Engine, prompt: str, continuations: Sequence[str], *, chat: bool = False) -> list[float]:
    """For each continuation the mean log-probability of its tokens after the prompt: the higher the likelier.

    With ``chat`` the prompt is what a user says, put into the model's own chat template, and the continuation is the
    beginning of the reply. Without it both are plain text, and the space between them belongs to the continuation.
    """
    start = await _prompt_tokens(engine, prompt, chat)
    return [await _mean(engine, start, await _tokens(engine, text)) for text in continuations]


async def _mean(engine: Engine, start: list[int], wanted: list[int]) -> float:
    if not wanted:
        raise UsageError("an empty text has no likelihood")
    scores = [await _score(engine, start + wanted[:i], token) for i, token in enumerate(wanted)]
    return sum(scores) / len(scores)


async def _score(engine: Engine, before: list[int], token: int) -> float:
    """The log-probability of one token after others."""
    body = {
        "prompt": before,
        "n_predict": 1,
        "logit_bias": [[token, _RAISE]],
        "n_probs": 1,
        "temperature": 0.0,
        "cache_prompt": True,
    }
    reply = await engine.post("//completion", body)
    told = _field(reply, "completion_probabilities")
    first = told[0] if isinstance(told, list) and told else None
    score = _field(first, "logprob")
    if _field(first, "id") != token or not isinstance(score, int | float):
        raise BadReplyError("the engine did not tell the likelihood of the token that was asked for")
    return max(_LEAST, float(score))


async def _prompt_tokens(engine: Engine, prompt: str, chat: bool) -> list[int]:
    if chat:
        message = {"role": "user", "content": prompt}
        prompt = str(_field(await engine.post("//apply-template", {"messages": [message]}), "prompt"))
    found = await _tokens(engine, prompt, add_special=True, parse_special=chat)
    if not found:
        raise UsageError("nothing stands before the text that is to be scored")
    return found


async def _tokens(engine: Engine, text: str, *, add_special: bool = False, parse_special: bool = False) -> list[int]:
    body = {"content": text, "add_special": add_special, "parse_special": parse_special}
    found = _field(await engine.post("//tokenize", body), "tokens")
    if not isinstance(found, list) or not all(type(token) is int for token in found):
        raise BadReplyError("the engine did not tell the tokens of a text")
    return found


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
