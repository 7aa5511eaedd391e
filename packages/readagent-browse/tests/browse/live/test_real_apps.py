"""Real applications with slow resources: each flow ends rightly."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from browse.live.applications.flows import FLOWS, PASSWORD, Flow, Places
from browse.live.applications.slow_proxy import slowed
from browse.live.scripted_visitor import ScriptedVisitor
from needs import built_site
from readagent import AsyncReadAgent
from readagent_browse.live import Limits, agree, browse
from readagent_browse.step import WEB

pytestmark = [pytest.mark.anyio, pytest.mark.browser, pytest.mark.slow]
SLOWEST = 1.0  # seconds that a resource is kept back for
WHOLE = replace(WEB, page_words=50_000)  # pages are shown without gists


async def play(flow: Flow, folder: Path, docs: Path, slowest: float) -> str:
    """Return what is wrong with how a flow ended; empty if it ended rightly."""
    model, places = ScriptedVisitor(flow.acts), Places(folder, docs)
    with flow.site(places) as site, slowed(site, 1, slowest) as address:
        async with AsyncReadAgent(model) as agent:
            visit = await browse(
                address + flow.start, flow.name, agent, plan=WHOLE, limits=Limits(steps=30),
                secrets={"PW": PASSWORD}, confirm=agree, folder=folder / "trace",
            )  # fmt: skip
    if not visit.done:
        return visit.reason
    if failed := [step for step in visit.steps if step.error]:
        return f"{failed[0].description}: {failed[0].error}"
    if missing := [text for text in flow.ends if text not in model.pages[-1]]:
        return f"no {missing[0]!r} in:\n{model.pages[-1]}"
    if flow.quote and (visit.answer is None or [quote.text for quote in visit.answer.quotes] != [flow.quote]):
        return f"not quoted: {visit.answer}"
    return "" if flow.check(places) else "the data of the application is not as it should be"


@pytest.mark.release
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
async def test_a_flow_ends_rightly(flow: Flow, tmp_path: Path) -> None:
    docs = built_site(version("readagent")) if flow.name.startswith("documentation") else tmp_path
    assert await play(flow, tmp_path, docs, SLOWEST) == ""


@pytest.mark.release
async def test_a_flow_that_leaves_something_undone_is_not_right(tmp_path: Path) -> None:
    flow = next(flow for flow in FLOWS if flow.name == "Django admin: search and delete")
    undone = replace(flow, acts=flow.acts[:-1], ends=())
    assert await play(undone, tmp_path, tmp_path, 0) == "the data of the application is not as it should be"
