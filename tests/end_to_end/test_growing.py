"""Growing texts through the public API: only new text is paid for, also after a failure at any call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readagent import Conversation, GistMemory, Library, Plan, ReadAgent
from readagent.core.model import Ask
from readagent.core.tokens import estimate_tokens
from readagent.errors import ConnectionFailedError, UsageError
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import SMALL, prose, sensible

AGEING = Plan(page_words=200, min_page_words=80, recent=2, floor_words=12)
TURNS = [("Ann" if n % 2 else "Bo", f"turn{n} " + " ".join(f"w{n}x{i}" for i in range(24)) + ".") for n in range(120)]


class Stopping(ScriptedModel):
    """A model that fails at its n-th call, and records what it was asked before."""

    def __init__(self, at: int = -1) -> None:
        self.left = at
        super().__init__(self._say)

    def _say(self, ask: Ask) -> str | Exception:
        if self.left == 0:
            return ConnectionFailedError("the line is cut")
        self.left -= 1
        return sensible(ask)


def tiles(memory: GistMemory) -> bool:
    return "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text


@pytest.fixture
def agent(library: Library) -> Iterator[ReadAgent]:
    with ReadAgent(Stopping(), library=library, plan=SMALL) as agent:
        yield agent


def test_append_keeps_pages_questions_and_the_row(agent: ReadAgent, library: Library) -> None:
    before = agent.read(prose(24))
    agent.ask(before, "Why?")
    after = agent.append(before, prose(16, words=14))
    assert after.pages[: len(before.pages) - 1] == before.pages[:-1]
    assert tiles(after)
    assert [row.id for row in library.documents()] == [after.document.id]
    assert agent.recall(after.document.id) == after
    assert len(library.answers(after.document.id)) == 1
    assert agent.append(after, "  \n") is after
    assert agent.read(after.document) == after


# Conversations


def test_the_model_is_not_called_until_a_page_is_full(library: Library) -> None:
    model = Stopping()
    with ReadAgent(model, library=library) as agent:
        talk = Conversation(agent, "trip", plan=AGEING)
        for speaker, text in TURNS[:7]:
            talk.add(speaker, text)
        assert model.asks == []
        assert talk.context(2000).endswith(TURNS[6][1])
        talk.add(*TURNS[7])
        assert [ask.step for ask in model.asks] == ["paginate", "gist"]
        memory = talk.memory()
        assert tiles(memory)
        assert [one.origin for one in memory.gists] == ["model", "verbatim"]
        assert memory.document.text.startswith("Bo: turn0 ")


def test_a_conversation_survives_a_restart(tmp_path: Path) -> None:
    with Library(tmp_path) as library, ReadAgent(Stopping(), library=library) as agent:
        talk = Conversation(agent, "trip", plan=AGEING)
        for turn in TURNS[:50]:
            talk.add(*turn)
        memory, shown = talk.memory(), talk.context(400)
    model = Stopping()
    with Library(tmp_path) as library, ReadAgent(model, library=library) as agent:
        again = Conversation(agent, "trip", plan=AGEING)
        assert again.memory() == memory
        assert again.context(400) == shown
        assert model.asks == []
        again.add("Ann", "And on we go.")
        assert again.context(400).endswith("Ann: And on we go.")
        assert again.ask("Where to?").text == "Because."
        (row,) = library.documents()
        assert (row.title, row.questions) == ("trip", 1)
        assert Conversation(agent, "another").memory().pages == ()


def add_until_failure(talk: Conversation) -> int:
    """Return the number of the turn at which the model failed."""
    for number, turn in enumerate(TURNS):
        try:
            talk.add(*turn)
        except ConnectionFailedError:
            return number
    raise AssertionError("it did not fail")


@pytest.mark.slow
def test_a_turn_is_kept_if_the_model_fails(tmp_path: Path) -> None:
    with ReadAgent(Stopping(), library=None) as agent:
        straight = Conversation(agent, "trip", plan=AGEING)
        for turn in TURNS:
            straight.add(*turn)
        memory = straight.memory()
    expected = (memory.document.text, memory.pages, memory.gists)
    for at in (0, 3, 5):
        with Library(tmp_path / str(at)) as library:
            model = Stopping(at)
            with ReadAgent(model, library=library) as agent:
                talk = Conversation(agent, "trip", plan=AGEING)
                failed = add_until_failure(talk)
                assert tiles(talk.memory())
                assert talk.memory().document.text.endswith(TURNS[failed][1])
                resumed = Conversation(agent, "trip", plan=AGEING)
                assert resumed.memory() == talk.memory()
                model.left = -1
                for turn in TURNS[failed + 1 :]:
                    resumed.add(*turn)
                made = resumed.memory()
                assert (made.document.text, made.pages, made.gists) == expected


def test_two_processes_can_add_to_one_conversation(tmp_path: Path) -> None:
    with (
        Library(tmp_path) as one,
        Library(tmp_path) as two,
        ReadAgent(Stopping(), library=one) as first,
        ReadAgent(Stopping(), library=two) as second,
    ):
        ann, bo = Conversation(first, "trip", plan=AGEING), Conversation(second, "trip", plan=AGEING)
        ann.add("Ann", "One.")
        bo.add("Bo", "Two.")
        ann.add("Ann", "Three.")
        ann.add("Ann", "Four.")
        bo.add("Bo", "Five.")
        assert bo.memory().document.text.split("\n\n") == ["Ann: One.", "Bo: Two.", "Ann: Three.", "Ann: Four.", "Bo: Five."]  # fmt: skip
        assert len(one.documents()) == 1
        one.remove(bo.memory().document.id)
        bo.add("Bo", "Six.")
        assert bo.memory().document.text == "Bo: Six."


def test_the_context_is_within_its_budget() -> None:
    with ReadAgent(Skimmer()) as agent:
        talk = Conversation(agent, plan=AGEING)
        for n, turn in enumerate(TURNS):
            talk.add(*turn)
            if n % 17 == 0:
                for budget in (10, 60, 300, 900):
                    shown = talk.context(tokens=budget)
                    assert estimate_tokens(shown) <= budget
                    assert shown == talk.context(tokens=budget)


def test_invalid_use_of_a_conversation() -> None:
    with ReadAgent(Skimmer()) as agent:
        talk = Conversation(agent)
        with pytest.raises(UsageError, match="must have some text"):
            talk.add("Ann", "  ")
        with pytest.raises(UsageError, match="the conversation is empty"):
            talk.ask("Who?")
        with pytest.raises(UsageError, match="not both"):
            talk.context(10, tokens=10)
        with pytest.raises(UsageError, match="at least 1"):
            talk.context(0)
        with pytest.raises(UsageError, match="needs a name"):
            Conversation(agent, " ")
        assert talk.context() == ""
