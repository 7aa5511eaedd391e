"""The command line and a server, for the tests of the commands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    return Console(capsys, monkeypatch)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    with LoopbackServer(models=("skimmer", "other", "vectors")).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        yield server
