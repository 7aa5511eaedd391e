"""A shop of 50,000 words in a real browser: the one element that is needed is found within 8,000 tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.agent import AsyncReadAgent
from readagent.core.model import Ask
from readagent.core.words import estimate_tokens
from readagent.testing.scripted import ScriptedModel
from readagent.webnav.live import agree, browse
from web_pages import shop_page, shopper
from webnav.live.site import site

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


def buyer(ask: Ask) -> str:
    """The shopper, who is done where there is no kettle left to buy."""
    return "DONE" if 'titled "Bought"' in ask.prompt else shopper(ask)


async def test_the_needed_element_of_50000_words_is_reached_within_8000_tokens(tmp_path: Path) -> None:
    shop = shop_page(50_000).replace("<button>Buy this", "<button onclick=\"location='/bought'\">Buy this")
    model = ScriptedModel(buyer)
    with site({"/": shop, "/bought": "<title>Bought</title><a href=/>Home</a>"}) as here:
        async with AsyncReadAgent(model, window=8000) as agent:
            visit = await browse(here.url, "Buy the kettle", agent, confirm=agree, folder=tmp_path / "t")
        assert any(line.endswith("/bought") for line in here.asked)
    first, _ = visit.steps
    assert visit.done
    assert "Buy this kettle" in first.words
    assert "kettle" in first.near
    assert first.page_words > 50_000
    assert first.compression > 0.9
    assert max(estimate_tokens(ask.prompt) for ask in model.asks) < 8000
    assert not visit.trace.fallbacks
