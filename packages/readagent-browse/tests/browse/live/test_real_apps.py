"""Real applications with slow resources: each flow of `benchmarks/real_apps.py` that needs no download ends rightly."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
from benchmarks.applications.flows import FLOWS, Flow
from benchmarks.applications.play import play

from needs import built_site

pytestmark = [pytest.mark.anyio, pytest.mark.browser, pytest.mark.slow]
SLOWEST = 1.0  # seconds that a resource is kept back for; the benchmark has 2


@pytest.mark.release
@pytest.mark.parametrize("flow", [flow for flow in FLOWS if not flow.fetches], ids=lambda flow: flow.name)
async def test_a_flow_ends_rightly(flow: Flow, tmp_path: Path) -> None:
    docs = built_site(version("readagent")) if flow.name.startswith("documentation") else tmp_path
    assert (await play(flow, 1, tmp_path, docs, SLOWEST)).problem == ""


@pytest.mark.release
async def test_a_flow_that_leaves_something_undone_is_not_right(tmp_path: Path) -> None:
    flow = next(flow for flow in FLOWS if flow.name == "Django admin: search and delete")
    undone = Flow(flow.name, flow.site, flow.start, flow.acts[:-1], (), flow.check)
    assert (
        await play(undone, 1, tmp_path, tmp_path, 0)
    ).problem == "the data of the application is not as it should be"
