"""The server of llama.cpp, as a library in the package xllamacpp. Only this module imports it."""

from __future__ import annotations

import xllamacpp

from readagent.embedded.process import Launch

_BATCH = 256  # tokens; a cancelled request ends after the current batch
_SILENT = -1


def serve(launch: Launch) -> xllamacpp.Server:
    """Load a model and start a server on a free loopback port. Raises RuntimeError if that fails.

    Never let the server be destroyed: its destructor blocks while a client waits for a reply. It ends with the process.
    """
    params = xllamacpp.CommonParams()
    params.model.path = launch.path
    params.model_alias = {launch.name}
    params.n_ctx = launch.window * launch.slots  # each slot has a fixed share
    params.n_parallel = launch.slots
    params.kv_unified = False
    params.cache_prompt = True
    params.cache_ram_mib = 0  # otherwise up to 8 GiB of prompts are cached besides the slots
    params.n_batch = params.n_ubatch = _BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = launch.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [launch.key]
    params.ui = False
    params.warmup = False
    params.verbosity = _SILENT
    return xllamacpp.Server(params)


def has_gpu() -> bool:
    """Whether models are loaded into GPU memory instead of main memory."""
    gpu = xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_GPU
    return any(device["type"] == gpu for device in xllamacpp.get_device_info())
