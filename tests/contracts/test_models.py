"""What every model must do: reply, stream the whole text to a listener, and make choices that can be parsed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from readagent.core.form import Choice, Form, Text
from readagent.core.model import Ask, Model
from readagent.core.prompts import Prompts
from readagent.models.cache import Cached
from readagent.models.endpoint import Endpoint
from readagent.models.ledger import Budget, Ledger, Payer
from readagent.models.limits import Slots
from readagent.models.retry import Retries, Retrying
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import Constrain
from readagent.testing.scripted import Recorder, Replay, ScriptedModel, Skimmer
from readagent.testing.skim import skim
from stores import MemoryStore

pytestmark = pytest.mark.anyio
PROMPTS = Prompts.load()
MEMORY = "<Page 0>\nAnn sails.\n\n<Page 1>\nBob mends the lamp."
TEXT = "Ann sailed out at dawn. The sea was calm and grey. Bob mended the lamp. Nobody saw her return to the quay."
SHORTER = Form((Text("Gist"),))
PLACE = Choice(("1", "2"), label="Break point")
TWO_PAGES = Choice(("0", "1"), 0, 2, label="Pages")
LETTER = Choice(("A", "B"), texts=("Ann", "Bob"))
GIST = Ask("gist", PROMPTS.fill("gist", form=SHORTER, passage=TEXT))
PAUSE = Ask(
    "paginate",
    PROMPTS.fill("paginate", form=PLACE, passage="One.\n\n<1>\n\nTwo.\n\n<2>\n\nThree."),
    PLACE,
)
PAGES = Ask(
    "look_up",
    PROMPTS.fill("look_up", form=TWO_PAGES, memory=MEMORY, question="Who mends it?", most=2, last=1),
    TWO_PAGES,
)
CHOOSE = Ask(
    "respond",
    PROMPTS.fill("choose", form=LETTER, memory=MEMORY, question="Who mends it?\n(A) Ann\n(B) Bob"),
    LETTER,
)
ASKS = {"gist": GIST, "pause": PAUSE, "pages": PAGES, "choose": CHOOSE}
Opening = Callable[[Path], AbstractAsyncContextManager[Model]]


@asynccontextmanager
async def scripted(path: Path) -> AsyncIterator[Model]:
    yield ScriptedModel(lambda ask: skim(ask.prompt))


@asynccontextmanager
async def skimmer(path: Path) -> AsyncIterator[Model]:
    yield Skimmer()


def endpoint(constrain: Constrain) -> Opening:
    @asynccontextmanager
    async def opened(path: Path) -> AsyncIterator[Model]:
        async with LoopbackServer(constrain=constrain) as server:
            model = Endpoint(server.base_url, "skimmer")
            yield model
            await model.aclose()

    return opened


@asynccontextmanager
async def replay(path: Path) -> AsyncIterator[Model]:
    recorder = Recorder(Skimmer(), path / "run.jsonl")
    for ask in ASKS.values():
        await recorder.complete(ask)
    yield Replay(path / "run.jsonl")


@asynccontextmanager
async def wrapped(path: Path) -> AsyncIterator[Model]:
    async with LoopbackServer(faults=["429", "cut", "500"]) as server:
        bare = Endpoint(server.base_url, "skimmer")
        payer = Payer(Ledger(Budget(tokens=1_000_000)))
        yield Recorder(Cached(Retrying(bare, Retries(Slots(8)), payer), MemoryStore()), path / "run.jsonl")
        await bare.aclose()


MODELS: dict[str, Opening] = {
    "scripted": scripted, "skimmer": skimmer, "endpoint, schema": endpoint("schema"),
    "endpoint, plain": endpoint("none"), "replay": replay, "all wrappers": wrapped,
}  # fmt: skip


@pytest.fixture(params=MODELS)
async def model(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Model]:
    async with MODELS[request.param](tmp_path) as opened:
        yield opened


async def test_it_replies_and_counts_tokens(model: Model) -> None:
    reply = await model.complete(GIST)
    assert 0 < len(reply.text) < len(TEXT)
    assert reply.finish == "stop"
    assert reply.usage.prompt_tokens > reply.usage.reply_tokens > 0


async def test_the_listener_receives_the_whole_text_once(model: Model) -> None:
    heard: list[str] = []
    reply = await model.complete(Ask("gist", GIST.prompt, listen=heard.append, restart=heard.clear))
    assert "".join(heard) == reply.text


async def test_its_choices_can_be_parsed(model: Model) -> None:
    for name, chosen in {"pause": ("2",), "pages": ("1",), "choose": ("B",)}.items():
        ask = ASKS[name]
        assert ask.choice is not None
        assert ask.choice.parse((await model.complete(ask)).text) == chosen
