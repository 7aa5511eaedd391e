"""Marks for tests that need a browser or the MiniWoB tasks: without them the test is skipped, with the reason."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from readagent.errors import DatasetError, UsageError
from readagent.webnav.live.browser import find_browser


def _missing_browser() -> str:
    if find_spec("playwright") is None:
        return "Playwright is not installed: pip install 'readagent[web]'"
    try:
        find_browser()
    except UsageError as error:
        return f"{error}: {error.hint}"
    return ""


def _missing_tasks() -> str:
    from readagent.bench.web.miniwob import html_folder

    try:
        html_folder()
    except DatasetError as error:
        return f"{error}: {error.hint}"
    return ""


_browser = _missing_browser()
_tasks = _browser or _missing_tasks()
needs_browser = pytest.mark.skipif(bool(_browser), reason=_browser or "a browser is installed")
needs_tasks = pytest.mark.skipif(bool(_tasks), reason=_tasks or "a browser and the tasks are installed")
