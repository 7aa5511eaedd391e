"""The MCP server inside `readagent serve`, at /mcp. It has the same library, agent and token as everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from starlette.routing import BaseRoute

from readagent.web.guard import MCP_PATH
from readagent.web.service import Service


@dataclass(frozen=True, slots=True)
class AgentRoutes:
    """The routes for MCP clients; they work while ``running()`` is entered."""

    routes: Sequence[BaseRoute]
    running: Callable[[], AbstractAsyncContextManager[None]]


def mcp_app(service: Service) -> AgentRoutes:
    """Return the routes for MCP clients. Documents that they let read are read by jobs, as those of the page are."""
    from mcp.server.transport_security import TransportSecuritySettings

    from readagent.mcp_server.desk import Desk
    from readagent.mcp_server.server import server_for
    from readagent.mcp_server.sources import Sources
    from readagent.web.agent_readings import JobReads

    options = service.options
    sources = Sources(options.folders, allow_private=options.allow_private)
    desk = Desk(service.agent, sources, service.worker.call, options.read_only, JobReads(service))
    server = server_for(desk)
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        max_request_body_size=options.max_upload,
        # The guard has checked the host and the origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return AgentRoutes(app.routes, server.session_manager.run)
