"""Benchmark runs over HTTP: the folders of runs below the one that the server was started with."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from readagent.errors import UsageError
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent_bench.folder import RunFolder
from readagent_bench.page.run_records import (
    QuestionRecord,
    RunInList,
    RunRecord,
    question_record,
    run_in_list,
    run_record,
)
from readagent_bench.report.comparison import LoadedRun, load_run

STATIC = Path(__file__).parent / "static"
_DEEP = 3  # folders below that of the runs in which runs are looked for


async def _list(call: Call) -> list[RunInList]:
    def found() -> list[RunInList]:
        folders = _folders(call)
        listed = []
        for name, folder in folders.items():
            try:
                listed.append(run_in_list(name, folder))
            except (UsageError, msgspec.MsgspecError):  # a manifest that cannot be read
                continue
        return sorted(listed, key=lambda one: one.started, reverse=True)

    return await call.service.on_thread(found)


async def _show(call: Call) -> RunRecord:
    def found() -> RunRecord:
        return run_record(call.path("run"), _loaded(_folder(call)))

    return await call.service.on_thread(found)


async def _question(call: Call) -> QuestionRecord:
    def found() -> QuestionRecord:
        folder = _folder(call)
        record = question_record(call.path("question"), folder, _loaded(folder))
        if record is None:
            raise RefusedError(404, f"there is no question {call.path('question')!r} in this run")
        return record

    return await call.service.on_thread(found)


def _folders(call: Call) -> dict[str, RunFolder]:
    """Return the runs by their path below the folder of runs. Links are not followed."""
    root = call.service.options.runs
    if root is None:
        raise RefusedError(404, "no runs are served", hint="start the server with `runs`, a folder of runs")
    patterns = ["/".join(["*"] * depth + ["manifest.json"]) for depth in range(_DEEP + 1)]
    files = [file for pattern in patterns for file in root.glob(pattern) if not file.is_symlink()]
    return {_name(root, file.parent): RunFolder(file.parent) for file in sorted(files)}


def _name(root: Path, folder: Path) -> str:
    """Return the name of a run, which is one part of a path."""
    below = folder.relative_to(root).parts
    return "~".join(below) or root.resolve().name


def _folder(call: Call) -> RunFolder:
    folder = _folders(call).get(call.path("run"))
    if folder is None:
        raise RefusedError(404, f"there is no run {call.path('run')!r}")
    return folder


def _loaded(folder: RunFolder) -> LoadedRun:
    changed = max(file.stat().st_mtime_ns for file in folder.path.iterdir())
    return _cached(folder.path, changed)


@lru_cache(maxsize=4)
def _cached(path: Path, changed: int) -> LoadedRun:
    return load_run(RunFolder(path))


OPERATIONS = (
    Operation("GET", "/api/runs", _list, "List the benchmark runs.", list[RunInList]),
    Operation("GET", "/api/runs/{run}", _show, "Show a run: figures and questions with verdicts.", RunRecord),
    Operation(
        "GET", "/api/runs/{run}/questions/{question:path}", _question, "Show what every method did on a question.",
        QuestionRecord,
    ),
)  # fmt: skip
