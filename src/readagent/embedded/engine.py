"""Engine: runs a GGUF model with llama.cpp on this computer, as a server on loopback that requires a key."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from readagent.core.model import Ask, Reply
from readagent.embedded.gguf import SLOTS, Header, available_memory, choose_window, fingerprint, fits, read_header
from readagent.embedded.process import Launch, ModelProcess
from readagent.embedded.weights import install_hint
from readagent.errors import LoadError, UsageError
from readagent.models.endpoint import Endpoint
from readagent.models.http import HttpClient
from readagent.models.refusal import error_from, read_refusal
from readagent.models.request import Capabilities
from readagent.models.wire import decode

_MAX_BYTES = 64_000_000  # of one reply; likelihoods of many tokens are long
_TIMEOUT = 3600.0  # seconds: a slow computer must not look like a lost connection
_REPLY_TOKENS = 1024
_ELSEWHERE = "if there is no wheel for this computer, run the file with llama-server or Ollama and set `base_url`"
_NO_ADDRESS = "http://127.0.0.1/v1"  # until the engine has started and has a port


class Engine:
    """Runs a GGUF file. The model is loaded on first use, and ends with our process or with ``aclose``.

    ``window`` is in tokens per request, prompt and reply together. By default it is what the model was trained for, but
    at most 8192, and less if memory is short. ``parallel`` requests (2) run at the same time, each with a full window.
    The beginning that a prompt shares with the previous one in its slot is not evaluated again. ``threads`` defaults to
    the number of processors on Linux, where waiting threads sleep, and to one less elsewhere. If the model crashes, it
    is started again for the next request.
    """

    def __init__(
        self, path: Path | str, *, window: int | None = None, parallel: int | None = None, threads: int | None = None
    ) -> None:
        self.path = Path(path).expanduser()
        self.slots = max(1, parallel or SLOTS)
        self.threads = max(1, threads or _processors() - (sys.platform != "linux"))
        self._requested_window = window
        self._window: int | None = None
        self._header: Header | None = None
        self._identity = ""
        self._key = secrets.token_urlsafe(32)
        self._process: ModelProcess | None = None
        self._client: HttpClient | None = None
        self._endpoints: WeakSet[EngineEndpoint] = WeakSet()

    @property
    def header(self) -> Header:
        """The header of the file. Raises LoadError if it is not a language model."""
        if self._header is None:
            header = read_header(self.path)
            if not header.is_language_model:
                kind = header.architecture or "unknown"
                raise LoadError(
                    f"{self.path} is a GGUF file, but not a language model (its architecture is {kind})",
                    hint="use an instruction-tuned language model",
                )
            self._header = header
        return self._header

    @property
    def identity(self) -> str:
        """File name and content hash: the same for the same model in every run, whatever the port is."""
        if not self._identity:
            self._identity = f"gguf:{self.path.name} {fingerprint(self.path, self.header)}"
        return self._identity

    @property
    def window(self) -> int:
        """The window of each request in tokens, prompt and reply together."""
        if self._window is None:
            memory = available_memory()
            window = choose_window(self.header, self._requested_window, self.slots, None, self.path.name)
            if not fits(self.header, window, self.slots, memory) and not _has_gpu():
                window = choose_window(self.header, self._requested_window, self.slots, memory, self.path.name)
            self._window = window
        return self._window

    @property
    def key(self) -> str:
        """The key that clients must send."""
        return self._key

    async def start(self) -> str:
        """Start the server if necessary, and return its base URL. Concurrent and cancelled calls share one start."""
        if self._process is None or self._process.ended.done():
            self._process = self._launch()
        try:
            address = await asyncio.shield(asyncio.wrap_future(self._process.started))
        except ImportError as error:
            raise _import_failed(str(error)) from None
        except RuntimeError:
            raise LoadError(
                f"could not run {self.path}: llama.cpp cannot load it",
                hint="the file may be damaged, or newer than the installed xllamacpp: "
                "download it again, or pip install --upgrade xllamacpp",
            ) from None
        return f"{address}/v1"

    def register(self, endpoint: EngineEndpoint) -> None:
        """Register an endpoint whose connection is closed before the engine stops."""
        self._endpoints.add(endpoint)

    async def endpoint(self) -> Endpoint:
        """Start the engine and return it as an ordinary model. Closing the endpoint does not stop the engine."""
        endpoint = EngineEndpoint(self)
        await endpoint.start()
        return endpoint

    async def post(self, path: str, value: Any) -> Any:
        """Post a JSON value and return the decoded reply. Raises ModelError if the server rejects it."""
        base_url = await self.start()
        if self._client is None or self._client.base_url != base_url:
            self._client = HttpClient(base_url, key=self._key, timeout=_TIMEOUT, max_bytes=_MAX_BYTES)
        reply = await self._client.post(path, value)
        if reply.status != 200:
            raise error_from(read_refusal(reply.status, reply.headers, reply.body, self._key), model=self.path.name)
        return decode(reply.body)

    async def aclose(self) -> None:
        """Stop the model and free its memory. Open requests fail; the next use starts it again."""
        client, self._client = self._client, None
        process, self._process = self._process, None
        if client is not None:
            await client.aclose()
        for endpoint in tuple(self._endpoints):
            await endpoint.disconnect()
        if process is not None:
            process.kill()
            await asyncio.shield(asyncio.wrap_future(process.ended))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _launch(self) -> ModelProcess:
        window = self.window
        if importlib.util.find_spec("xllamacpp") is None:
            raise _missing()
        return ModelProcess(
            Launch(str(self.path.absolute()), self.path.name, window, self.slots, self.threads, self._key)
        )


class EngineEndpoint(Endpoint):
    """An engine as an ordinary model. The first request starts it; with ``own``, closing the endpoint stops it."""

    def __init__(
        self,
        engine: Engine,
        *,
        own: bool = False,
        temperature: float | None = 0.0,
        timeout: float = _TIMEOUT,
        options: Mapping[str, Any] | None = None,
        remember: Callable[[Capabilities], None] | None = None,
    ) -> None:
        super().__init__(
            _NO_ADDRESS,
            engine.path.name,
            key=engine.key,
            temperature=temperature,
            timeout=max(timeout, _TIMEOUT),
            silence=_TIMEOUT,
            options=options,
            window=engine.window,
            remember=remember,
            identity=engine.identity,
        )
        self.engine = engine
        self._own = own
        engine.register(self)

    def _max_tokens(self, size: int, known: Capabilities, least: int = 0) -> int:
        """Limit replies of models that do not reason to the length of the prompt: small models may never stop."""
        cap = super()._max_tokens(size, known, least)
        return cap if self.engine.header.reasons else min(cap, max(_REPLY_TOKENS, size))

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's reply. The first call takes longer, since it loads the model."""
        await self.start()
        return await super().complete(ask)

    async def start(self) -> None:
        """Start the engine and use its address."""
        self._client.base_url = await self.engine.start()

    async def aclose(self) -> None:
        """Close the connection, and stop the engine if this endpoint owns it."""
        await self.disconnect()
        if self._own:
            await self.engine.aclose()

    async def disconnect(self) -> None:
        """Close the connection. It is opened again on the next use."""
        await super().aclose()


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
        hint=f"{install_hint()}; {_ELSEWHERE}",
    )


def _import_failed(reason: str) -> UsageError:
    return UsageError(
        f"xllamacpp, which runs GGUF files, does not work on this computer: {reason}",
        hint=f"pip install --force-reinstall xllamacpp; {_ELSEWHERE}",
    )
