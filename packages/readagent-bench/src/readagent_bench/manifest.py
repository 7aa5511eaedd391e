"""The manifest of a run: program, machine, model, plan, data, methods and seeds, so that the run can be repeated."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.models.wire import decode, encode
from readagent_bench.templates import templates
from readagent_browse.templates import templates as web_templates

_RENAMED = {"max_words": "page_words", "min_words": "min_page_words"}  # fields of plans, since version 0.1
_REMOVED = {"chains": 1, "keywords": 0, "expand": "in place"}  # with the value at which they had no effect
# The built-in prompts of version 0.1 are in other files today, but what is sent to a model is the same.
_OLD_PROMPTS, _OLD_WEB_PROMPTS = "5fea77c45340c0de", "b21fe79dd93b78ed"
_OLD_BENCH_PROMPTS = "366ab69db511436d"  # with those of the raters, and without the one for questions without text
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


def upgraded(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest, perhaps of version 0.1, as today's version would write it."""
    found = dict(manifest)
    if isinstance(plan := found.get("plan"), dict):
        found["plan"] = _upgraded_plan(plan)
    if found.get("prompts") == _OLD_PROMPTS:
        found["prompts"] = Prompts.load().fingerprint
    if found.get("bench_prompts") == _OLD_BENCH_PROMPTS:
        found["bench_prompts"] = templates().fingerprint
    if found.get("web_prompts") == _OLD_WEB_PROMPTS:
        found["web_prompts"] = web_templates().fingerprint
    return found


def _upgraded_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan under today's names. A removed field that had an effect stays: no plan of today equals that one."""
    kept = {name: value for name, value in plan.items() if name not in _REMOVED or value != _REMOVED[name]}
    return {**decode(encode(Plan(aim=False))), **{_RENAMED.get(name, name): value for name, value in kept.items()}}


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
