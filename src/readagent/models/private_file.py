"""Write files that only the user can read, as a whole: after a crash there is the old one or the new one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from readagent.errors import UsageError


def write_private(file: Path, text: str) -> None:
    """Write a text file with mode 0600; nobody else can read it at any time."""
    new = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
        new.replace(file)
    except OSError as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise UsageError(f"cannot write {file}: {(error.strerror or str(error)).lower()}") from None
