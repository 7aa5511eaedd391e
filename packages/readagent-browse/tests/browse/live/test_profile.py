"""What stays after a visit, and what cannot be seen: cookies of a profile, and what a page draws itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent_browse.live import browse
from readagent_browse.live.visit import agree

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


@pytest.mark.slow
async def test_a_profile_keeps_cookies(tmp_path: Path) -> None:
    page = """<script>document.write(document.cookie.includes('who=Mira') ? '<p>Welcome back Mira, nice to see you here again</p>' :
    '<button onclick="document.cookie = \\'who=Mira; max-age=9999\\'">Enter as Mira</button>')</script>"""
    models = [ScriptedVisitor(["Enter as Mira"]), ScriptedVisitor([])]
    with site({"/": page}) as here:
        for number, model in enumerate(models):
            async with AsyncReadAgent(model, window=8000) as agent:
                folder = tmp_path / f"t{number}"
                assert (await browse(here.url, "Enter", agent, profile="cookie", folder=folder, confirm=agree)).done
    assert "Welcome back Mira" in models[1].prompts[0]
