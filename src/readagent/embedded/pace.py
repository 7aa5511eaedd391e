"""How fast a model runs on this computer: measured once, kept in the library, and used for estimates in seconds."""

from __future__ import annotations

import json
from dataclasses import dataclass

from readagent.embedded.engine import Engine
from readagent.errors import BadReplyError
from readagent.library import Library

_TEXT = "The ferry left the harbour at six, and the children on the quay counted the lights of the far shore. " * 6
_REPLY_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds that a token of a prompt takes, and a token of a reply."""

    prompt: float
    reply: float

    @property
    def tokens_per_second(self) -> dict[str, float]:
        """The same as tokens of a prompt and of a reply in a second."""
        return {"prompt": round(1 / self.prompt, 1), "reply": round(1 / self.reply, 1)}

    def seconds(self, prompt_tokens: int, reply_tokens: int) -> float:
        """Return how long a call takes if no part of its prompt was evaluated before."""
        return prompt_tokens * self.prompt + reply_tokens * self.reply


async def measure_pace(engine: Engine) -> Pace:
    """Run a prompt of about 150 tokens and a reply of 16. Loading the model does not count."""
    asked = {
        "messages": [{"role": "user", "content": _TEXT}],
        "max_tokens": _REPLY_TOKENS,
        "ignore_eos": True,
        "temperature": 0,
        "cache_prompt": False,
    }
    reply = await engine.post("/chat/completions", asked)
    try:
        found = reply["timings"]
        return Pace(float(found["prompt_per_token_ms"]) / 1000, float(found["predicted_per_token_ms"]) / 1000)
    except (KeyError, TypeError, ValueError):
        raise BadReplyError("the reply of the engine contains no timings") from None


def known_pace(library: Library, engine: Engine) -> Pace | None:
    """Return the pace that was measured before, or None."""
    data = library.facts(_key(engine))
    try:
        found = json.loads(data) if data else None
        return None if found is None else Pace(float(found["prompt"]), float(found["reply"]))
    except (ValueError, KeyError, TypeError):
        return None


def keep_pace(library: Library, engine: Engine, pace: Pace) -> None:
    """Keep a pace for later estimates, in place of an earlier one."""
    library.keep_facts(_key(engine), json.dumps({"prompt": pace.prompt, "reply": pace.reply}).encode())


def _key(engine: Engine) -> str:
    return f"pace of {engine.identity}"
