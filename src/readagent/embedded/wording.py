"""Wording: the small language model, asked only what it can do: say in a sentence what a short passage says."""

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
_NOTHING = "\n"  # what stands before a text that stands by itself
_REPLY_TOKENS = 64
_GROUNDED = 0.9  # of an answer's terms


def grounded(answer: str, question: str, passages: Sequence[str]) -> bool:
    """Whether an answer says hardly anything that stands neither in the passages nor in the question."""
    known = {term for text in (question, *passages) for term in terms(text)}
    said = set(terms(answer))
    return bool(said) and len(said & known) >= _GROUNDED * len(said)


class SmallModel:
    """Words answers and weighs options with a GGUF model on this machine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        return self._engine.identity

    async def answer(self, question: str, passages: Sequence[str]) -> str:
        """One or two sentences; empty where the model said things of its own that the passages do not say."""
        prompt = _ANSWER.format(passages="\n\n".join(passages), question=question)
        asked = {
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": _REPLY_TOKENS,
            "cache_prompt": True,
        }
        said = sentences(_content(await self._engine.post("/chat/completions", asked)))
        whole = [sentence for sentence in said[:2] if sentence[-1:] in ".!?\"'”’"]
        answer = " ".join(whole or said[:1])
        return answer if grounded(answer, question, passages) else ""

    async def likelihoods(self, question: str, passages: Sequence[str], options: Sequence[str]) -> list[float]:
        """How likely each option is as the answer, for each of its tokens on average."""
        prompt = _OPTION.format(passages="\n\n".join(passages), question=question)
        return await likelihood(self._engine, prompt, [f" {option}" for option in options])

    async def follows(self, before: str, text: str) -> float:
        """How much likelier a text is, for each of its tokens on average, after another text than by itself."""
        (after,) = await likelihood(self._engine, before, [f" {text}"])
        (alone,) = await likelihood(self._engine, _NOTHING, [f" {text}"])
        return after - alone

    async def aclose(self) -> None:
        """End the engine."""
        await self._engine.aclose()


def _content(value: Any) -> str:
    try:
        return str(value["choices"][0]["message"]["content"])
    except (KeyError, IndexError, TypeError):
        raise BadReplyError("the engine's reply has no message in it") from None
