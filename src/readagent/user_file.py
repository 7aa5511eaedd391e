"""Change settings in the user file, `config.toml`, and leave the rest of it as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from readagent.private import write_private
from readagent.trust import settings_bytes

_NAME = "config.toml"


def write_settings(home: Path, settings: Mapping[str, str | None]) -> Path:
    """Set these texts at the top of the user file, remove those that are None, and return the file.

    A file that cannot be read is kept under another name, see ``kept_aside``, and a new one is written.
    Only the user can read it: the address of a server may have a password in it.
    """
    file = home / _NAME
    if is_broken(home):
        file.replace(kept_aside(home))
    lines = (settings_bytes(file) or b"").decode("utf-8").splitlines()
    end = next((number for number, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    named = re.compile(rf"\s*(?:{'|'.join(map(re.escape, settings))})\s*=")
    kept = [line for line in lines[:end] if not named.match(line)]
    # a JSON string is a TOML string too
    new = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items() if value is not None]
    write_private(file, "\n".join([*new, *kept, *lines[end:]]) + "\n")
    return file


def is_broken(home: Path) -> bool:
    """Return whether there is a user file that is not TOML."""
    try:
        tomllib.loads((settings_bytes(home / _NAME) or b"").decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return True
    return False


def kept_aside(home: Path) -> Path:
    """Return the file that a broken user file is renamed to: one that does not exist yet."""
    names = (home / f"{_NAME}.broken{number or ''}" for number in count())
    return next(name for name in names if not name.exists())
