"""What a run was made with, so that it can be made again: program, machine, model, plan, data, methods and seeds."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from readagent.bench.templates import templates
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.models.wire import decode, encode

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
    """The manifest of a run that begins now. What names the machine's owner or paths is left out."""
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
    """The computer, in words."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def now() -> str:
    """The time, in the form manifests use."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str:
    """The commit of this program, and whether it was changed since; empty where it was not run from a clone."""
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
