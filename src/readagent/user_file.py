"""Change settings in the user file, `config.toml`, and leave the rest of it as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from readagent.private import write_private
from readagent.trust import settings_bytes


def write_settings(home: Path, settings: Mapping[str, str | None]) -> Path:
    """Set these texts at the top of the user file, remove those that are None, and return the file.

    Only the user can read it: the address of a server may have a password in it.
    """
    file = home / "config.toml"
    lines = (settings_bytes(file) or b"").decode("utf-8").splitlines()
    end = next((number for number, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    named = re.compile(rf"\s*(?:{'|'.join(map(re.escape, settings))})\s*=")
    kept = [line for line in lines[:end] if not named.match(line)]
    # a JSON string is a TOML string too
    new = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items() if value is not None]
    write_private(file, "\n".join([*new, *kept, *lines[end:]]) + "\n")
    return file
