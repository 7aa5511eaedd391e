"""Trust: which project files the user has looked at. Until then such a file sets harmless things only.

A project file comes with a folder, and the folder may be someone else's. So it cannot name a server, a model, a price,
a limit on spending, or files with prompts before the user has trusted it. The home folder keeps a SHA-256 of every
trusted file and of the files that it names, so that they have to be trusted again when they change.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from readagent.errors import UsageError
from readagent.private import write_private

PROJECT_FILE = "readagent.toml"
_MOST_BYTES = 100_000  # of a settings file
_HARMLESS = frozenset({
    "window", "preset", "parallel", "timeout", "silence", "patience", "requests_per_minute", "tokens_per_minute",
    "temperature",
})  # fmt: skip
_FILES = ("domain", "prompts")  # harmless as the name of something built in
_MOST_FILES = 100  # of a set of prompts


def held_back(layer: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the settings of a project file that need trust, in the order of the file."""
    return [
        name
        for name, value in layer.items()
        if name not in _HARMLESS and not (name in _FILES and _is_plain_name(value, folder))
    ]


def _is_plain_name(value: object, folder: Path) -> bool:
    """Whether a value can be nothing but a name: it is no path, and no file in the folder is called like that."""
    return isinstance(value, str) and value.replace("-", "_").isidentifier() and not (folder / value).exists()


def is_trusted(file: Path, home: Path) -> bool:
    """Whether the user has trusted this file with the content that it has now."""
    known = _load(home).get(str(file.resolve()))
    return known is not None and known == _digest(file)


def trust(file: Path, home: Path) -> None:
    """Remember that the user trusts this file as it is now."""
    digest = _digest(file)
    if digest is None:
        raise UsageError(f"there is no settings file {file}", hint="run this in a folder with a readagent.toml")
    _save(home, {**_load(home), str(file.resolve()): digest})


def distrust(file: Path, home: Path) -> bool:
    """Forget a file; return whether it was trusted."""
    known = _load(home)
    was_known = known.pop(str(file.resolve()), None) is not None
    if was_known:
        _save(home, known)
    return was_known


def trusted(home: Path) -> Iterator[tuple[Path, bool]]:
    """Yield every file that was trusted, and whether it still has the content that was trusted."""
    for name, digest in sorted(_load(home).items()):
        yield Path(name), digest == _digest(Path(name))


def _load(home: Path) -> dict[str, str]:
    try:
        value = json.loads((home / "trusted.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in value.items()} if isinstance(value, dict) else {}


def _save(home: Path, known: Mapping[str, str]) -> None:
    """Write the list as a whole, so that a crash leaves the old one or the new one."""
    write_private(home / "trusted.json", json.dumps(known, indent=2) + "\n")


def settings_bytes(file: Path) -> bytes | None:
    """Return the content of a settings file; None if there is none. It must be an ordinary file of limited size."""
    try:
        opened = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a named pipe must not block us
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"cannot read the settings file {file}: {(error.strerror or str(error)).lower()}") from None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise UsageError(f"the settings file {file} is not an ordinary file", hint="remove it, or write a new one")
    with os.fdopen(opened, "rb") as stream:
        data = stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise UsageError(f"the settings file {file} has more than {_MOST_BYTES:,} bytes")
    return data


def _digest(file: Path) -> str | None:
    """Return the digest of a settings file and of the files that it names; None if there is no such file."""
    data = settings_bytes(file)
    if data is None:
        return None
    found = hashlib.sha256(data)
    for named in named_files(file):
        with suppress(UsageError):  # one that cannot be read is reported when it is used
            found.update(f"\0{named.name}\0".encode() + hashlib.sha256(settings_bytes(named) or b"").digest())
    return found.hexdigest()


def named_files(file: Path) -> list[Path]:
    """Return the files with prompts and instructions that a settings file names, in a fixed order."""
    try:
        layer = tomllib.loads((settings_bytes(file) or b"").decode("utf-8"))
        paths = [file.parent / Path(value).expanduser() for name in _FILES if isinstance(value := layer.get(name), str)]
        sets = [sorted(path.glob("*.txt"))[:_MOST_FILES] if path.is_dir() else [path] for path in paths]
        return [path for paths in sets for path in paths if path.is_file()]
    except (OSError, ValueError, RuntimeError, RecursionError):
        return []
