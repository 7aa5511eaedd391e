"""Tests that need a real browser are skipped where there is none, and say why."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from readagent.errors import DatasetError, UsageError
from readagent.webnav.live.browser import find_browser


def _missing() -> str:
    if find_spec("playwright") is None:
        return "Playwright is not installed: pip install 'readagent[web]'"
    try:
        find_browser()
    except UsageError as error:
        return f"{error}: {error.hint}"
    return ""


def _no_tasks() -> str:
    from readagent.bench.web.miniwob import html_folder

    try:
        html_folder()
    except DatasetError as error:
        return f"{error}: {error.hint}"
    return ""


needs_browser = pytest.mark.skipif(bool(_missing()), reason=_missing() or "there is a browser")
needs_tasks = pytest.mark.skipif(bool(_missing() or _no_tasks()), reason=_missing() or _no_tasks() or "all is there")
