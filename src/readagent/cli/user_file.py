"""Change settings in the user file, `config.toml`, and leave the rest of it as it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from readagent.errors import UsageError
from readagent.trust import settings_bytes


def write_settings(home: Path, settings: Mapping[str, str | None]) -> Path:
    """Set these texts at the top of the user file, remove those that are None, and return the file."""
    file = home / "config.toml"
    lines = (settings_bytes(file) or b"").decode("utf-8").splitlines()
    end = next((number for number, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    named = re.compile(rf"\s*(?:{'|'.join(map(re.escape, settings))})\s*=")
    kept = [line for line in lines[:end] if not named.match(line)]
    # a JSON string is a TOML string too
    new = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items() if value is not None]
    _replace(file, "\n".join([*new, *kept, *lines[end:]]) + "\n")
    return file


def _replace(file: Path, text: str) -> None:
    """Write the file as a whole, so that a crash leaves the old one or the new one."""
    new = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, "utf-8")
        new.replace(file)
    except OSError as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise UsageError(f"cannot write {file}: {(error.strerror or str(error)).lower()}") from None
