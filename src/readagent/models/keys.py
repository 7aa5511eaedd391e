"""Keys of servers: from the environment, or as `readagent setup` has kept them for this user.

A key is kept under the name of its environment variable, in the system's keyring where there is one, otherwise in
``keys.json`` in the home folder, which only the user can read. That file also lists the keys in the keyring, so that
the keyring is asked for these only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from readagent.models.private_file import write_private

_SERVICE = "readagent"
_FILE = "keys.json"


class Keys(Mapping[str, str]):
    """Environment variables, and below them the keys that are kept for the user. ``repr`` shows none of them."""

    def __init__(self, environ: Mapping[str, str], home: Path) -> None:
        self._environ, self._kept = environ, _load(home)

    def __getitem__(self, name: str) -> str:
        if self._environ.get(name, "").strip() or name not in self._kept:
            return self._environ[name]
        kept = self._kept[name]
        if kept is None:
            kept = _from_keyring(name)
        if kept is None:
            raise KeyError(name)
        return kept

    def __iter__(self) -> Iterator[str]:
        return iter({**self._kept, **self._environ})

    def __len__(self) -> int:
        return len({**self._kept, **self._environ})

    def __repr__(self) -> str:
        return f"<{len(self._kept)} kept keys>"


def keep_key(name: str, key: str, home: Path) -> Path | None:
    """Keep a key, and return the file that it is in; None if it is in the system's keyring."""
    in_keyring = _to_keyring(name, key)
    kept = {**_load(home), name: None if in_keyring else key}
    write_private(home / _FILE, json.dumps(kept, indent=2) + "\n")
    return None if in_keyring else home / _FILE


def _load(home: Path) -> dict[str, str | None]:
    """Return the kept keys by name; None for one that is in the keyring."""
    try:
        value = json.loads((home / _FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    kept = value.items() if isinstance(value, dict) else ()
    return {str(name): key for name, key in kept if key is None or isinstance(key, str)}


def _to_keyring(name: str, key: str) -> bool:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:  # the extra is not installed
        return False
    try:
        keyring.set_password(_SERVICE, name, key)
    except KeyringError:
        return False
    return True


def _from_keyring(name: str) -> str | None:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        return keyring.get_password(_SERVICE, name)
    except KeyringError:
        return None
