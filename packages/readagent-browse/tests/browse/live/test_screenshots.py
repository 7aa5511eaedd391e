"""Screenshots for models that see: what is sent, what is masked in it, and what happens where it cannot be sent."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from browse.live.scripted_visitor import Act, ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.errors import BrowserError
from readagent.testing.loopback import LoopbackServer
from readagent_browse.live import Limits, browse
from readagent_browse.live.browser_tab import BrowserTab

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
PAGES = {
    "/": "<title>Shop</title><p>The word is s3same-open.</p><a href=/lamps>Lamps</a>",
    "/lamps": "<title>Lamps</title><h1>Lamps</h1>",
}
HEAD = b"data:image/png;base64,"


def server(acts: list[Act]) -> LoopbackServer:
    model = ScriptedVisitor(acts)
    return LoopbackServer(lambda prompt, _: model.answer(prompt))


def pictures(messages: list[dict[str, Any]]) -> list[bytes]:
    """Return the pictures in a request."""
    parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    assert all(url.startswith(HEAD.decode()) for url in urls)
    return [b64decode(url[len(HEAD) :]) for url in urls]


async def visit(here: str, model: LoopbackServer, folder: Path, **options: Any) -> Any:
    async with AsyncReadAgent("skimmer", base_url=model.base_url, window=options.pop("window", 8000)) as agent:
        return await browse(here, "Show me the lamps", agent, folder=folder, limits=Limits(steps=4), **options)


async def test_the_model_sees_the_picture_that_the_trace_keeps(tmp_path: Path) -> None:
    with site(PAGES) as here, server(["Lamps"]).in_thread() as model:
        done = await visit(here.url, model, tmp_path / "t", screenshots=True, secrets={"WORD": "s3same-open"})
        sent = [(one.prompt, pictures(one.messages)) for one in model.requests]
        await visit(here.url, model, tmp_path / "plain")
        plain = model.requests[len(sent) :]
    assert done.done
    decisions = [seen for prompt, seen in sent if "in one of these forms" in prompt]
    assert decisions == [[(tmp_path / "t" / f"step-0{n}.png").read_bytes()] for n in (1, 2)]
    assert all("The picture shows the part of this page" in prompt for prompt, seen in sent if seen)
    assert all(not seen for prompt, seen in sent if "in one of these forms" not in prompt), "gists need none"
    assert plain
    assert all(isinstance(one.messages[0]["content"], str) and "picture" not in one.prompt for one in plain)


async def test_without_a_picture_the_page_is_shown_as_text_and_that_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> bytes:
        raise BrowserError("could not take a screenshot")

    monkeypatch.setattr(BrowserTab, "screenshot", fail)
    with site(PAGES) as here, server([]).in_thread() as model:
        done = await visit(here.url, model, tmp_path / "t", screenshots=True)
        assert not pictures(model.requests[0].messages)
        assert "The picture" not in model.requests[0].prompt
    assert [one.reason for one in done.trace.fallbacks] == ["no screenshot could be taken"]
