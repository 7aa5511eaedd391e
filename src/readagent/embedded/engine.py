"""Engine: a GGUF model run by llama.cpp on this computer, reached as any server is, on loopback and with a key."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from readagent.core.model import Ask, Reply
from readagent.core.words import estimate_tokens
from readagent.embedded.gguf import Header, fingerprint, read_header
from readagent.embedded.host import Host, Launch
from readagent.embedded.room import available_memory, fits, window_for
from readagent.errors import LoadError, UsageError
from readagent.models.capabilities import Facts
from readagent.models.endpoint import Endpoint
from readagent.models.failures import error_of, read_refusal
from readagent.models.http import Line
from readagent.models.providers import PROVIDERS
from readagent.models.wire import decode

SLOTS = 2
_LONGEST_WAIT = 3600.0  # seconds: a slow computer is not a broken line
_REPLY_ROOM = 1024  # tokens
_ELSEWHERE = "where there is no wheel for this computer, run the file in llama-server or Ollama and give --base-url"
_ANY = "http://127.0.0.1/v1"  # until the engine has started and has a port


class Engine:
    """A GGUF file that answers requests, loaded when first needed and gone with our process, or with ``aclose``.

    ``window`` is in tokens and for each request, prompt and reply together: by default what the model was trained for,
    at most 8192, and less where there is no memory for it. ``parallel`` requests (2) are worked on at once, each with
    the window to itself; the beginning that a prompt shares with the last one of a slot is not read again. Threads
    default to one less than there are processors. Where the model breaks down it is started again for the next request.
    """

    def __init__(
        self, path: Path | str, *, window: int | None = None, parallel: int | None = None, threads: int | None = None
    ) -> None:
        self.path = Path(path).expanduser()
        self.slots = max(1, parallel or SLOTS)
        self.threads = max(1, threads or _processors() - 1)
        self._asked = window
        self._window: int | None = None
        self._header: Header | None = None
        self._identity = ""
        self._key = secrets.token_urlsafe(32)
        self._host: Host | None = None
        self._line: Line | None = None
        self._endpoints: WeakSet[EngineEndpoint] = WeakSet()

    @property
    def header(self) -> Header:
        """What the file says about itself; a LoadError where it is not a language model that can be run."""
        if self._header is None:
            header = read_header(self.path)
            if not header.talks:
                kind = header.architecture or "unknown"
                raise LoadError(
                    f"{self.path} is a GGUF file, but no language model (its kind is {kind})",
                    hint="take an instruction-tuned language model",
                )
            self._header = header
        return self._header

    @property
    def identity(self) -> str:
        """The same for the same model, run after run: the file's name and what is in it, never the port."""
        if not self._identity:
            self._identity = f"gguf:{self.path.name} {fingerprint(self.path, self.header)}"
        return self._identity

    @property
    def window(self) -> int:
        """Tokens that one request may have, prompt and reply together, however many there are at once."""
        if self._window is None:
            room = available_memory()
            window = window_for(self.header, self._asked, self.slots, None, self.path.name)
            if not fits(self.header, window, self.slots, room) and not _has_gpu():
                window = window_for(self.header, self._asked, self.slots, room, self.path.name)
            self._window = window
        return self._window

    @property
    def key(self) -> str:
        """What clients must show."""
        return self._key

    async def start(self) -> str:
        """The base URL of the running server. It is started only once, whoever waits for it or gives up waiting."""
        if self._host is None or self._host.ended.done():
            self._host = self._launch()
        try:
            address = await asyncio.shield(asyncio.wrap_future(self._host.started))
        except ImportError as error:
            raise _broken(str(error)) from None
        except RuntimeError:
            raise LoadError(
                f"{self.path} cannot be run: llama.cpp does not load it",
                hint="the file may be damaged, or its model newer than the installed xllamacpp: "
                "download it once more, or pip install --upgrade xllamacpp",
            ) from None
        return f"{address}/v1"

    def lend(self, endpoint: EngineEndpoint) -> None:
        """Know of an endpoint, so that its connection is closed before the engine ends."""
        self._endpoints.add(endpoint)

    async def endpoint(self) -> Endpoint:
        """The engine as an ordinary talking model. Closing it does not end the engine."""
        endpoint = EngineEndpoint(self)
        await endpoint.reach()
        return endpoint

    async def post(self, path: str, value: Any) -> Any:
        """What the server answers to a JSON value; a ModelError where it refuses."""
        base_url = await self.start()
        if self._line is None or self._line.base_url != base_url:
            self._line = Line(base_url, key=self._key, timeout=_LONGEST_WAIT)
        heard = await self._line.post(path, value)
        if heard.status != 200:
            raise error_of(read_refusal(heard.status, heard.headers, heard.body, self._key), model=self.path.name)
        return decode(heard.body)

    async def aclose(self) -> None:
        """End it and give the memory back; what was under way breaks off. It starts again if used again."""
        line, self._line = self._line, None
        host, self._host = self._host, None
        if line is not None:
            await line.aclose()
        for endpoint in tuple(self._endpoints):
            await endpoint.hang_up()
        if host is not None:
            host.end()
            await asyncio.shield(asyncio.wrap_future(host.ended))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _launch(self) -> Host:
        window = self.window
        if importlib.util.find_spec("xllamacpp") is None:
            raise _missing()
        return Host(Launch(str(self.path.absolute()), self.path.name, window, self.slots, self.threads, self._key))


class EngineEndpoint(Endpoint):
    """The talking end of an engine, which starts with the first request; with ``own`` the engine ends with it."""

    def __init__(
        self,
        engine: Engine,
        *,
        own: bool = False,
        temperature: float | None = 0.0,
        timeout: float = _LONGEST_WAIT,
        remember: Callable[[Facts], None] | None = None,
    ) -> None:
        super().__init__(
            _ANY,
            engine.path.name,
            key=engine.key,
            temperature=temperature,
            timeout=max(timeout, _LONGEST_WAIT),
            window=engine.window,
            remember=remember,
            known_as=engine.identity,
        )
        self.engine = engine
        self._own = own
        engine.lend(self)

    def _reply_cap(self, prompt: str, facts: Facts) -> int:
        """A model that does not think aloud has no business to say more than it was told; small ones never end."""
        cap = super()._reply_cap(prompt, facts)
        return cap if self.engine.header.reasons else min(cap, max(_REPLY_ROOM, estimate_tokens(prompt)))

    async def complete(self, ask: Ask) -> Reply:
        """The model's reply. The first one is waited for longer: the model is loaded for it."""
        await self.reach()
        return await super().complete(ask)

    async def reach(self) -> None:
        """Have the engine started."""
        self._line.base_url = await self.engine.start()

    async def aclose(self) -> None:
        """Close the connection, and end the engine where it is this endpoint's own."""
        await self.hang_up()
        if self._own:
            await self.engine.aclose()

    async def hang_up(self) -> None:
        """Close the connection; it opens again if used again."""
        await super().aclose()


def gguf_path(model: str, base_url: str = "") -> Path | None:
    """The GGUF file that is meant by a model's name; None where the name is one of a server's."""
    if not model or base_url:
        return None
    path = Path(model).expanduser()
    try:
        if path.is_file():
            with path.open("rb") as file:
                return path if file.read(4) == b"GGUF" or path.suffix.lower() == ".gguf" else None
    except OSError:
        return path
    is_server = model.startswith(("http://", "https://")) or model.partition("/")[0].lower() in PROVIDERS
    return path if path.suffix.lower() == ".gguf" and not is_server else None


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _has_gpu() -> bool:
    try:
        from readagent.embedded.llama import has_gpu
    except ImportError:
        return False
    return has_gpu()


def _missing() -> UsageError:
    return UsageError(
        "running a GGUF file needs xllamacpp, which is not installed",
        hint=f"pip install 'readagent[local]'; {_ELSEWHERE}",
    )


def _broken(reason: str) -> UsageError:
    return UsageError(
        f"xllamacpp, which runs GGUF files, cannot be used on this computer: {reason}",
        hint=f"pip install --force-reinstall xllamacpp; {_ELSEWHERE}",
    )
