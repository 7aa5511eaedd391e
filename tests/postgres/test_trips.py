"""How often the server is asked: on another machine, every trip to it takes time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from library.shelf import kept, memory_of
from readagent import Library, ReadAgent
from readagent.core.model import Ask, Reply
from readagent.library.postgres_schema import Statements
from readagent.testing import Skimmer

pytestmark = pytest.mark.slow

_MOST_OF_AN_ASK = 16  # with two replies that are stored


class Trips:
    """Records what goes to the server: the statements of each trip."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._said: list[str] = []
        for name in ("run", "script", "piped"):
            monkeypatch.setattr(Statements, name, self._counted(getattr(Statements, name)))

    def _counted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(statements: Statements, connection: object, sent: Any, *values: Any) -> Any:
            self._said.append(sent if isinstance(sent, str) else "; ".join(sql for sql, *_ in sent))
            return method(statements, connection, sent, *values)

        return counted

    def of(self, work: Callable[[], object]) -> int:
        """Return how many trips some work takes."""
        self._said.clear()
        work()
        return len(self._said)

    def waits(self) -> int:
        """Return how often this work waited for the disk: at the end of what writes, except a lease."""
        ends = [said for said in self._said if said.endswith("COMMIT") and "READ ONLY" not in said]
        alone = [said for said in self._said if said.startswith(("INSERT", "UPDATE", "DELETE")) and "; " not in said]
        return len(ends) + sum("synchronous_commit" not in said for said in alone)


def test_lists_memories_and_replies_take_one_trip(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trips = Trips(monkeypatch)
    with Library(postgres_url) as library:
        for number in range(30):
            memory = memory_of(f"{number} {'The ferry was late. ' * 50}", title=str(number))
            name = kept(library, memory)
        assert trips.of(library.documents) == 1
        assert trips.of(lambda: library.row(name)) == 1
        assert trips.of(lambda: library.memory(name)) == 1
        assert trips.of(lambda: library.memory(name, key=["other", memory.key])) == 1
        assert trips.of(lambda: library.put("key", "m", Ask("gist", "prompt"), Reply("reply"))) == 1
        assert trips.of(lambda: library.get("key")) == 1
        assert len(library.search("ferry")) == 20
        assert trips.of(lambda: library.search("ferry")) == 2


def test_a_question_takes_few_trips(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trips = Trips(monkeypatch)
    with Library(postgres_url) as library, ReadAgent(Skimmer(), library=library) as agent:
        memory = agent.read(memory_of("Anna crossed the river at night. " * 400, source="/books/a.txt").document)
        agent.ask(memory, "Who crossed the river?")
        assert trips.of(lambda: agent.ask(memory, "Who crossed the river at night?")) <= _MOST_OF_AN_ASK
        assert trips.waits() == 3  # for two replies and the answer
