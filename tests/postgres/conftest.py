"""Everything here needs a PostgreSQL server, except the tests of URLs and words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from postgres_server import Server


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may kill."""
    server = Server()
    try:
        yield server.start()
    finally:
        server.stop()
