"""Read the header of a GGUF file without loading it, and choose the model's window by the memory that is available."""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from readagent.errors import LoadError, UsageError
from readagent.models.providers import PROVIDERS

Value = int | float | bool | str | tuple[int | float | bool, ...]

SLOTS = 2  # requests that an engine runs at the same time
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _LIST = 8, 9
_LONGEST_LIST = 1024  # enough for one number per layer, but not per word of the vocabulary
_LARGEST = 64 << 20  # bytes of one value
_SAMPLES, _SAMPLE = 16, 64 << 10
_REASONING = re.compile(r"think|reason", re.I)
_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.I)


def gguf_path(model: str, base_url: str = "") -> Path | None:
    """Return the GGUF file that a model name refers to, or None if the name belongs to a server."""
    if not model or base_url:
        return None
    path = Path(model).expanduser()
    try:
        if path.is_file():
            with path.open("rb") as file:
                return path if file.read(4) == _MAGIC or path.suffix.lower() == ".gguf" else None
    except OSError:
        return path
    is_server = model.startswith(("http://", "https://")) or model.partition("/")[0].lower() in PROVIDERS
    return path if path.suffix.lower() == ".gguf" and not is_server else None


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of a GGUF file, where they end, and the size of the whole model in bytes, with all its parts."""

    metadata: Mapping[str, Value]
    end: int
    size: int

    @property
    def architecture(self) -> str:
        """The model family, such as ``llama``, which prefixes the names of its parameters."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def window(self) -> int | None:
        """The window that the model was trained for, in tokens; None if the file does not name it."""
        return self._number("context_length")

    @property
    def is_language_model(self) -> bool:
        """Whether this generates text, unlike models for vectors or images, or parts of a model."""
        kind = self.metadata.get("general.type", "model")
        return kind == "model" and "bert" not in self.architecture and self.architecture not in ("", "clip")

    @property
    def reasons(self) -> bool:
        """Whether the model may write its reasoning before the reply, according to its chat template."""
        return bool(_REASONING.search(str(self.metadata.get("tokenizer.chat_template", ""))))

    @property
    def token_bytes(self) -> int:
        """Bytes of the key-value cache per token, at 16 bits per number; 0 if unknown."""
        layers, heads = self._number("block_count") or 0, self._number("attention.head_count") or 0
        each = (self._number("embedding_length") or 0) // heads if heads else 0
        key = self._number("attention.key_length") or each
        value = self._number("attention.value_length") or each
        kept = self.metadata.get(f"{self.architecture}.attention.head_count_kv", heads)
        total = sum(int(n) for n in kept) if isinstance(kept, tuple) else layers * kept if type(kept) is int else 0
        return max(0, 2 * total * (key + value))

    def _number(self, name: str) -> int | None:
        found = self.metadata.get(f"{self.architecture}.{name}")
        return found if type(found) is int and found > 0 else None


def read_header(path: Path) -> Header:
    """Read the header of a file. Raises LoadError if it is not a readable GGUF file."""
    if path.exists() and not path.is_file():
        raise LoadError(f"{path} is not a file", hint="`model` takes the path of one GGUF file")
    try:
        with path.open("rb") as file:
            metadata, end = _Metadata(path, file).read()
        return Header(metadata, end, sum(part.stat().st_size for part in parts(path)))
    except FileNotFoundError as error:
        missing = Path(str(error.filename))
        what = f"{missing} is missing" if missing != path else f"no such file: {path}"
        raise LoadError(what, hint="download a GGUF file, and pass its path to `model`") from None
    except (OSError, ValueError, struct.error) as error:
        raise LoadError(f"could not read {path}: {error}") from None


def parts(path: Path) -> list[Path]:
    """Return the files of a model: one, or all parts of a split model, according to the file name."""
    named = _PART.search(path.name)
    if named is None:
        return [path]
    count = int(named[2])
    return [path.with_name(_PART.sub(f"-{i:05d}-of-{count:05d}", path.name)) for i in range(1, count + 1)]


def fingerprint(path: Path, header: Header) -> str:
    """Return a hash of a model: its size, its metadata, and samples of its weights."""
    sha = hashlib.sha256(str(header.size).encode())
    with path.open("rb") as file:
        sha.update(file.read(header.end))
        size = file.seek(0, os.SEEK_END)
        for i in range(_SAMPLES):
            file.seek(max(header.end, size * i // _SAMPLES))
            sha.update(file.read(_SAMPLE))
    return sha.hexdigest()[:16]


class _Metadata:
    """Reads the metadata sequentially; lengths are checked against the size of the file."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._left = file.seek(0, os.SEEK_END)
        file.seek(0)

    def read(self) -> tuple[dict[str, Value], int]:
        if self._left < 4 or self._take(4) != _MAGIC:
            raise LoadError(f"{self._path} is not a GGUF file", hint="llama.cpp needs models in this format")
        version = self._number("I")
        if version not in _VERSIONS:
            raise LoadError(f"{self._path} has GGUF version {version}, which is not supported")
        self._number("Q")  # the number of tensors
        count = self._number("Q")
        found: dict[str, Value] = {}
        for _ in range(count):
            name = self._string()
            value = self._value(self._number("I"))
            if value is not None:
                found[name] = value
        return found, self._file.tell()

    def _value(self, kind: int) -> Value | None:
        if kind in _SCALARS:
            return self._scalar(_SCALARS[kind])
        if kind == _STRING:
            return self._string()
        if kind == _LIST:
            return self._list(self._number("I"), self._number("Q"))
        raise self._damaged()

    def _list(self, kind: int, count: int) -> tuple[int | float | bool, ...] | None:
        if kind in _SCALARS:
            width = struct.calcsize(_SCALARS[kind])
            if count > _LONGEST_LIST:
                self._skip(width * count)
                return None
            return struct.unpack(f"<{count}{_SCALARS[kind]}", self._take(width * count))
        if kind != _STRING:
            raise self._damaged()  # nested lists do not occur in practice
        read, length = self._file.read, struct.Struct("<Q").unpack
        for _ in range(count):
            self._spend(8)
            (size,) = length(read(8))
            self._spend(size)
            read(size)
        return None

    def _string(self) -> str:
        return self._take(self._number("Q")).decode("utf-8", "replace")

    def _number(self, form: str) -> int:
        return int(self._scalar(form))

    def _scalar(self, form: str) -> int | float | bool:
        (value,) = struct.unpack(f"<{form}", self._take(struct.calcsize(form)))
        assert isinstance(value, int | float | bool)
        return value

    def _take(self, size: int) -> bytes:
        self._spend(size)
        return self._file.read(size)

    def _skip(self, size: int) -> None:
        self._spend(size)
        self._file.seek(size, os.SEEK_CUR)

    def _spend(self, size: int) -> None:
        if size > self._left or size > _LARGEST:
            raise self._damaged()
        self._left -= size

    def _damaged(self) -> LoadError:
        return LoadError(f"{self._path} is damaged or incomplete", hint="download it again")


DEFAULT_WINDOW = 8192
MIN_WINDOW = 2048
_UNKNOWN_WINDOW = 4096  # for a file that does not name its window
_OVERHEAD = 256 << 20  # bytes of working memory besides weights and windows


def available_memory() -> int | None:
    """Return the bytes that can be allocated without swapping; None if the system does not report it."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return _physical_memory()
    return min(free, _container_memory(Path("/sys/fs/cgroup")) or free)


def choose_window(header: Header, requested: int | None, slots: int, memory: int | None, name: str) -> int:
    """Return the window of one request in tokens: as requested, or the largest usual one that fits into memory.

    Raises UsageError if the request exceeds what the model was trained for, or what fits.
    """
    if requested is not None and header.window is not None and requested > header.window:
        raise UsageError(
            f"{name} supports a window of {header.window} tokens, not {requested}",
            hint=f"set `window` to {header.window} or less, or omit it",
        )
    window = requested or min(header.window or _UNKNOWN_WINDOW, DEFAULT_WINDOW)
    least = window if requested else min(window, MIN_WINDOW)
    while not fits(header, window, slots, memory):
        if window <= least:
            raise _too_little_memory(header, window, slots, memory or 0, name)
        window = max(least, window // 2)
    return window


def fits(header: Header, window: int, slots: int, memory: int | None) -> bool:
    """Whether the model fits into this many bytes. True if ``memory`` is None, that is unknown."""
    return memory is None or _needed(header, window, slots) <= memory


def _needed(header: Header, window: int, slots: int) -> int:
    return header.size + header.token_bytes * window * slots + _OVERHEAD


def _too_little_memory(header: Header, window: int, slots: int, memory: int, name: str) -> UsageError:
    needed = _needed(header, window, slots)
    smallest = _needed(header, min(window, MIN_WINDOW), 1)
    return UsageError(
        f"{name} needs {_gigabytes(needed)} of memory, but only {_gigabytes(memory)} are free",
        hint="set a smaller `window`" + (", or `parallel=1`" if slots > 1 else "")
        if smallest <= memory
        else "use a smaller model, one with fewer bits per weight, or a server with `base_url`",
    )


def _container_memory(group: Path) -> int | None:
    """Return the bytes that a container may still allocate; None if it has no limit."""
    try:
        limit = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return max(1, int(limit) - used) if limit.isdigit() else None


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
