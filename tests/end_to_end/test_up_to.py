"""``up_to`` in every mode and through every door: no prompt has a word that comes later in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from readagent import AsyncConversation, AsyncReadAgent, AsyncShelf, Document, Library, Plan, Turn
from readagent.errors import NotInLibraryError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import skim

pytestmark = pytest.mark.anyio
COUNT, LAST = 60, 30  # paragraphs, and the last one that may be known
TEXT = "\n\n".join(
    f"In year {1800 + i} the miller told tale{i:03d} to the children of the village, and they went home in the evening "
    f"along the river with lanterns, past the old weir."
    for i in range(COUNT)
)
KNOWN = f"In year {1800 + LAST} the miller told tale{LAST:03d} to the children"
LATER = {f"tale{i:03d}" for i in range(LAST + 1, COUNT)}
QUESTION = "What did the miller tell the children of the village?"
_TALE = re.compile(r"tale\d{3}")


def gossip(prompt: str, constraint: Mapping[str, Any] | None) -> str:
    """Reply as the skimmer does, but end every gist with the last tale that the prompt tells."""
    reply, tales = skim(prompt, constraint), _TALE.findall(prompt)
    if not tales or "<memory>" in prompt or "<statements>" in prompt:
        return reply
    if constraint is not None and "pages" in constraint.get("properties", {}):
        pages = [
            {**page, "gist": f"{page['gist']} At last he told {tales[-1]}."} for page in json.loads(reply)["pages"]
        ]
        return json.dumps({"pages": pages})
    return reply if constraint is not None else f"{reply} At last he told {tales[-1]}."


def asked_since(server: LoopbackServer, before: int) -> list[str]:
    prompts = [request.prompt for request in server.requests[before:]]
    assert any("<question>" in prompt for prompt in prompts)
    return prompts


def told(prompts: list[str]) -> set[str]:
    return {tale for prompt in prompts for tale in _TALE.findall(prompt)}


@pytest.mark.parametrize(
    ("options", "plan"),
    [
        ({}, {}),
        ({"look_up": "sequential"}, {"task": "Collect the tales."}),
        ({"look_up": "none"}, {"recent": 2}),
        ({"look_up": "direct"}, {"pauses": "uniform"}),
    ],
    ids=["parallel", "sequential, task", "none, ageing", "direct, uniform"],
)
async def test_no_prompt_tells_what_comes_later(options: dict[str, Any], plan: dict[str, Any]) -> None:
    chosen = Plan(page_words=120, mode="fast", **plan)  # type: ignore[arg-type]
    async with (
        LoopbackServer(gossip) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url, plan=chosen, library=Library.in_memory()) as agent,
    ):
        memory = await agent.read(Document.from_text(TEXT))
        if not plan.get("pauses"):
            assert any(LATER & set(_TALE.findall(one.text)) for one in memory.gists[:3])  # the reader has gossiped
        before = len(server.requests)
        history = [Turn("And then?", "He told tale050."), Turn("First?", "He told tale000.", 10)]
        answer = await agent.ask(memory, QUESTION, up_to=KNOWN, history=history, **options)  # type: ignore[arg-type]
    prompts = asked_since(server, before)
    assert not LATER & told(prompts)
    assert f"tale{LAST - 1:03d}" in told(prompts)
    assert all(quote.end <= (answer.up_to or 0) for quote in answer.quotes)


async def test_a_conversation_tells_nothing_either() -> None:
    async with LoopbackServer(gossip) as server, AsyncReadAgent("skimmer", base_url=server.base_url) as agent:
        talk = AsyncConversation(agent, plan=Plan(page_words=120, mode="fast", recent=2))
        for paragraph in TEXT.split("\n\n"):
            await talk.add("Ann", paragraph)
        before = len(server.requests)
        await talk.ask(QUESTION, up_to=KNOWN)
    assert not LATER & told(asked_since(server, before))


@pytest.mark.parametrize(
    ("question", "options"),
    [(QUESTION, {"compare": True}), (QUESTION, {"documents": 1})],
    ids=["compare", "chosen by cards"],
)
async def test_a_shelf_tells_nothing_either(question: str, options: dict[str, Any]) -> None:
    chosen = Plan(page_words=120, mode="fast")  # type: ignore[arg-type]
    async with (
        LoopbackServer(gossip) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url, plan=chosen, library=Library.in_memory()) as agent,
    ):
        shelf = AsyncShelf(agent, "tales")
        card = await shelf.add(Document.from_text(TEXT, title="Tales"))
        other = await shelf.add(Document.from_text(TEXT.replace("tale", "song"), title="Songs"))
        before, places = len(server.requests), {card.document: KNOWN}
        history = [Turn("And then?", "He told tale050.")]
        answer = await shelf.ask(question, up_to=places, history=history, **options)  # type: ignore[arg-type]
        found = await shelf.look_up(QUESTION, up_to=places)
        kept = agent.library.shelves.answers("tales")[0].answer
        with pytest.raises(NotInLibraryError, match="is not on the shelf"):
            await shelf.ask(question, up_to={"0123456789abcdef": 1})
    prompts = asked_since(server, before)
    assert not LATER & told(prompts)
    assert f"tale{LAST - 1:03d}" in told(prompts)
    assert answer.up_to == kept.up_to == {card.document: TEXT.index(KNOWN) + len(KNOWN)}
    assert not LATER & set(_TALE.findall(" ".join([answer.text, *(one.text for one in answer.documents)])))
    cited = [*answer.quotes, *found]
    assert all(one.quote.end <= answer.up_to[card.document] for one in cited if one.document == card.document)
    assert other.document not in answer.up_to


async def test_a_search_of_a_shelf_leaves_out_what_comes_later() -> None:
    async with AsyncReadAgent(Skimmer(), library=Library.in_memory(), plan=Plan(page_words=120)) as agent:
        shelf = AsyncShelf(agent, "tales")
        card = await shelf.add(Document.from_text(TEXT))
        search, places = agent.library.shelves.search, {card.document: TEXT.index(KNOWN)}
        assert search("tales", [f"tale{COUNT - 1:03d}"], 5)[1] == [card.document]
        assert search("tales", [f"tale{COUNT - 1:03d}"], 5, up_to=places) == ([], [])
        assert search("tales", ["tale000"], 5, up_to=places) == ([], [card.document])
