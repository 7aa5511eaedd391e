"""The manifest of a run: program, machine, model, plan, data, methods and seeds, so that the run can be repeated."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.models.wire import decode, encode
from readagent_bench.templates import templates

_PACKAGES = ("readagent", "httpx2", "msgspec", "numpy", "rouge-score", "xllamacpp")


def manifest(
    *,
    dataset: str,
    split: str,
    data_hash: str,
    documents: int,
    questions: int,
    methods: Sequence[str],
    runs: int,
    seed: int,
    model: str,
    embedder: str,
    window_given: int | None,
    window: int | None,
    plan: Plan,
    prompts: Prompts,
) -> dict[str, Any]:
    """Return the manifest of a run that starts now. It names neither the owner of the machine nor any path."""
    return {
        "dataset": dataset,
        "split": split,
        "data_sha256": data_hash,
        "documents": documents,
        "questions": questions,
        "methods": list(methods),
        "runs": runs,
        "seed": seed,
        "model": model,
        "embedder": embedder,
        "window_given": window_given,
        "window": window,
        "plan": decode(encode(plan)),
        "prompts": prompts.fingerprint,
        "bench_prompts": templates().fingerprint,
        "commit": commit(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
        "machine": machine(),
        "started": now(),
        "state": "running",
    }


def machine() -> str:
    """Return a description of the computer."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def now() -> str:
    """Return the time in the form that manifests use."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str:
    """Return the commit of this program and whether files changed since; empty outside a clone."""
    here = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        try:
            done = subprocess.run(["git", "-C", str(here), *words], capture_output=True, text=True, check=False)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    short = git("rev-parse", "--short", "HEAD")
    return f"{short}{' and changes' if short and git('status', '--porcelain', '--', '.') else ''}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
