"""Real applications with slow resources: each flow ends rightly."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from browse.live.applications.flows import FLOWS, Flow
from browse.live.applications.play import play
from needs import built_site

pytestmark = [pytest.mark.anyio, pytest.mark.browser, pytest.mark.slow]
SLOWEST = 1.0  # seconds that a resource is kept back for


@pytest.mark.release
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
async def test_a_flow_ends_rightly(flow: Flow, tmp_path: Path) -> None:
    docs = built_site(version("readagent")) if flow.name.startswith("documentation") else tmp_path
    assert (await play(flow, 1, docs, SLOWEST)).problem == ""


@pytest.mark.release
async def test_a_flow_that_leaves_something_undone_is_not_right(tmp_path: Path) -> None:
    flow = next(flow for flow in FLOWS if flow.name == "Django admin: search and delete")
    undone = Flow(flow.name, flow.site, flow.start, flow.acts[:-1], (), flow.check)
    assert (await play(undone, 1, tmp_path, 0)).problem == "the data of the application is not as it should be"
