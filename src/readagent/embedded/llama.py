"""llama.cpp in this process: the one door to xllamacpp, which is llama.cpp's own server as a library."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import xllamacpp

_BATCH = 256  # tokens taken in at once: what was cancelled ends after so many
_PATIENCE = 60.0  # seconds for replies that nobody waits for any more to end
_SILENT = -1


@dataclass(frozen=True, slots=True)
class Launch:
    """How to run a model: tokens of one request, requests at once, threads, and the key that clients must show."""

    path: Path
    window: int
    slots: int
    threads: int
    key: str = field(repr=False)


class Server:
    """llama.cpp's server on a loopback port of its own choice, from its making until ``end``.

    It belongs to one daemon thread, from whose frame it is never taken unless it is idle, for two reasons that lie in
    xllamacpp: unmaking a server before its loop has begun, or while a client waits for a reply, never returns or ends
    in a crash. So that thread has the loop make one token before the server is called started, and waits until
    it is idle before unmaking it. Where the process ends first, the thread just stops, and the server with it.
    """

    def __init__(self, launch: Launch) -> None:
        self.started: Future[str] = Future()
        self.ended: Future[None] = Future()
        self._launch = launch
        self._stop = threading.Event()
        threading.Thread(target=self._own, name="llama.cpp", daemon=True).start()

    def end(self) -> None:
        """Unmake the server as soon as it is idle; its clients have to be gone."""
        self._stop.set()

    def _own(self) -> None:
        try:
            server = xllamacpp.Server(_params(self._launch))
            server.handle_completions({"prompt": " ", "max_tokens": 1})
        except (RuntimeError, ValueError, MemoryError) as error:
            self.started.set_exception(error)
            self.ended.set_result(None)
            return
        self.started.set_result(str(server.listening_address))
        self._stop.wait()
        idle = self._idle(server)
        if idle:
            del server
        self.ended.set_result(None)
        if not idle:
            threading.Event().wait()

    def _idle(self, server: xllamacpp.Server) -> bool:
        pause, waited = threading.Event(), 0.0
        while _under_way(server.handle_metrics()) and waited < _PATIENCE:
            pause.wait(0.05)
            waited += 0.05
        return waited < _PATIENCE


def has_gpu() -> bool:
    """Whether models are held in memory of their own instead of the computer's."""
    gpu = xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_GPU
    return any(device["type"] == gpu for device in xllamacpp.get_device_info())


def _params(launch: Launch) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(launch.path)
    params.model_alias = {launch.path.name}
    params.n_ctx = launch.window * launch.slots  # each slot has its share, whatever the others do
    params.n_parallel = launch.slots
    params.kv_unified = False
    params.cache_prompt = True
    params.cache_ram_mib = 0  # or up to 8 GiB of prompts would be kept beside the slots
    params.n_batch = params.n_ubatch = _BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = launch.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [launch.key]
    params.endpoint_metrics = True
    params.ui = False
    params.warmup = False
    params.verbosity = _SILENT
    return params


def _under_way(metrics: str) -> int:
    """Requests that are worked on or wait for it, from the server's figures."""
    names = ("llamacpp:requests_processing", "llamacpp:requests_deferred")
    figures = (line.split() for line in metrics.splitlines() if line.startswith(names))
    return sum(int(float(figure[-1])) for figure in figures)
