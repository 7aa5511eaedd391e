"""The small language model. It is only asked what it is able to do: answer in one sentence from a short passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from readagent.core.words import sentences
from readagent.embedded.engine import Engine
from readagent.embedded.scoring import likelihood
from readagent.errors import BadReplyError
from readagent.retrieval.terms import terms

_ANSWER = """{passages}

Question: {question}
Answer the question in one short sentence, using only the text above."""
_OPTION = """{passages}

Question: {question}
Answer:"""
_NO_CONTEXT = "\n"  # stands in for the context when a text is scored by itself
_REPLY_TOKENS = 64
_GROUNDED = 0.9  # share of an answer's terms that the passages or the question must contain


def is_grounded(answer: str, question: str, passages: Sequence[str]) -> bool:
    """Whether almost all terms of an answer occur in the passages or in the question."""
    known = {term for text in (question, *passages) for term in terms(text)}
    used = set(terms(answer))
    return bool(used) and len(used & known) >= _GROUNDED * len(used)


class SmallModel:
    """Writes answers and scores options with a GGUF model on this computer."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        return self._engine.identity

    async def answer(self, question: str, passages: Sequence[str]) -> str:
        """Return one or two sentences, or an empty string if the model wrote something that is not in the passages."""
        prompt = _ANSWER.format(passages="\n\n".join(passages), question=question)
        asked = {
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": _REPLY_TOKENS,
            "cache_prompt": True,
        }
        reply = sentences(_content(await self._engine.post("/chat/completions", asked)))
        whole = [sentence for sentence in reply[:2] if sentence[-1:] in ".!?\"'”’"]
        answer = " ".join(whole or reply[:1])
        return answer if is_grounded(answer, question, passages) else ""

    async def likelihoods(self, question: str, passages: Sequence[str], options: Sequence[str]) -> list[float]:
        """Return the mean log-probability per token of each option as the answer."""
        prompt = _OPTION.format(passages="\n\n".join(passages), question=question)
        return await likelihood(self._engine, prompt, [f" {option}" for option in options])

    async def likelihood_gain(self, before: str, text: str) -> float:
        """Return how much likelier a text is after another text than by itself, as mean log-probability per token."""
        (after,) = await likelihood(self._engine, before, [f" {text}"])
        (alone,) = await likelihood(self._engine, _NO_CONTEXT, [f" {text}"])
        return after - alone

    async def aclose(self) -> None:
        """Stop the engine."""
        await self._engine.aclose()


def _content(value: Any) -> str:
    try:
        return str(value["choices"][0]["message"]["content"])
    except (KeyError, IndexError, TypeError):
        raise BadReplyError("the reply of the engine contains no message") from None
