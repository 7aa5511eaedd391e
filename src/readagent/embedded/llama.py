"""llama.cpp's server, which is what xllamacpp is as a library: the one door to it."""

from __future__ import annotations

import xllamacpp

from readagent.embedded.host import Launch

_BATCH = 256  # tokens taken in at once: what was cancelled ends after so many
_SILENT = -1


def serve(launch: Launch) -> xllamacpp.Server:
    """A server on a loopback port of its own choice, its model loaded; a RuntimeError where that cannot be done.

    It must not be unmade: that never returns while a client waits for a reply. It ends with its process.
    """
    params = xllamacpp.CommonParams()
    params.model.path = launch.path
    params.model_alias = {launch.name}
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
    params.ui = False
    params.warmup = False
    params.verbosity = _SILENT
    return xllamacpp.Server(params)


def has_gpu() -> bool:
    """Whether models are held in memory of their own instead of the computer's."""
    gpu = xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_GPU
    return any(device["type"] == gpu for device in xllamacpp.get_device_info())
