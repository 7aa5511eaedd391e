"""Word an answer from a few extracts, with a language model that runs on this computer.

The prompt is short, because evaluating it takes most of the time on a slow computer. Its beginning is always the same
and is evaluated once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from readagent.core.escaping import escape_tokens
from readagent.core.words import count_words, sentences, truncate
from readagent.embedded.engine import Engine
from readagent.errors import BadReplyError

PROMPT_TOKENS, REPLY_TOKENS = 450, 40  # of a usual prompt and reply, for estimates
_WINDOW = 2048
_MOST_WORDS = 400  # of all extracts together
_MOST_TOKENS = 96  # of a reply
# Told to reply with a mark such as NOT SAID, the model refuses questions that it answers with this wording.
_TASK = "Answer the question in one sentence from the passages. If they do not say, answer: The text does not say."
_REFUSED = re.compile(
    r"\b(?:extracts?|text|passages?|context)\b[^.]{0,40}\b(?:do(?:es)? not|don't|doesn't)\b"
    r"[^.]{0,20}\b(?:say|answer|mention|state|specify|provide|contain|include|indicate|give)\b"
    r"|\bnot (?:mentioned|stated|specified|provided|given|said|found|answered) in the\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A worded answer, and the mean log probability of its tokens. An empty text says that there is no answer."""

    text: str
    fluent: float


class Writer:
    """Words answers with a GGUF model. The model is loaded for the first answer."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """The model and its instructions: answers that were kept are not used again if these change."""
        return f"{self._engine.identity} {hashlib.sha256(_TASK.encode()).hexdigest()[:8]}"

    async def word(self, question: str, extracts: Sequence[str]) -> Wording:
        """Return one or two sentences; an empty text if the model says that the extracts do not answer."""
        asked = {
            "messages": [
                {"role": "system", "content": _TASK},
                {"role": "user", "content": _prompt(question, extracts)},
            ],
            "temperature": 0,
            "max_tokens": _MOST_TOKENS,
            "cache_prompt": True,
            "logprobs": True,
        }
        reply, fluent = _content(await self._engine.post("/chat/completions", asked))
        return Wording(worded(reply), fluent)

    async def aclose(self) -> None:
        """Stop the model."""
        await self._engine.aclose()


def writer_of(path: Path) -> Writer:
    """Return a writer with the model in a GGUF file."""
    return Writer(Engine(path, window=_WINDOW, parallel=1))


def worded(reply: str) -> str:
    """Return the first two sentences of a reply; an empty string if it is a refusal."""
    few = sentences(reply)[:2]
    whole = [sentence for sentence in few if sentence[-1:] in ".!?\"'”’"]
    answer = " ".join(whole or few[:1])
    return "" if _REFUSED.search(answer) else answer


def _prompt(question: str, extracts: Sequence[str]) -> str:
    """Return the extracts, the strongest last, next to the question; the weakest are left out if they are too long."""
    room, shown = _MOST_WORDS, list[str]()
    for extract in extracts:
        shown.append(truncate(extract, room))
        room -= count_words(extract)
        if room <= 0:
            break
    return escape_tokens("\n\n".join([*reversed(shown), f"Question: {question}"]))


def _content(value: Any) -> tuple[str, float]:
    """Return the text of a reply, and the mean log probability of its tokens."""
    try:
        choice = value["choices"][0]
        tokens = (choice.get("logprobs") or {}).get("content") or []
        return str(choice["message"]["content"]), fmean(float(token["logprob"]) for token in tokens) if tokens else 0.0
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        raise BadReplyError("the reply of the engine contains no message") from None
