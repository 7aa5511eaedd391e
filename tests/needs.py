"""What some tests need (weights, a browser, the documentation), and why they cannot run where it is missing."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from readagent.errors import UsageError

_ROOT = Path(__file__).parent.parent
_WEIGHTS = ("minilm/model.safetensors", "minilm/vocab.txt", "smollm2/model.gguf")


def real_weights(name: str) -> Path:
    """Return the folder of the real weights, for a test marked `weights`."""
    return Path(os.environ["READAGENT_TEST_WEIGHTS"]) / name


def missing_weights() -> str:
    """Return why there are no real weights to test with; an empty string if there are."""
    named = os.environ.get("READAGENT_TEST_WEIGHTS")
    if not named:
        return "READAGENT_TEST_WEIGHTS does not name a folder with weights"
    missing = [name for name in _WEIGHTS if not (Path(named) / name).is_file()]
    return f"{named} has no {', '.join(missing)}" if missing else ""


@cache
def missing_browser() -> str:
    """Return why there is no browser to test with; an empty string if there is one."""
    if find_spec("playwright") is None or find_spec("readagent_browse") is None:
        return "Playwright is not installed: pip install 'packages/readagent-browse[browser]'"
    from readagent_browse.live.browser import find_browser

    try:
        find_browser()
    except UsageError as error:
        return f"{error}: {error.hint}"
    return ""


def docs_python() -> Path:
    """Return the Python of the environment that the documentation is built in; skip the test where there is none."""
    found = _ROOT / ".venv-docs" / "bin" / "python"
    if not (found.parent.parent / ".installed").exists():
        pytest.skip("there is no environment for the documentation: make docs")
    return found


def built_site(version: str) -> Path:
    """Return the folder of the built documentation; skip the test where it was not built."""
    found = _ROOT / "build" / "docs" / version
    if not (found / "index.html").exists():
        pytest.skip("the documentation was not built: make docs")
    return found
