"""FreshDecisions: a model whose decisions in a visit are new, while gists may come from the library."""

from __future__ import annotations

from readagent.core.model import READING, Ask, Model, Reply


class FreshDecisions:
    """Asks again where the library has the decision of an earlier visit; within a visit, equal asks share a reply."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._asked: set[tuple[str, bytes]] = set()

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply to an ask."""
        reply, asked = await self._model.complete(ask), (ask.prompt, ask.picture)
        if ask.step not in READING and not reply.paid and asked not in self._asked:
            reply.discard()
            reply = await self._model.complete(ask)
        self._asked.add(asked)
        return reply
