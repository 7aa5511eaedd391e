"""`pytest tests/outcomes --update-outcomes` records what the runs print, instead of comparing it."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-outcomes", action="store_true", help="write what the runs print into tests/outcomes/cases"
    )
