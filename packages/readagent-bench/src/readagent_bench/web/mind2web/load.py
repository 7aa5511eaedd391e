"""The files of Mind2Web: JSON lists of tasks, in a folder per split. They are large and read one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from readagent.errors import BadReplyError, DatasetError
from readagent.models.wire import decode_as
from readagent_bench.web.mind2web.task import Step, Task

T = TypeVar("T")

SPLITS: Mapping[str, str] = {  # with the names in the paper
    "test_task": "cross-task",
    "test_website": "cross-website",
    "test_domain": "cross-domain",
}
OPERATIONS = ("CLICK", "TYPE", "SELECT")
_HINT = "download the test data from its authors and unpack it (see docs/web-navigation.md)"


@dataclass(frozen=True, slots=True)
class Split:
    """A split, or the tasks chosen from it. ``fingerprint`` is the same for the same tasks."""

    name: str
    files: tuple[Path, ...]
    tasks: frozenset[str]
    steps: int
    fingerprint: str

    def __iter__(self) -> Iterator[Task]:
        for file in self.files:
            yield from (_task(one, file) for one in _listed(file, list[Written]) if one.annotation_id in self.tasks)


@dataclass(frozen=True, slots=True)
class Outline:
    """The fields of a task that are needed to choose it."""

    annotation_id: str
    confirmed_task: str
    action_reprs: list[str]


@dataclass(frozen=True, slots=True)
class WrittenAction:
    """A step as in the file; the raw HTML is not read."""

    action_uid: str
    cleaned_html: str
    operation: Any
    pos_candidates: list[Any]
    neg_candidates: list[Any]


@dataclass(frozen=True, slots=True)
class Written:
    """A task as in the file."""

    annotation_id: str
    website: str
    confirmed_task: str
    action_reprs: list[str]
    actions: list[WrittenAction]
    domain: str = ""
    subdomain: str = ""


def split_of(folder: Path, name: str, *, limit: int | None = None, seed: int = 0) -> Split:
    """Return a split, or ``limit`` of its tasks, chosen by ``seed``."""
    files = _files(folder, name)
    found = [one for file in files for one in _listed(file, list[Outline])]
    if limit is not None and limit < len(found):
        found = Random(seed).sample(found, limit)
    digest = sha256(repr(sorted((one.annotation_id, one.confirmed_task, one.action_reprs) for one in found)).encode())
    tasks = frozenset(one.annotation_id for one in found)
    return Split(name, files, tasks, sum(len(one.action_reprs) for one in found), digest.hexdigest())


def _files(folder: Path, split: str) -> tuple[Path, ...]:
    """Return the files of a split, wherever in the folder they were unpacked."""
    if split not in SPLITS:
        raise DatasetError(f"Mind2Web has no split {split!r}", hint=f"splits: {', '.join(SPLITS)}")
    for place in (folder, folder / "data", folder / "test", folder / "mind2web", folder / "mind2web" / "data"):
        files = sorted((place / split).glob("*.json")) or sorted(place.glob(f"{split}*.json"))
        if files:
            return tuple(files)
    raise DatasetError(f"{folder} has no files of the split {split!r}", hint=_HINT)


def _listed(file: Path, kind: type[list[T]]) -> list[T]:
    try:
        return decode_as(file.read_bytes(), kind)
    except OSError as error:
        raise DatasetError(f"cannot read {file}: {error.strerror or error}") from None
    except BadReplyError as error:
        raise DatasetError(f"{file.name}: {error}", hint=_HINT) from None


def _task(written: Written, file: Path) -> Task:
    place = f"{file.name}, task {written.annotation_id}"
    steps = tuple(_step(one, f"{place}, action {one.action_uid}") for one in written.actions)
    return Task(
        written.annotation_id,
        written.website,
        written.domain,
        written.subdomain,
        written.confirmed_task,
        tuple(written.action_reprs),
        steps,
    )


def _step(written: WrittenAction, place: str) -> Step:
    operation = _record(written.operation, place)
    name = str(operation.get("op"))
    if name not in OPERATIONS:
        raise DatasetError(f"{place}: the operation is {name!r}", hint=f"operations: {', '.join(OPERATIONS)}")
    positives = [_record(one, place) for one in written.pos_candidates]
    both = [*positives, *(_record(one, place) for one in written.neg_candidates)]
    return Step(
        written.action_uid,
        written.cleaned_html,
        name,
        str(operation.get("value") or ""),
        tuple(dict.fromkeys(_id(one, place) for one in positives)),
        _unordered((_id(one, place) for one in both), written.action_uid),
        {_id(one, place): float(one["score"]) for one in both if isinstance(one.get("score"), int | float)},
    )


def _unordered(ids: Iterable[str], step: str) -> tuple[str, ...]:
    """Return the ids in an order that is always the same and does not tell which come from the positives.

    The files list positives first. A ranker that gives equal scores would keep them for that alone.
    """
    return tuple(sorted(set(ids), key=lambda one: (sha256(f"{step} {one}".encode()).digest(), one)))


def _id(candidate: Mapping[str, Any], place: str) -> str:
    found = candidate.get("backend_node_id")
    if not isinstance(found, str | int):
        raise DatasetError(f"{place}: a candidate has no backend_node_id", hint=_HINT)
    return str(found)


def _record(value: object, place: str) -> Mapping[str, Any]:
    """Return a candidate or an operation, which later editions of the data have as a JSON string."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, dict):
        raise DatasetError(f"{place}: a candidate or the operation is not an object", hint=_HINT)
    return value
