"""Which servers refuse a prompt that is too long, and which may cut it, as far as they tell."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from readagent.models.http import HttpClient
from readagent.models.server_info import fetch_limits

pytestmark = pytest.mark.anyio

OTHER = {"data": [{"id": "m", "owned_by": "me"}]}
NEAR = "http://127.0.0.1:9000/v1"


def props(build: str) -> dict[str, Any]:
    return {"build_info": build, "default_generation_settings": {"n_ctx": 4096}}


@pytest.mark.parametrize(
    ("url", "paths", "refuses"),
    [
        ("https://api.openai.com/v1", {"/v1/models": OTHER}, True),
        (NEAR, {"/v1/models": {"data": [{"id": "m", "owned_by": "llamacpp"}]}, "/props": props("b5000-0123abc")}, None),
        (NEAR, {"/v1/models": OTHER, "/api/v0/models": {"data": [{"id": "m", "loaded_context_length": 4096}]}}, False),
        (NEAR, {"/v1/models": {"data": [{"id": "m", "owned_by": "me", "max_model_len": 4096}]}}, None),
    ],
)
async def test_servers_are_told_apart(url: str, paths: dict[str, Any], refuses: bool | None) -> None:
    def handle(request: httpx2.Request) -> httpx2.Response:
        found = paths.get(request.url.path)
        return httpx2.Response(404) if found is None else httpx2.Response(200, json=found)

    client = HttpClient(url, transport=httpx2.MockTransport(handle))
    found = await fetch_limits(client, "m")
    await client.aclose()
    assert found.refuses is refuses
    assert found.window == (None if "openai" in url else 4096)
