"""The agents: inside a running loop, from several threads, with a custom model, and in a short script."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from readagent import Conversation, Document, Library, Question, ReadAgent, Shelf, load
from readagent.errors import UsageError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from sessions import EXAMPLES

STORY = load(EXAMPLES / "story.txt")
MEETING = load(EXAMPLES / "meeting.txt")


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer().in_thread() as server:
        yield server


@pytest.mark.anyio
async def test_the_sync_agent_works_inside_a_running_loop(server: LoopbackServer) -> None:
    with ReadAgent("skimmer", base_url=server.base_url) as agent:
        memory = agent.read(MEETING)
        assert agent.ask(memory, "Where was the wallpaper steamer?").text


@pytest.mark.slow
def test_several_threads_share_an_agent_and_a_library(server: LoopbackServer, library: Library) -> None:
    questions = [f"What is said about {word}?" for word in "salt barge key flag pump lintel cork regatta".split()]
    with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent, ThreadPoolExecutor(4) as pool:
        memories = list(pool.map(agent.read, [STORY, MEETING, STORY, MEETING]))
        assert memories[0].gists == memories[2].gists
        assert memories[1].gists == memories[3].gists
        answers = list(pool.map(lambda question: agent.ask(memories[0], question), questions))
    assert [answer.question.text for answer in answers] == questions
    assert len(library.answers(STORY.id)) == len(questions)
    asked = [request.prompt for request in server.requests]
    assert len(asked) == len(set(asked)), "the same was asked twice"


def test_an_unknown_keyword() -> None:
    with pytest.raises(TypeError, match="windw"):
        ReadAgent("http://127.0.0.1:9/v1", windw=3)  # type: ignore[call-arg]
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(Document.from_text("One line, and no more."))
        with pytest.raises(TypeError, match="'lookup'; did you mean 'look_up'"):
            agent.ask(memory, "Why?", lookup="none")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="'comapre'; did you mean 'compare'"):
            Shelf(agent, "goods").ask("Why?", comapre=True)  # type: ignore[call-arg]


def test_ordinary_mistakes_get_a_clear_error() -> None:
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(MEETING)
        with pytest.raises(TypeError, match="list of Turn"):
            agent.ask(memory, "Why?", history=[("Who?", "Irma.")])  # type: ignore[list-item]
        with pytest.raises(UsageError, match="look_up must be one of parallel, sequential, direct, none, not 'all'"):
            agent.ask(memory, "Why?", look_up="all")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="a question is a text or a Question, not 5") as asked:
            agent.ask(memory, 5)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="a text or a Document is needed, not NoneType") as appended:
            agent.append(memory, None)  # type: ignore[arg-type]
        assert asked.value.hint
        assert appended.value.hint
        with pytest.raises(UsageError, match="needs a name"):
            Conversation(agent, 4)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="takes the number of a turn"):
            Conversation(agent).forget(True)
        with pytest.raises(UsageError, match="must be a text, not 1"):
            ReadAgent("openai/m", model_options={1: 2})  # type: ignore[dict-item]
        with pytest.raises(UsageError, match="needs a name"):
            Shelf(agent, " ")
    with pytest.raises(UsageError, match="the agent is closed"):
        agent.ask(memory, "Why?")
    with pytest.raises(UsageError, match="not one text"):
        Question.choice("Who?", "ab")
