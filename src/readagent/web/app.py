"""The application: all routes, behind the guard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readagent.errors import LibraryError
from readagent.proxy.app import proxy_routes
from readagent.proxy.messages_door import MessagesDoor
from readagent.web import (
    answers,
    beside,
    documents,
    filling,
    job_routes,
    library,
    markdown,
    overviews,
    sample,
    searching,
    setup,
    shelves,
    status,
    trash,
    uploads,
)
from readagent.web.agents import mcp_app
from readagent.web.openapi import described, page_of
from readagent.web.operations import Operation, failure
from readagent.web.page_guard import Guard
from readagent.web.patience import PatientApp
from readagent.web.problems import RefusedError
from readagent.web.service import Service

STATIC = Path(__file__).parent / "static"
_ADDED = [point.load() for point in entry_points(group="readagent.web")]  # OPERATIONS, and a folder STATIC of scripts
OPERATIONS: tuple[Operation, ...] = (
    *status.OPERATIONS,
    *setup.OPERATIONS,
    *sample.OPERATIONS,
    *documents.OPERATIONS,
    *beside.OPERATIONS,
    *library.OPERATIONS,
    *searching.OPERATIONS,
    *uploads.OPERATIONS,
    *trash.OPERATIONS,
    *answers.OPERATIONS,
    *markdown.OPERATIONS,
    *overviews.OPERATIONS,
    *filling.OPERATIONS,
    *shelves.OPERATIONS,
    *job_routes.OPERATIONS,
    *(one for added in _ADDED for one in added.OPERATIONS),
)
_RENEWED = 10.0  # seconds between two renewals of the claim on the library
_LOOKED = 2.0  # seconds between two looks at whether the library has changed


def application(service: Service) -> ASGIApp:
    """Return the application for a service. Its start and end are those of the service."""
    description = described(OPERATIONS)
    static = StaticFiles(directory=STATIC, check_dir=False)
    static.all_directories += [added.STATIC for added in _ADDED]

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def index(request: Request) -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    async def openapi(request: Request) -> Response:
        return JSONResponse(description)

    async def docs(request: Request) -> Response:
        return HTMLResponse(page_of(description))

    for_agents = mcp_app(service) if find_spec("mcp") is not None else None

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(_repeat(service, service.renew, _RENEWED)),
            asyncio.create_task(_repeat(service, service.look, _LOOKED)),
        ]
        try:
            async with for_agents.running() if for_agents is not None else nullcontext():
                yield
        finally:
            await service.proxy.aclose()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    app = Starlette(
        routes=[
            Route("/healthz", health),
            Route("/api/openapi.json", openapi),
            Route("/api/docs", docs),
            *(Route(one.path, one.endpoint(service), methods=[one.method]) for one in OPERATIONS),
            *(for_agents.routes if for_agents is not None else ()),
            *proxy_routes(service.proxy.find),
            Mount("/static", static),
            Route("/", index),
        ],
        exception_handlers={HTTPException: _refused, RefusedError: _told, Exception: _failed},
        lifespan=lifespan,
    )
    options = service.options
    guarded = Guard(app, token=options.token, code=options.code, hosts=options.hosts, read_only=options.read_only)
    return MessagesDoor(_Counted(PatientApp(guarded, options.patience), service))


async def _repeat(service: Service, work: Callable[[], None], every: float) -> None:
    while True:
        await asyncio.sleep(every)
        with suppress(LibraryError):  # the database is away for a moment
            await service.on_thread(work)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer a request that no route takes."""
    assert isinstance(error, HTTPException)
    what = {404: "there is nothing at this address", 405: "this method is not allowed here"}
    return failure(RefusedError(error.status_code, what.get(error.status_code, error.detail), hint="see /api/docs"))


async def _told(request: Request, error: Exception) -> Response:
    """Answer a request that was refused outside an operation."""
    assert isinstance(error, RefusedError)
    return failure(error)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer a request that met a bug; the log has its traceback."""
    kind = type(error).__name__
    hint = "nothing is lost; the log of the server says more"
    return failure(RefusedError(500, f"unexpected error (a bug in readagent): {kind}", hint=hint))


class _Counted:
    """Counts requests and their seconds, by route."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._metrics = app, service.metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = monotonic()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = scope.get("route")
                path = route.path if isinstance(route, Route) else "other"
                self._metrics.request(scope["method"], path, message["status"], monotonic() - began)
            await send(message)

        await self._app(scope, receive, counted)
