"""A shop of 100,000 words in a real browser: the needed element is found with prompts under 8,000 tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.core.model import Ask
from readagent.core.tokens import estimate_tokens
from readagent.testing.scripted import ScriptedModel
from readagent_browse.live import agree, browse
from web_pages import shop_page, shopper

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


def buyer(ask: Ask) -> str:
    """Answer like the shopper, and stop once the kettle is bought."""
    return "DONE" if "<title>Bought</title>" in ask.prompt else shopper(ask)


async def test_the_needed_element_in_100000_words_is_found_with_8000_tokens(tmp_path: Path) -> None:
    shop = shop_page(100_000).replace("<button>Buy this", "<button onclick=\"location='/bought'\">Buy this")
    model = ScriptedModel(buyer)
    with site({"/": shop, "/bought": "<title>Bought</title><a href=/>Home</a>"}) as here:
        async with AsyncReadAgent(model, window=8000) as agent:
            visit = await browse(here.url, "Buy the kettle", agent, confirm=agree, folder=tmp_path / "t")
        assert any(line.endswith("/bought") for line in here.asked)
    first, _ = visit.steps
    assert visit.done
    assert "Buy this kettle" in first.description
    assert "kettle" in first.context
    assert first.page_words > 100_000
    assert first.compression > 0.9
    assert max(estimate_tokens(ask.prompt) for ask in model.asks) < 8000
    assert len(model.asks) <= 8
    assert not visit.trace.fallbacks
