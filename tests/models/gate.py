"""A model whose replies are released one by one."""

from __future__ import annotations

import asyncio

from readagent.core.model import Ask, Reply


class Gate:
    """Holds every call until ``let`` is called with its prompt."""

    name = "gate"

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Future[Reply]] = {}

    async def complete(self, ask: Ask) -> Reply:
        self.begun.append(ask.prompt)
        self.gates[ask.prompt] = asyncio.get_running_loop().create_future()
        return await self.gates[ask.prompt]

    def let(self, prompt: str, reply: Reply | None = None) -> None:
        self.gates[prompt].set_result(reply or Reply(prompt))

    def fail(self, prompt: str, error: Exception) -> None:
        self.gates[prompt].set_exception(error)


async def let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)
