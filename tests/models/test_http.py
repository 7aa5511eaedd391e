"""What is sent to servers besides a request: nothing that another reply has left behind."""

from __future__ import annotations

import httpx2

from readagent.models.http import HttpClient
from sessions import run


def test_no_cookie_is_kept() -> None:
    seen: list[str | None] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers.get("cookie"))
        return httpx2.Response(200, headers={"set-cookie": "session=of-somebody; Path=/"}, json={})

    async def ask_twice() -> None:
        client = HttpClient("http://localhost/v1", transport=httpx2.MockTransport(handle))
        for _ in range(2):
            async with client.relay("GET", "/models", None, [("X-Name", "\xfc")], 60.0) as reply:
                assert reply.status == 200
        await client.aclose()

    run(ask_twice())
    assert seen == [None, None]
