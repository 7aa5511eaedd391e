"""Keys that are kept for the user: in the system's keyring, or in a file that only the user can read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.backends.null import Keyring as SilentKeyring

from readagent.models.providers import Keys, keep_key


class Box(KeyringBackend):
    """A keyring in memory."""

    priority = 1.0  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))


@pytest.fixture
def box() -> Iterator[Box]:
    before, box = keyring.get_keyring(), Box()
    keyring.set_keyring(box)
    yield box
    keyring.set_keyring(before)


@pytest.fixture(params=[NoKeyring, SilentKeyring])
def no_keyring(request: pytest.FixtureRequest) -> Iterator[None]:
    """A system without a keyring, or with one that is switched off and says nothing."""
    before = keyring.get_keyring()
    keyring.set_keyring(request.param())
    yield
    keyring.set_keyring(before)


def test_a_key_in_the_keyring_is_in_no_file(own_home: Path, box: Box) -> None:
    assert keep_key("OPENAI_API_KEY", "sk-1", own_home) is None
    assert Keys({}, own_home).get("OPENAI_API_KEY") == "sk-1"
    assert all("sk-1" not in file.read_text() for file in own_home.iterdir())


def test_without_a_keyring_only_the_user_can_read_the_file(own_home: Path, no_keyring: None) -> None:
    file = keep_key("OPENAI_API_KEY", "sk-1", own_home)
    assert file is not None
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o600
    keep_key("GEMINI_API_KEY", "g", own_home)
    kept = Keys({}, own_home)
    assert (kept.get("OPENAI_API_KEY"), kept.get("GEMINI_API_KEY"), kept.get("OTHER")) == ("sk-1", "g", None)
    assert "sk-1" not in repr(kept)


def test_without_the_package_the_file_is_used(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert keep_key("OPENAI_API_KEY", "sk-1", own_home) is not None
    assert Keys({}, own_home).get("OPENAI_API_KEY") == "sk-1"


def test_the_environment_comes_first(own_home: Path, no_keyring: None) -> None:
    keep_key("OPENAI_API_KEY", "kept", own_home)
    assert Keys({"OPENAI_API_KEY": "set"}, own_home).get("OPENAI_API_KEY") == "set"
    assert Keys({"OPENAI_API_KEY": " "}, own_home).get("OPENAI_API_KEY") == "kept"


def test_a_key_that_is_gone_from_the_keyring_is_missing(own_home: Path, box: Box) -> None:
    keep_key("OPENAI_API_KEY", "sk-1", own_home)
    box.kept.clear()
    assert Keys({}, own_home).get("OPENAI_API_KEY") is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"OPENAI_API_KEY": 3}'])
def test_a_damaged_file_holds_no_keys(own_home: Path, content: str) -> None:
    (own_home / "keys.json").write_text(content)
    assert Keys({}, own_home).get("OPENAI_API_KEY") is None
