"""The requests to the OpenAI-compatible endpoint, under /v1, over HTTP."""

from __future__ import annotations

from readagent.web.operations import Call, Operation
from readagent.web.proxy_door import ProxiedRequest


async def _last(call: Call) -> list[ProxiedRequest]:
    return call.service.proxy.last()


OPERATIONS = (
    Operation("GET", "/api/proxy", _last, "List the last requests to /v1, newest first.", list[ProxiedRequest]),
)
